"""Records → GitHub's JSON: people, Apps, repositories, issues, comments, deliveries."""

import base64
import json
from datetime import UTC, datetime
from functools import cache
from typing import Any
from urllib.parse import quote

from bot.demo import spec
from bot.demo.accounts import App, Installation, User
from bot.demo.records import Comment, Issue, Label, Reaction, Repository
from bot.demo.store import LEVELS, Store
from bot.demo.webhooks import HookDelivery

Shape = dict[str, Any]
EMOJI = ("+1", "-1", "laugh", "confused", "heart", "hooray", "eyes", "rocket")


def when(moment: datetime | None) -> str | None:
    """A time as GitHub writes it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def node_id(kind: str, identity: object) -> str:
    """An opaque global id."""
    return base64.b64encode(f"{kind}:{identity}".encode()).decode()


def user(store: Store, who: User) -> Shape:
    """A simple-user."""
    api = f"{store.api}/users/{quote(who.login)}"
    page = f"apps/{who.login.removesuffix('[bot]')}" if who.kind == "Bot" else who.login
    below = {
        "followers_url": "followers",
        "following_url": "following{/other_user}",
        "gists_url": "gists{/gist_id}",
        "starred_url": "starred{/owner}{/repo}",
        "subscriptions_url": "subscriptions",
        "organizations_url": "orgs",
        "repos_url": "repos",
        "events_url": "events{/privacy}",
        "received_events_url": "received_events",
    }
    return {
        "login": who.login,
        "id": who.id,
        "node_id": node_id("User", who.id),
        "avatar_url": f"{store.web}/avatars/{who.id}",
        "gravatar_id": "",
        "url": api,
        "html_url": f"{store.web}/{page}",
        "type": who.kind,
        "site_admin": False,
        **{key: f"{api}/{path}" for key, path in below.items()},
    }


def public_user(store: Store, who: User) -> Shape:
    """A public-user."""
    since = when(store.app.created)
    empty = dict.fromkeys(("name", "company", "location", "email", "hireable", "bio"))
    counts = dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0)
    return user(store, who) | empty | counts | {"blog": "", "created_at": since, "updated_at": since}


def app(store: Store, one: App) -> Shape:
    """An integration."""
    return {
        "id": one.id,
        "slug": one.slug,
        "node_id": node_id("Integration", one.id),
        "owner": user(store, one.owner),
        "name": one.name,
        "description": "",
        "external_url": f"{store.web}/apps/{one.slug}",
        "html_url": f"{store.web}/apps/{one.slug}",
        "created_at": when(one.created),
        "updated_at": when(one.created),
        "permissions": one.permissions,
        "events": list(one.events),
    }


def installation(store: Store, one: Installation) -> Shape:
    """An installation."""
    return {
        "id": one.id,
        "account": user(store, one.account),
        "repository_selection": "selected",
        "access_tokens_url": f"{store.api}/app/installations/{one.id}/access_tokens",
        "repositories_url": f"{store.api}/installation/repositories",
        "html_url": f"{store.web}/settings/installations/{one.id}",
        "app_id": store.app.id,
        "app_slug": store.app.slug,
        "target_id": one.account.id,
        "target_type": one.account.kind,
        "permissions": one.permissions,
        "events": list(store.app.events),
        "created_at": when(one.created),
        "updated_at": when(one.created),
        "single_file_name": None,
        "suspended_at": when(one.suspended),
        "suspended_by": user(store, one.suspended_by) if one.suspended_by else None,
    }


@cache
def _repository_example() -> str:
    example = spec.load().example("full-repository-default-response")
    for key in ("template_repository", "parent", "source", "organization", "security_and_analysis", "license"):
        example.pop(key, None)
    return json.dumps(example)


def repository(store: Store, one: Repository, level: str = "read") -> Shape:
    """A full-repository, made from GitHub's example; `level` is the caller's."""
    text = _repository_example().replace("octocat/Hello-World", one.full_name)
    text = text.replace("https://api.github.com", store.api).replace("https://github.com", store.web)
    open_issues = sum(issue.state == "open" for issue in one.issues.values())
    counts = dict.fromkeys(
        (
            "forks",
            "forks_count",
            "stargazers_count",
            "watchers",
            "watchers_count",
            "network_count",
            "subscribers_count",
        ),
        0,
    )
    changed: Shape = json.loads(text)
    return (
        changed
        | counts
        | {
            "id": one.id,
            "node_id": node_id("Repository", one.id),
            "name": one.name,
            "owner": user(store, one.owner),
            "private": one.private,
            "visibility": "private" if one.private else "public",
            "description": one.description or None,
            "default_branch": one.default_branch,
            "archived": one.archived,
            "disabled": False,
            "fork": bool(one.source),
            "license": None,
            "homepage": None,
            "mirror_url": None,
            "language": "Python",
            "topics": [],
            "open_issues": open_issues,
            "open_issues_count": open_issues,
            "created_at": when(one.created),
            "updated_at": when(one.created),
            "pushed_at": when(one.created),
            "permissions": rights(level),
        }
    )


def rights(level: str) -> dict[str, bool]:
    """What a level allows, in the words of a repository's `permissions`."""
    names = ("pull", "triage", "push", "maintain", "admin")
    return {name: LEVELS.index(level) > at for at, name in enumerate(names)}


