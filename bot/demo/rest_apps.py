"""REST: the App, its installations and tokens, its webhook deliveries, people, rate limit."""

from collections.abc import Mapping

from bot.demo import auth, installation_actions, shapes
from bot.demo.accounts import Installation, Kind
from bot.demo.refusal import RefusalError, missing
from bot.demo.rest_call import PER_PAGE, Call, Handler, Reply
from bot.demo.shapes import Shape, when
from bot.demo.store import MissingError
from bot.demo.webhooks import HookDelivery

HOURLY = 5000


def _app(call: Call) -> Reply:
    return Reply(shapes.app(call.store, call.store.app) | {"installations_count": len(call.store.installations)})


def _installations(call: Call) -> Reply:
    return call.page(list(call.store.installations.values()), lambda one: shapes.installation(call.store, one))


def _find_installation(call: Call) -> Installation:
    return installation_actions.find(call.store, call.number("installation_id"))


def _suspend(call: Call) -> Reply:
    installation_actions.suspend(call.store, _find_installation(call), call.actor.user)
    return Reply(status=204)


def _unsuspend(call: Call) -> Reply:
    installation_actions.unsuspend(call.store, _find_installation(call), call.actor.user)
    return Reply(status=204)


def _uninstall(call: Call) -> Reply:
    installation_actions.uninstall(call.store, _find_installation(call), call.actor.user)
    return Reply(status=204)


def _revoke(call: Call) -> Reply:
    call.store.tokens = {value: one for value, one in call.store.tokens.items() if one is not call.caller.token}
    return Reply(status=204)


def _by_slug(call: Call) -> Reply:
    found = next((one for one in call.store.apps.values() if one.slug == call.parameters["app_slug"]), None)
    if found is None:
        raise missing()
    return Reply(shapes.app(call.store, found))


def _hook_config(call: Call) -> Reply:
    hooks = call.store.hooks
    config = {"url": hooks.url, "content_type": "json", "insecure_ssl": "0"}
    return Reply(config | ({"secret": "********"} if hooks.secret else {}))


def _set_hook_config(call: Call) -> Reply:
    hooks = call.store.hooks
    hooks.url, hooks.secret = call.body.get("url", hooks.url), call.body.get("secret", hooks.secret)
    return _hook_config(call)


def _convert_manifest(call: Call) -> Reply:
    """The code is worth something once; the stand-in's own App is what is registered."""
    keys = call.store.manifest_codes.pop(call.parameters["code"], None)
    if keys is None:
        raise missing()
    return Reply(shapes.app(call.store, call.store.app) | keys, 201)


def _meta(call: Call) -> Reply:
    del call
    return Reply({"verifiable_password_authentication": False, "hooks": ["127.0.0.0/8"], "web": ["127.0.0.0/8"]})


def _installation(call: Call) -> Reply:
    return Reply(shapes.installation(call.store, _find_installation(call)))


def _repository_installation(call: Call) -> Reply:
    found = call.store.installation_of(call.repository)
    if found is None:
        raise missing()
    return Reply(shapes.installation(call.store, found))


def _create_token(call: Call) -> Reply:
    installation = _find_installation(call)
    value, token = auth.mint(call.store, installation, call.body)
    narrowed = "repositories" in call.body or "repository_ids" in call.body
    body: Shape = {
        "token": value,
        "expires_at": when(token.expires),
        "permissions": dict(token.permissions),
        "repository_selection": "selected",
    }
    if narrowed:
        repositories = [call.store.repository(name) for name in sorted(token.repositories)]
        body["repositories"] = [shapes.repository(call.store, one) for one in repositories]
    return Reply(body, 201)


def _accessible(call: Call) -> Reply:
    token = call.caller.token
    if token is None or token.kind is not Kind.INSTALLATION:
        raise RefusalError(403, "You must authenticate with an installation access token")
    repositories = [call.store.repository(name) for name in sorted(token.repositories)]
    return call.page(repositories, lambda one: shapes.repository(call.store, one), "repositories")


def _deliveries(call: Call) -> Reply:
    size = int(call.query.get("per_page", PER_PAGE))
    newest = sorted(call.store.hooks.log, key=lambda one: -one.id)
    if wanted := call.query.get("status"):
        newest = [one for one in newest if (200 <= one.status_code < 300) == (wanted == "success")]  # noqa: PLR2004 - HTTP
    if cursor := call.query.get("cursor"):
        if not cursor.isdecimal():
            raise RefusalError(400, "Invalid cursor")
        newest = [one for one in newest if one.id <= int(cursor)]
    shown, rest = newest[:size], newest[size:]
    links = {"Link": f'<{call.url}?per_page={size}&cursor={rest[0].id}>; rel="next"'} if rest else {}
    return Reply([shapes.hook_delivery(one) for one in shown], headers=links)


def _find_delivery(call: Call) -> HookDelivery:
    identity = call.number("delivery_id")
    found = next((one for one in call.store.hooks.log if one.id == identity), None)
    if found is None:
        raise missing()
    return found


def _delivery(call: Call) -> Reply:
    return Reply(shapes.hook_delivery(_find_delivery(call), whole=True))


def _redeliver(call: Call) -> Reply:
    call.store.hooks.redeliver(_find_delivery(call).id)
    return Reply({}, 202)


def _user(call: Call) -> Reply:
    try:
        return Reply(shapes.public_user(call.store, call.store.user(call.parameters["username"])))
    except MissingError:
        raise missing() from None


def _me(call: Call) -> Reply:
    if call.caller.kind is not Kind.USER:
        raise RefusalError(403, "Resource not accessible by integration")
    return Reply(shapes.public_user(call.store, call.actor.user))


def _rate_limit(call: Call) -> Reply:
    core = {"limit": HOURLY, "used": 0, "remaining": HOURLY, "reset": int(call.store.now().timestamp()) + 3600}
    search = core | {"limit": 30, "remaining": 30}
    return Reply({"resources": {"core": core, "search": search}, "rate": core})


HANDLERS: Mapping[str, Handler] = {
    "apps/get-authenticated": _app,
    "apps/list-installations": _installations,
    "apps/get-installation": _installation,
    "apps/suspend-installation": _suspend,
    "apps/unsuspend-installation": _unsuspend,
    "apps/delete-installation": _uninstall,
    "apps/revoke-installation-access-token": _revoke,
    "apps/get-by-slug": _by_slug,
    "apps/get-webhook-config-for-app": _hook_config,
    "apps/update-webhook-config-for-app": _set_hook_config,
    "apps/create-from-manifest": _convert_manifest,
    "meta/get": _meta,
    "apps/get-repo-installation": _repository_installation,
    "apps/create-installation-access-token": _create_token,
    "apps/list-repos-accessible-to-installation": _accessible,
    "apps/list-webhook-deliveries": _deliveries,
    "apps/get-webhook-delivery": _delivery,
    "apps/redeliver-webhook-delivery": _redeliver,
    "users/get-by-username": _user,
    "users/get-authenticated": _me,
    "rate-limit/get": _rate_limit,
}
