"""REST: repositories, contents, commits, collaborators."""

import base64
from collections.abc import Mapping
from typing import Any

from bot.demo import fork_actions, shapes, shapes_code
from bot.demo.accounts import Kind, User
from bot.demo.git_store import Entry
from bot.demo.refusal import RefusalError, missing
from bot.demo.rest_call import Call, Handler, Reply
from bot.demo.rest_git import require_commits
from bot.demo.store import LEVELS, MissingError

LARGEST_INLINE = 1024 * 1024


def _get(call: Call) -> Reply:
    level = call.repository.level(call.actor.user) if call.caller.kind is Kind.USER else "read"
    return Reply(shapes.repository(call.store, call.repository, level))


def _collaborator(call: Call) -> Reply:
    login = call.parameters["username"].lower()
    known = {name.lower() for name in call.repository.collaborators} | {call.repository.owner.login.lower()}
    if login not in known:
        raise missing()
    return Reply(status=204)


def _collaborators(call: Call) -> Reply:
    people = [call.repository.owner, *(call.store.user(login) for login in call.repository.collaborators)]
    least = {"pull": "read", "push": "write"}.get(
        call.query.get("permission", "pull"), call.query.get("permission", "")
    )
    shown = [one for one in people if LEVELS.index(call.repository.level(one)) >= LEVELS.index(least)]
    return call.page(shown, lambda one: _person(call, one))


def _person(call: Call, who: User) -> dict[str, Any]:
    level = call.repository.level(who)
    return shapes.user(call.store, who) | {"permissions": shapes.rights(level), "role_name": level}


def _forks(call: Call) -> Reply:
    found = fork_actions.forks(call.store, call.repository)
    return call.page(found, lambda one: shapes.repository(call.store, one))


def _pulls_of_commit(call: Call) -> Reply:
    sha, git = call.parameters["commit_sha"], call.repository.git
    pulls = [(issue, issue.pull) for issue in call.repository.issues.values() if issue.pull]
    found = [pair for pair in pulls if sha in git.between(pair[1].base_sha, pair[1].head_sha)]
    return call.page(found, lambda pair: shapes_code.pull_simple(call.store, call.repository, *pair))


def _permission(call: Call) -> Reply:
    try:
        who = call.store.user(call.parameters["username"])
    except MissingError:
        raise missing() from None
    level = call.repository.level(who)
    # GitHub folds the two newer levels into the older ones, and tells them in `role_name`.
    permission = {"triage": "read", "maintain": "write"}.get(level, level)
    body = {"permission": permission, "role_name": level, "user": _person(call, who)}
    return Reply(body)


def _content(call: Call) -> Reply:
    git, path = call.repository.git, call.parameters["path"].strip("/")
    sha = git.resolve(call.query.get("ref", call.repository.default_branch))
    if not git.refs("refs/"):
        raise RefusalError(404, "This repository is empty.")
    if sha is None:
        raise RefusalError(404, f"No commit found for the ref {call.query.get('ref', '')}")
    if not path:
        return _directory(call, git.entries(sha), "")
    entry = next((one for one in git.entries(sha, path=path) if one.path == path), None)
    if entry is None:
        raise missing()
    if entry.type == "tree":
        return _directory(call, git.entries(entry.sha), f"{path}/")
    if "raw" in call.accept:
        return Reply(raw=git.blob(entry.sha), media_type="application/vnd.github.raw+json; charset=utf-8")
    return Reply(_file(call, entry))


def _directory(call: Call, entries: list[Entry], prefix: str) -> Reply:
    return Reply([_listed(call, entry, prefix + entry.path) for entry in entries])


def _listed(call: Call, entry: Entry, path: str) -> dict[str, Any]:
    ref = call.query.get("ref", call.repository.default_branch)
    base, web = f"{call.store.api}/repos/{call.repository.full_name}", f"{call.store.web}/{call.repository.full_name}"
    kind = {"tree": "dir", "commit": "submodule"}.get(entry.type, "symlink" if entry.mode == "120000" else "file")
    links = {
        "self": f"{base}/contents/{path}?ref={ref}",
        "git": f"{base}/git/{'trees' if kind == 'dir' else 'blobs'}/{entry.sha}",
        "html": f"{web}/{'tree' if kind == 'dir' else 'blob'}/{ref}/{path}",
    }
    return {
        "type": kind,
        "size": entry.size or 0,
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": entry.sha,
        "url": links["self"],
        "git_url": links["git"],
        "html_url": links["html"],
        "download_url": f"{web}/raw/{ref}/{path}" if kind == "file" else None,
        "_links": links,
    }


def _file(call: Call, entry: Entry) -> dict[str, Any]:
    shape = _listed(call, entry, entry.path)
    content = call.repository.git.blob(entry.sha) if entry.type == "blob" else b""
    if entry.mode == "120000":
        return shape | {"target": content.decode(errors="replace")}
    if entry.type == "commit":
        return shape | {"submodule_git_url": ""}
    # Above 1 MiB GitHub leaves the content out and says encoding none.
    if len(content) > LARGEST_INLINE:
        return shape | {"content": "", "encoding": "none"}
    return shape | {"content": base64.encodebytes(content).decode(), "encoding": "base64"}


def _commits(call: Call) -> Reply:
    require_commits(call)
    sha = call.repository.git.resolve(call.query.get("sha", call.repository.default_branch))
    if sha is None:
        raise missing()
    history = call.repository.git.history(sha)
    return call.page(history, lambda one: shapes_code.commit(call.store, call.repository, one))


def _commit(call: Call) -> Reply:
    git = call.repository.git
    sha = git.resolve(call.parameters["ref"])
    if sha is None:
        raise RefusalError(422, f"No commit found for SHA: {call.parameters['ref']}")
    parents = git.commit(sha).parents
    changes = git.changes(parents[0], sha) if parents else []
    return Reply(shapes_code.commit(call.store, call.repository, sha, changes))


def _compare(call: Call) -> Reply:
    git = call.repository.git
    left, _, right = call.parameters["basehead"].partition("...")
    base, head = git.resolve(left), git.resolve(right)
    common = git.merge_base(base, head) if base and head else None
    if base is None or head is None or common is None:
        raise missing()
    ahead, behind = git.between(base, head), git.between(head, base)
    changes = git.changes(common, head)
    if "diff" in call.accept:
        return Reply(raw=git.diff(common, head).encode(), media_type="application/vnd.github.diff; charset=utf-8")
    status = "diverged" if ahead and behind else "ahead" if ahead else "behind" if behind else "identical"
    web = f"{call.store.web}/{call.repository.full_name}/compare/{left}...{right}"
    body = {
        "url": call.url,
        "html_url": web,
        "permalink_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        "base_commit": shapes_code.commit(call.store, call.repository, base),
        "merge_base_commit": shapes_code.commit(call.store, call.repository, common),
        "status": status,
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(ahead),
        "commits": [shapes_code.commit(call.store, call.repository, sha) for sha in ahead],
        "files": [shapes_code.file_change(call.store, call.repository, head, one) for one in changes],
    }
    return Reply(body)


HANDLERS: Mapping[str, Handler] = {
    "repos/get": _get,
    "repos/get-collaborator-permission-level": _permission,
    "repos/check-collaborator": _collaborator,
    "repos/list-collaborators": _collaborators,
    "repos/list-forks": _forks,
    "repos/list-pull-requests-associated-with-commit": _pulls_of_commit,
    "repos/get-content": _content,
    "repos/list-commits": _commits,
    "repos/get-commit": _commit,
    "repos/compare-commits-with-basehead": _compare,
}
