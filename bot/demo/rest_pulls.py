"""REST: pull requests."""

from collections.abc import Mapping
from typing import Any

from bot.demo import actions, code_actions, shapes_code
from bot.demo.records import Issue
from bot.demo.refusal import invalid, missing
from bot.demo.rest_call import Call, Handler, Reply


def _full(call: Call, issue: Issue) -> Any:
    if issue.pull is None:
        raise missing()
    return shapes_code.pull_full(call.store, call.repository, issue, issue.pull)


def _create(call: Call) -> Reply:
    if "title" not in call.body:
        raise invalid("PullRequest", "title", "title is required", "missing_field")
    new = code_actions.NewPull(
        head=call.body["head"],
        base=call.body["base"],
        title=call.body["title"],
        body=call.body.get("body"),
        draft=bool(call.body.get("draft")),
    )
    return Reply(_full(call, code_actions.open_pull(call.store, call.repository, call.actor, new)), 201)


def _get(call: Call) -> Reply:
    issue = call.pull
    if "diff" in call.accept and issue.pull:
        git = call.repository.git
        base = git.merge_base(issue.pull.base_sha, issue.pull.head_sha) or issue.pull.base_sha
        diff = git.diff(base, issue.pull.head_sha).encode()
        return Reply(raw=diff, media_type="application/vnd.github.diff; charset=utf-8")
    return Reply(_full(call, issue))


def _update(call: Call) -> Reply:
    issue, base = call.pull, call.body.get("base")
    if base is not None and issue.pull is not None:
        sha = call.repository.git.refs().get(f"refs/heads/{base}")
        if sha is None:
            raise invalid("PullRequest", "base", "base is invalid", "invalid")
        issue.pull.base, issue.pull.base_sha = base, sha
    actions.edit_issue(call.store, call.repository, issue, call.actor, call.body)
    return Reply(_full(call, issue))


def _list(call: Call) -> Reply:
    state, head, base = (call.query.get(key, "") for key in ("state", "head", "base"))
    owner = call.repository.owner.login
    found = [
        (issue, issue.pull)
        for issue in call.repository.issues.values()
        if issue.pull
        and (state or "open") in {"all", issue.state}
        and head in {"", f"{issue.pull.fork.partition('/')[0] or owner}:{issue.pull.head}"}
        and base in {"", issue.pull.base}
    ]
    newest_first = call.query.get("direction", "desc") == "desc"
    by_update = call.query.get("sort") == "updated"
    found.sort(key=lambda pair: (pair[0].updated if by_update else pair[0].created, pair[0].number))
    if newest_first:
        found.reverse()
    return call.page(found, lambda pair: shapes_code.pull_simple(call.store, call.repository, *pair))


def _range(call: Call) -> tuple[str, str]:
    pull = call.pull.pull
    if pull is None:
        raise missing()
    return call.repository.git.merge_base(pull.base_sha, pull.head_sha) or pull.base_sha, pull.head_sha


def _files(call: Call) -> Reply:
    base, head = _range(call)
    changes = call.repository.git.changes(base, head)
    return call.page(changes, lambda one: shapes_code.file_change(call.store, call.repository, head, one))


def _commits(call: Call) -> Reply:
    shas = call.repository.git.between(*_range(call))
    return call.page(shas, lambda sha: shapes_code.commit(call.store, call.repository, sha))


HANDLERS: Mapping[str, Handler] = {
    "pulls/create": _create,
    "pulls/get": _get,
    "pulls/update": _update,
    "pulls/list": _list,
    "pulls/list-files": _files,
    "pulls/list-commits": _commits,
}
