"""Pages for people: repositories, issues, pull requests, checks, deliveries. Whoever looks picks whom to act as."""

from collections.abc import Callable
from importlib import resources
from typing import Any
from urllib.parse import parse_qsl

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from bot.demo import actions
from bot.demo.actions import Actor
from bot.demo.page_views import Views
from bot.demo.records import Issue, Repository
from bot.demo.refusal import RefusalError
from bot.demo.state import State
from bot.demo.store import LEVELS, MissingError

COOKIE = "acting_as"
LARGEST_FORM = 512 * 1024
POLICY = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
STATIC = {"style.css": "text/css", "page.js": "text/javascript"}
Form = dict[str, str]


class Pages:
    """The pages over one state."""

    def __init__(self, state: State) -> None:
        """Load the templates."""
        self._state = state
        self._views = Views(state)
        loader = PackageLoader("bot.demo", "templates")
        self._templates = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)

    def routes(self) -> list[Route]:
        """All of them; those of git must come first."""
        show, act = self._show, self._act
        place = "/{owner}/{repo}"
        return [
            Route("/", show(self._home)),
            Route("/_static/{name}", _static),
            Route("/_as", act(self._act_as), methods=["POST"]),
            Route("/_deliveries", show(self._deliveries)),
            Route("/_deliveries/{id:int}", act(self._redeliver), methods=["POST"]),
            Route(place, show(self._issues)),
            Route(f"{place}/issues", show(self._issues)),
            Route(f"{place}/issues", act(self._open_issue), methods=["POST"]),
            Route(f"{place}/issues/new", show(self._new_issue)),
            Route(f"{place}/pulls", show(self._pulls)),
            Route(f"{place}/issues/{{number:int}}", show(self._issue)),
            Route(f"{place}/pull/{{number:int}}", show(self._issue)),
            Route(f"{place}/issues/{{number:int}}/labels", act(self._toggle_label), methods=["POST"]),
            Route(f"{place}/issues/{{number:int}}/comments", act(self._comment), methods=["POST"]),
            Route(f"{place}/issues/{{number:int}}/state", act(self._change_state), methods=["POST"]),
            Route(f"{place}/commit/{{sha}}", show(self._commit)),
            Route(f"{place}/runs/{{run:int}}", show(self._run)),
            Route(f"{place}/actions/runs/{{suite:int}}/job/{{run:int}}", show(self._run)),
        ]

    def _show(self, view: Callable[[Request], tuple[str, dict[str, Any]]]) -> Callable[[Request], Any]:
        def render(request: Request) -> Response:
            with self._state.lock:
                name, context = view(request)
                whole = self._frame(request) | context
                return HTMLResponse(self._templates.get_template(name).render(whole))

        async def endpoint(request: Request) -> Response:
            return await self._guarded(request, render, request)

        return endpoint

    def _act(self, action: Callable[[Request, Form], str]) -> Callable[[Request], Any]:
        def perform(request: Request, form: Form) -> Response:
            with self._state.lock:
                response = RedirectResponse(action(request, form), 303)
            if request.url.path == "/_as":
                response.set_cookie(COOKIE, form.get("login", ""), httponly=True, samesite="strict")
            return response

        async def endpoint(request: Request) -> Response:
            # Another site's page may make a browser post here, but not with this origin.
            if request.headers.get("origin") != f"http://{request.headers.get('host', '')}":
                return PlainTextResponse("This form must be sent from the stand-in's own page.", 403)
            body = await request.body()
            if len(body) > LARGEST_FORM:
                return PlainTextResponse("too large", 413)
            form = dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True))
            return await self._guarded(request, perform, request, form)

        return endpoint

    async def _guarded(self, request: Request, work: Callable[..., Response], *arguments: Any) -> Response:
        # A foreign name that resolves to this machine must not read its pages.
        if request.url.hostname not in {"127.0.0.1", "localhost"}:
            return PlainTextResponse("Use the stand-in's own address.", 421)
        try:
            response = await run_in_threadpool(work, *arguments)
        except MissingError as error:
            response = PlainTextResponse(str(error), 404)
        except RefusalError as error:
            response = PlainTextResponse(f"{error.message} {error.errors or ''}", error.status)
        response.headers["Content-Security-Policy"] = POLICY
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "same-origin"
        return response

    def _frame(self, request: Request) -> dict[str, Any]:
        people = [one.login for one in self._state.users.values() if one.kind == "User"]
        return {
            "people": people,
            "acting": self._actor(request).user.login,
            "here": request.url.path,
            "repository": None,
            "app": self._state.app.slug,
        }

    def _actor(self, request: Request) -> Actor:
        login = request.cookies.get(COOKIE, "")
        people = [one for one in self._state.users.values() if one.kind == "User"]
        first = next((one.owner for one in self._state.repositories.values()), people[0])
        return Actor(next((one for one in people if one.login == login), first))

    def _repository(self, request: Request) -> Repository:
        place = request.path_params
        found = self._state.repository(f"{place['owner']}/{place['repo']}")
        if found.level(self._actor(request).user) == "none":
            raise MissingError(f"There is no repository {found.full_name}")
        return found

    def _found(self, request: Request) -> tuple[Repository, Issue]:
        repository = self._repository(request)
        return repository, self._state.issue(repository, request.path_params["number"])

    def _may_triage(self, request: Request, repository: Repository) -> bool:
        return LEVELS.index(repository.level(self._actor(request).user)) >= LEVELS.index("triage")

    def _demand_triage(self, request: Request, repository: Repository) -> None:
        if not self._may_triage(request, repository):
            raise RefusalError(403, f"{self._actor(request).user.login} may not do this in {repository.full_name}.")

    def _home(self, _request: Request) -> tuple[str, dict[str, Any]]:
        return "home.html", {"repositories": [self._views.repository(one) for one in self._state.repositories.values()]}

    def _issues(self, request: Request) -> tuple[str, dict[str, Any]]:
        return self._list(request, pulls=False)

    def _pulls(self, request: Request) -> tuple[str, dict[str, Any]]:
        return self._list(request, pulls=True)

    def _list(self, request: Request, *, pulls: bool) -> tuple[str, dict[str, Any]]:
        repository = self._repository(request)
        wanted = "closed" if request.query_params.get("state") == "closed" else "open"
        all_of_kind = [one for one in repository.issues.values() if bool(one.pull) == pulls]
        shown = [self._views.row(repository, one) for one in reversed(all_of_kind) if one.state == wanted]
        counts = {state: sum(one.state == state for one in all_of_kind) for state in ("open", "closed")}
        context = {"rows": shown, "wanted": wanted, "counts": counts, "pulls": pulls}
        return "list.html", {"repository": self._views.repository(repository)} | context

    def _new_issue(self, request: Request) -> tuple[str, dict[str, Any]]:
        return "new_issue.html", {"repository": self._views.repository(self._repository(request))}

    def _issue(self, request: Request) -> tuple[str, dict[str, Any]]:
        repository, issue = self._found(request)
        context = {
            "repository": self._views.repository(repository),
            "issue": self._views.issue(repository, issue),
            "pull": self._views.pull(repository, issue),
            "may_triage": self._may_triage(request, repository),
        }
        return "issue.html", context

    def _commit(self, request: Request) -> tuple[str, dict[str, Any]]:
        repository = self._repository(request)
        context = {"commit": self._views.commit(repository, request.path_params["sha"])}
        return "commit.html", {"repository": self._views.repository(repository)} | context

    def _run(self, request: Request) -> tuple[str, dict[str, Any]]:
        repository = self._repository(request)
        run = repository.runs.get(request.path_params["run"])
        if run is None:
            raise MissingError("There is no such check run")
        return "run.html", {"repository": self._views.repository(repository), "run": self._views.run(repository, run)}

    def _deliveries(self, _request: Request) -> tuple[str, dict[str, Any]]:
        hooks = self._state.hooks
        return "deliveries.html", {
            "deliveries": hooks.log[::-1][:100],
            "pending": list(hooks.pending),
            "url": hooks.url,
        }

    def _act_as(self, _request: Request, form: Form) -> str:
        self._state.user(form.get("login", ""))
        back = form.get("back", "/")
        return back if back.startswith("/") and not back.startswith(("//", "/\\")) else "/"

    def _redeliver(self, request: Request, _form: Form) -> str:
        try:
            self._state.hooks.redeliver(request.path_params["id"])
        except KeyError:
            raise MissingError("There is no such delivery") from None
        return "/_deliveries"

    def _open_issue(self, request: Request, form: Form) -> str:
        repository = self._repository(request)
        actor, body = self._actor(request), form.get("body", "").replace("\r\n", "\n")
        issue = actions.open_issue(self._state, repository, actor, form.get("title", ""), body)
        return self._views.address(repository, issue)

    def _toggle_label(self, request: Request, form: Form) -> str:
        repository, issue = self._found(request)
        self._demand_triage(request, repository)
        name = form.get("name", "").strip()
        actor = self._actor(request)
        if name and name in issue.labels:
            actions.remove_label(self._state, repository, issue, actor, name)
        elif name:
            actions.add_labels(self._state, repository, issue, actor, [name[:50]])
        return self._views.address(repository, issue)

    def _comment(self, request: Request, form: Form) -> str:
        repository, issue = self._found(request)
        body = form.get("body", "").replace("\r\n", "\n")
        actions.add_comment(self._state, repository, issue, self._actor(request), body)
        return self._views.address(repository, issue)

    def _change_state(self, request: Request, form: Form) -> str:
        repository, issue = self._found(request)
        self._demand_triage(request, repository)
        wanted = "open" if form.get("state") == "open" else "closed"
        actions.edit_issue(self._state, repository, issue, self._actor(request), {"state": wanted})
        return self._views.address(repository, issue)


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        return PlainTextResponse("Not found", 404)
    content = resources.files("bot.demo").joinpath("templates", name).read_text()
    return Response(content, media_type=STATIC[name])
