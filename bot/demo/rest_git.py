"""REST: the Git Data API, on the real objects."""

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from bot.demo import shapes_code
from bot.demo.accounts import Kind
from bot.demo.code_actions import move_branch, require_unprotected, signature
from bot.demo.git_store import OBJECT_ID, Person
from bot.demo.refusal import RefusalError, forbidden, missing
from bot.demo.rest_call import Call, Handler, Reply
from bot.demo.shapes import node_id

WORKFLOWS = ".github/workflows/"


def _ref_name(call: Call) -> str:
    return f"refs/{call.parameters['ref'].removeprefix('refs/')}"


def _reference(call: Call, name: str, status: int = 200) -> Reply:
    sha = call.repository.git.refs(name).get(name)
    if sha is None:
        raise missing()
    return Reply(shapes_code.reference(call.store, call.repository, name, sha), status)


def _get_ref(call: Call) -> Reply:
    return _reference(call, _ref_name(call))


def _matching_refs(call: Call) -> Reply:
    prefix = _ref_name(call)
    found = [(name, sha) for name, sha in call.repository.git.refs("refs/").items() if name.startswith(prefix)]
    return Reply([shapes_code.reference(call.store, call.repository, name, sha) for name, sha in found])


def _commit_id(call: Call) -> str:
    sha = str(call.body["sha"])
    if call.repository.git.type(sha) != "commit":
        raise RefusalError(422, "Object does not exist")
    return sha


def _create_ref(call: Call) -> Reply:
    name, sha = str(call.body["ref"]), _commit_id(call)
    if not name.startswith("refs/") or name.count("/") < 2:  # noqa: PLR2004 - refs/heads/name
        raise RefusalError(422, "Reference name must start with 'refs' and have at least two slashes.")
    if name in call.repository.git.refs(name):
        raise RefusalError(422, "Reference already exists")
    require_unprotected(call.repository, name)
    move_branch(call.store, call.repository, call.actor, name, sha)
    return _reference(call, name, 201)


def _update_ref(call: Call) -> Reply:
    git, name, sha = call.repository.git, _ref_name(call), _commit_id(call)
    old = git.refs(name).get(name)
    if old is None:
        raise RefusalError(422, "Reference does not exist")
    if not call.body.get("force") and not git.is_ancestor(old, sha):
        raise RefusalError(422, "Update is not a fast forward")
    require_unprotected(call.repository, name)
    move_branch(call.store, call.repository, call.actor, name, sha)
    return _reference(call, name)


def _delete_ref(call: Call) -> Reply:
    name = _ref_name(call)
    if name not in call.repository.git.refs(name):
        raise RefusalError(422, "Reference does not exist")
    require_unprotected(call.repository, name)
    move_branch(call.store, call.repository, call.actor, name, None)
    return Reply(status=204)


def _url(call: Call, kind: str, sha: str) -> str:
    return f"{call.store.api}/repos/{call.repository.full_name}/git/{kind}/{sha}"


def _create_blob(call: Call) -> Reply:
    content = str(call.body["content"]).encode()
    if call.body.get("encoding", "utf-8") == "base64":
        try:
            content = base64.b64decode(content, validate=False)
        except binascii.Error:
            raise RefusalError(422, "Content is not valid Base64") from None
    sha = call.repository.git.write_blob(content)
    return Reply({"sha": sha, "url": _url(call, "blobs", sha)}, 201)


def _get_blob(call: Call) -> Reply:
    git, sha = call.repository.git, call.parameters["file_sha"]
    if git.type(sha) != "blob":
        raise missing()
    content = git.blob(sha)
    if "raw" in call.accept:
        return Reply(raw=content, media_type="application/vnd.github.raw+json; charset=utf-8")
    body = {
        "sha": sha,
        "node_id": node_id("Blob", sha),
        "size": len(content),
        "url": _url(call, "blobs", sha),
        "content": base64.encodebytes(content).decode(),
        "encoding": "base64",
    }
    return Reply(body)


def _tree_body(call: Call, sha: str, *, recursive: bool) -> dict[str, Any]:
    entries = call.repository.git.entries(sha, recursive=recursive)
    shown = [shapes_code.tree_entry(call.store, call.repository, entry) for entry in entries]
    return {"sha": sha, "url": _url(call, "trees", sha), "tree": shown, "truncated": False}