def label(store: Store, one: Repository, what: Label) -> Shape:
    """A label."""
    return {
        "id": what.id,
        "node_id": node_id("Label", what.id),
        "url": f"{store.api}/repos/{one.full_name}/labels/{quote(what.name)}",
        "name": what.name,
        "color": what.color,
        "default": False,
        "description": what.description,
    }


def reaction(store: Store, one: Reaction) -> Shape:
    """A reaction."""
    return {
        "id": one.id,
        "node_id": node_id("Reaction", one.id),
        "user": user(store, one.user),
        "content": one.content,
        "created_at": when(one.created),
    }


def reactions(url: str, given: list[Reaction]) -> Shape:
    """A reaction rollup."""
    counted = {name: sum(one.content == name for one in given) for name in EMOJI}
    return {"url": f"{url}/reactions", "total_count": len(given), **counted}


def association(one: Repository, who: User) -> str:
    """The author association, which shows a collaborator but never the level."""
    if who.login == one.owner.login:
        return "OWNER"
    return "COLLABORATOR" if one.level(who) not in {"none", "read"} else "NONE"


def issue(store: Store, one: Repository, what: Issue) -> Shape:
    """An issue; a pull request shows as one too, with `pull_request`."""
    base = f"{store.api}/repos/{one.full_name}"
    url = f"{base}/issues/{what.number}"
    shape: Shape = {
        "id": what.id,
        "node_id": node_id("Issue", what.id),
        "url": url,
        "repository_url": base,
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": html_url(store, one, what),
        "number": what.number,
        "state": what.state,
        "state_reason": what.state_reason,
        "title": what.title,
        "body": what.body,
        "user": user(store, what.author),
        "labels": [label(store, one, one.labels[name.lower()]) for name in what.labels],
        "assignee": user(store, store.user(what.assignees[0])) if what.assignees else None,
        "assignees": [user(store, store.user(login)) for login in what.assignees],
        "milestone": None,
        "locked": False,
        "active_lock_reason": None,
        "comments": len(what.comments),
        "closed_at": when(what.closed),
        "created_at": when(what.created),
        "updated_at": when(what.updated),
        "author_association": association(one, what.author),
        "performed_via_github_app": app(store, store.app) if what.via_app else None,
        "reactions": reactions(url, what.reactions),
    }
    if what.pull:
        pull = f"{base}/pulls/{what.number}"
        web = html_url(store, one, what)
        urls = {"url": pull, "html_url": web, "diff_url": f"{web}.diff", "patch_url": f"{web}.patch"}
        shape |= {"draft": what.pull.draft, "pull_request": urls | {"merged_at": when(what.pull.merged)}}
    return shape


def html_url(store: Store, one: Repository, what: Issue) -> str:
    """The page of an issue or pull request."""
    return f"{store.web}/{one.full_name}/{'pull' if what.pull else 'issues'}/{what.number}"


def comment(store: Store, one: Repository, what: Comment) -> Shape:
    """An issue comment."""
    base = f"{store.api}/repos/{one.full_name}/issues"
    url = f"{base}/comments/{what.id}"
    return {
        "id": what.id,
        "node_id": node_id("IssueComment", what.id),
        "url": url,
        "html_url": f"{html_url(store, one, one.issues[what.issue])}#issuecomment-{what.id}",
        "issue_url": f"{base}/{what.issue}",
        "body": what.body,
        "user": user(store, what.author),
        "created_at": when(what.created),
        "updated_at": when(what.updated),
        "author_association": association(one, what.author),
        "performed_via_github_app": app(store, store.app) if what.via_app else None,
        "reactions": reactions(url, what.reactions),
    }


def hook_delivery(one: HookDelivery, *, whole: bool = False) -> Shape:
    """A delivery of the log, with request and response when `whole`."""
    shape: Shape = {
        "id": one.id,
        "guid": one.guid,
        "delivered_at": when(one.delivered_at),
        "redelivery": one.redelivery,
        "duration": one.duration,
        "status": one.status,
        "status_code": one.status_code,
        "event": one.event,
        "action": one.action or None,
        "installation_id": one.installation_id,
        "repository_id": one.repository_id or None,
        "throttled_at": None,
    }
    if whole:
        shape["request"] = {"headers": one.request_headers, "payload": json.loads(one.body)}
        shape["response"] = {"headers": one.response_headers, "payload": one.response_body}
    return shape
