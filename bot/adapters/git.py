"""`Sources` and `Trees` over bare mirrors: one a repository, never a checkout, the token in the environment only."""

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from pydantic import SecretStr

from bot.adapters.git_process import Bounds, GitProcess, with_token
from bot.adapters.git_tree import read_tree
from bot.errors import BranchMissingError, FetchError, NoRoomError
from sandbox.directories import make_private
from sandbox.spec import Tree

COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+")
GONE = ("not our ref", "couldn't find remote ref", "does not point to a valid object")
NOT_SERVED = ("does not allow request for unadvertised object", "unadvertised object")
BROKEN = (
    "not a git repository",
    "bad config",
    "object file is empty",
    "is corrupt",
    "bad object",
    "unresolved deltas left",
)
FULL = ("no space left on device", "disk quota exceeded")


class MirrorSources:
    """Mirrors below `directory`. Processes and threads take turns at a mirror through a lock file beside it.

    `url_for` and `token_for` take owner/name; an empty token sends none.
    """

    def __init__(
        self,
        directory: Path,
        url_for: Callable[[str], str],
        token_for: Callable[[str], SecretStr],
        bounds: Bounds = Bounds(),  # noqa: B008 - frozen
    ) -> None:
        """Touch nothing yet."""
        self._directory = directory
        self._url_for = url_for
        self._token_for = token_for
        self._bounds = bounds

    def fetch(self, repository: str, commit: str) -> None:
        """Make the commit readable here, without its history. A mirror that a crash left broken is made anew.

        Raises `BranchMissingError` when the commit is gone there, `FetchError`, `NoRoomError`.
        """
        mirror = self._mirror(repository, commit)
        try:
            make_private(mirror.parent)
            with _locked(mirror.with_suffix(".lock")):
                self._bring(repository, commit, mirror)
        except OSError as error:
            raise failure(repository, f"{error.strerror}") from None

    def tree(self, repository: str, commit: str) -> Tree:
        """Every file of the commit as stored; see `bot.pipeline.ports.job.Trees`.

        Fetched where it is not here: a job that another machine began does not come through its recorded fetch again.
        """
        self.fetch(repository, commit)
        try:
            return read_tree(GitProcess(self._mirror(repository, commit), self._bounds), commit)
        except OSError as error:
            raise failure(repository, f"{error.strerror}") from None

    def _bring(self, repository: str, commit: str, mirror: Path) -> None:
        if self._holds(mirror, commit):
            return
        _sweep(mirror)
        said = self._fetch(repository, commit, mirror)
        if said and any(words in said.lower() for words in BROKEN):
            shutil.rmtree(mirror, ignore_errors=True)
            said = self._fetch(repository, commit, mirror)
        if said:
            raise failure(repository, said)
        if not self._holds(mirror, commit):
            raise BranchMissingError(
                f"The commit {commit} is no longer in {repository}", "Its branch was deleted or pushed over meanwhile."
            )

    def _fetch(self, repository: str, commit: str, mirror: Path) -> str:
        """What git said, when it failed."""
        if not (mirror / "HEAD").is_file():
            _create(mirror, self._bounds)
        url = self._url_for(repository)
        git = with_token(GitProcess(mirror, self._bounds), url, self._token_for(repository))
        command = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--force")
        said = git.run(*command, "--depth=1", "--", url, f"{commit}:refs/regreen/{commit}")
        if said and any(words in said.lower() for words in NOT_SERVED):
            # Some servers hand out the tips of branches only.
            said = git.run(*command, "--", url, "+refs/heads/*:refs/heads/*")
        return said

    def _holds(self, mirror: Path, commit: str) -> bool:
        if not (mirror / "HEAD").is_file():
            return False
        # The whole commit, not its header alone: a fetch that was killed may have left a part.
        git = GitProcess(mirror, self._bounds)
        return not git.run("rev-list", "--quiet", "--objects", "--max-count=1", commit)

    def _mirror(self, repository: str, commit: str) -> Path:
        if not REPOSITORY.fullmatch(repository) or ".." in repository:
            raise FetchError(f"{repository!r} is no repository name", "Use owner/name.")
        if not COMMIT.fullmatch(commit):
            raise FetchError(f"{commit!r} is no full commit id", "Name commits by their 40 hexadecimal digits.")
        return self._directory / f"{repository.lower().replace('/', '+')}.git"


def _create(mirror: Path, bounds: Bounds) -> None:
    """Made beside and renamed, so that a mirror is there whole or not at all."""
    shutil.rmtree(mirror, ignore_errors=True)
    for left in mirror.parent.glob(f"{mirror.name}.new-*"):
        shutil.rmtree(left, ignore_errors=True)
    new = Path(tempfile.mkdtemp(prefix=f"{mirror.name}.new-", dir=mirror.parent))
    said = GitProcess(new, bounds).run("init", "--quiet", "--bare", "--template=")
    if said:
        raise failure(mirror.name, said)
    new.rename(mirror)


def _sweep(mirror: Path) -> None:
    """Take away what a killed git left; nobody else is at work, since we hold the mirror's lock."""
    for lock in [*mirror.glob("*.lock"), *mirror.glob("refs/**/*.lock")]:
        lock.unlink(missing_ok=True)
    for part in [*mirror.glob("objects/pack/tmp_*"), *mirror.glob("objects/**/tmp_obj_*")]:
        part.unlink(missing_ok=True)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def failure(repository: str, said: str) -> FetchError | NoRoomError:
    """The error for what git said."""
    low = said.lower()
    if any(words in low for words in FULL):
        return NoRoomError(f"The disk has no room for the mirror of {repository}", "Free space in the data directory.")
    if any(words in low for words in GONE):
        return BranchMissingError(
            f"{repository} no longer has the commit: {said}", "Its branch was deleted or pushed over meanwhile."
        )
    if "authentication failed" in low or "could not read username" in low or "403" in low:
        return FetchError(f"{repository} may not be read: {said}", "Grant the App the permission contents: read.")
    if "not found" in low:
        return FetchError(
            f"There is no repository {repository} for the App: {said}",
            "Check that it still exists and that the App is installed on it.",
        )
    return FetchError(f"Git could not bring {repository}: {said}", "Ask again later; nothing was lost.")