def _get_tree(call: Call) -> Reply:
    sha = call.repository.git.resolve(call.parameters["tree_sha"], "tree")
    if sha is None:
        raise missing()
    # GitHub takes any value, 0 and false too, for a yes.
    return Reply(_tree_body(call, sha, recursive="recursive" in call.query))


def _create_tree(call: Call) -> Reply:
    git, base = call.repository.git, call.body.get("base_tree")
    if base is not None:
        base = git.resolve(str(base), "tree")
        if base is None:
            raise RefusalError(404, "Not Found")
    changes = [_tree_change(call, entry) for entry in call.body["tree"]]
    if not changes:
        raise RefusalError(422, "Invalid tree info")
    return Reply(_tree_body(call, git.write_tree(base, changes), recursive=False), 201)


def _tree_change(call: Call, entry: dict[str, Any]) -> tuple[str, str, str | None]:
    path, mode, sha = str(entry.get("path", "")), str(entry.get("mode", "")), entry.get("sha")
    parts = path.split("/")
    if not path or {"", ".", "..", ".git"} & set(parts):
        raise RefusalError(422, f"tree.path contains a malformed path component: {path}")
    if "content" in entry and "sha" in entry:
        raise RefusalError(422, "Must supply either tree.sha or tree.content, but not both")
    if "content" not in entry and "sha" not in entry:
        raise RefusalError(422, "Must supply either tree.sha or tree.content")
    by_app = call.caller.kind is Kind.INSTALLATION
    if path.startswith(WORKFLOWS) and by_app and call.caller.permissions().get("workflows") != "write":
        raise forbidden()
    if "content" in entry:
        sha = call.repository.git.write_blob(str(entry["content"]).encode())
    if sha is not None and mode != "160000" and call.repository.git.type(str(sha)) is None:
        raise RefusalError(422, f"tree.sha {sha} is not a valid object")
    return mode, path, sha


def _create_commit(call: Call) -> Reply:
    git, tree, parents = call.repository.git, str(call.body["tree"]), call.body.get("parents", [])
    if git.type(tree) != "tree":
        raise RefusalError(422, "Tree SHA does not exist")
    if any(git.type(parent) != "commit" for parent in parents):
        raise RefusalError(422, "Parent SHA does not exist or is not a commit object")
    author = _person(call, "author") or signature(call.store, call.actor.user)
    committer = _person(call, "committer") or author
    sha = git.write_commit(tree, parents, str(call.body["message"]), (author, committer))
    return Reply(shapes_code.git_commit(call.store, call.repository, git.commit(sha)), 201)


def _person(call: Call, role: str) -> Person | None:
    given = call.body.get(role)
    if not given:
        return None
    return Person(given["name"], given["email"], given.get("date") or call.store.now().isoformat())


def _get_commit(call: Call) -> Reply:
    sha = call.parameters["commit_sha"]
    if not OBJECT_ID.fullmatch(sha) or call.repository.git.type(sha) != "commit":
        raise missing()
    return Reply(shapes_code.git_commit(call.store, call.repository, call.repository.git.commit(sha)))


def _not_empty(handler: Handler) -> Handler:
    def guarded(call: Call) -> Reply:
        require_commits(call)
        return handler(call)

    return guarded


def require_commits(call: Call) -> None:
    """Refuse with 409 where nothing was ever pushed."""
    if not call.repository.git.refs("refs/"):
        raise RefusalError(409, "Git Repository is empty.")


_ON_OBJECTS: Mapping[str, Handler] = {
    "git/get-ref": _get_ref,
    "git/list-matching-refs": _matching_refs,
    "git/create-ref": _create_ref,
    "git/update-ref": _update_ref,
    "git/delete-ref": _delete_ref,
    "git/create-blob": _create_blob,
    "git/get-blob": _get_blob,
    "git/create-tree": _create_tree,
    "git/get-tree": _get_tree,
    "git/create-commit": _create_commit,
    "git/get-commit": _get_commit,
}
HANDLERS: Mapping[str, Handler] = {name: _not_empty(handler) for name, handler in _ON_OBJECTS.items()}
