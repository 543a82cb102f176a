"""Commits through the Git Data API: blobs, tree, commit, ref; no working copy, and GitHub signs as the App.

Source: https://docs.github.com/rest/git
"""

import base64

from github import GithubException, InputGitTreeElement
from github.GitCommit import GitCommit
from github.GitTree import GitTree

from bot.adapters.github.session import CODE, COMMIT, Session
from bot.errors import BranchTakenError, GitHubError, NotFoundError
from bot.pipeline.ports.github import NewCommit
from bot.repair.types import FileChange

NEW_FILE = "100644"
SUBMODULE = "160000"
EMPTY = 409
"""The status for everything below `git/` in a repository without a commit."""


def branch_head(session: Session, branch: str) -> str | None:
    """The commit that a branch points to, `None` where there is no such branch."""
    repository = session.repository(CODE)

    def found() -> str | None:
        try:
            return repository.get_git_ref(f"heads/{branch}").object.sha
        except GithubException as error:
            if error.status == EMPTY:
                return None
            raise

    try:
        return session.read(f"looking up the branch {branch}", found)
    except NotFoundError:
        return None


def commit(session: Session, new: NewCommit) -> str:
    """Make the commit and point the branch at it, see `bot.pipeline.ports.github.GitHub.commit`."""
    head = branch_head(session, new.branch)
    if head is None:
        return _point(session, new.branch, make(session, new))
    if not made(session, head, new):
        raise _taken(new.branch)
    return head


def make(session: Session, new: NewCommit) -> str:
    """Make the commit, to which no branch points yet, and return its id."""
    repository = session.repository(COMMIT)
    parent = session.read("reading the parent commit", lambda: repository.get_git_commit(new.parent))
    tree = _tree(session, parent, new.patch.changes)
    return session.write("making the commit", lambda: repository.create_git_commit(new.message, tree, [parent])).sha


def made(session: Session, head: str, new: NewCommit) -> bool:
    """Whether this commit is the new one, by parent, message and tree: an earlier try made it."""
    repository = session.repository(COMMIT)
    there = session.read("reading the branch", lambda: repository.get_git_commit(head))
    # a message is sent without the secrets that are known then
    if [p.sha for p in there.parents] != [new.parent] or session.sent(there.message) != session.sent(new.message):
        return False
    parent = session.read("reading the parent commit", lambda: repository.get_git_commit(new.parent))
    return there.tree.sha == _tree(session, parent, new.patch.changes).sha


def _taken(branch: str) -> GitHubError:
    return BranchTakenError(
        f"The branch {branch} already holds other commits", "Delete or rename the branch if nobody needs it any more."
    )


def _tree(session: Session, parent: GitCommit, changes: tuple[FileChange, ...]) -> GitTree:
    modes = _Modes(session, parent.tree.sha)
    elements = [e for e in (_element(session, modes, change) for change in changes) if e is not None]
    repository = session.repository(COMMIT)
    tree = session.write("writing the tree", lambda: repository.create_git_tree(elements, parent.tree))
    if tree.sha == parent.tree.sha:
        raise GitHubError("The patch changes nothing against its parent", "There is nothing to publish.")
    return tree


def _element(session: Session, modes: "_Modes", change: FileChange) -> InputGitTreeElement | None:
    mode = modes.of(change.path)
    if mode == SUBMODULE:
        raise GitHubError(f"{change.path} is a submodule", "Changes inside submodules belong to their own repository.")
    if change.content is None:
        return InputGitTreeElement(change.path, mode, "blob", sha=None) if mode else None
    content = base64.b64encode(change.content).decode()
    repository = session.repository(COMMIT)
    # A blob is named by its content: writing it again makes nothing twice.
    blob = session.write("writing a file", lambda: repository.create_git_blob(content, "base64"))
    return InputGitTreeElement(change.path, mode or NEW_FILE, "blob", sha=blob.sha)


def _point(session: Session, branch: str, sha: str) -> str:
    def made() -> str | None:
        return sha if branch_head(session, branch) == sha else None

    repository = session.repository(COMMIT)
    doing = f"making the branch {branch}"
    try:
        return session.write(doing, lambda: repository.create_git_ref(f"refs/heads/{branch}", sha).object.sha, made)
    except GitHubError as error:
        # 422, the only plain refusal here, also means that the branch appeared meanwhile.
        if type(error) is not GitHubError:
            raise
        there = branch_head(session, branch)
        if there == sha:
            return sha
        # Else another branch's name is the beginning of this one's, or the other way round, or a rule forbids it.
        raise (_taken(branch) if there else BranchTakenError(error.cause, error.remedy)) from None


class _Modes:
    """File modes of a tree, one request a directory: a recursive listing is cut short for large repositories."""

    def __init__(self, session: Session, root: str) -> None:
        self._session = session
        self._root = root
        self._read: dict[str, dict[str, tuple[str, str]]] = {}

    def of(self, path: str) -> str | None:
        """The mode of the entry at `path`, `None` where there is none."""
        tree, mode = self._root, "040000"
        for name in path.split("/"):
            if mode != "040000":
                raise GitHubError(f"{path} leads through something that is no directory", "Refuse such a patch.")
            entry = self._entries(tree).get(name)
            if entry is None:
                return None
            mode, tree = entry
        return mode

    def _entries(self, sha: str) -> dict[str, tuple[str, str]]:
        if sha not in self._read:
            repository = self._session.repository(CODE)
            tree = self._session.read("reading the tree", lambda: repository.get_git_tree(sha))
            self._read[sha] = {element.path: (element.mode, element.sha) for element in tree.tree}
        return self._read[sha]
