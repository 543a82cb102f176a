"""The port `Branches` over REST: commits on top of a head that is still the one that was looked at, and real merges.

Source: https://docs.github.com/rest/git/refs, https://docs.github.com/rest/branches/branches#merge-a-branch
"""

from urllib.parse import quote, urlsplit

from github import GithubException

from bot.adapters.github import commits
from bot.adapters.github.pace import Pace
from bot.adapters.github.session import COMMIT, METADATA, Session
from bot.adapters.github.tokens import InstallationTokens
from bot.errors import BranchMovedError, GitHubError, NotFoundError
from bot.pipeline.ports.github import NewCommit
from bot.pipeline.ports.threads import Merged, Merging, Person

CONFLICT = 409
HOSTED = "api.github.com"


class RestBranches:
    """One repository's branches."""

    def __init__(
        self, tokens: InstallationTokens, installation_id: int, repository: str, *, bot_login: str, pace: Pace
    ) -> None:
        """Send nothing yet. `repository` is owner/name, `bot_login` the App's login with `[bot]`."""
        self._session = Session(tokens, installation_id, repository, pace)
        self._bot_login = bot_login
        host = urlsplit(tokens.api_url).hostname or HOSTED
        self._noreply = f"users.noreply.{'github.com' if host == HOSTED else host}"

    def advance(self, new: NewCommit) -> str:
        """Make a commit on top of the branch's head, if that is still `new.parent`."""
        head = self._head(new.branch)
        if head != new.parent:
            if commits.made(self._session, head, new):
                return head
            raise _moved(new.branch)
        sha = commits.make(self._session, new)
        self._require(new)
        repository = self._session.repository(COMMIT)
        url = f"{repository.url}/git/refs/heads/{quote(new.branch)}"

        def move() -> str:
            repository.requester.requestJsonAndCheck("PATCH", url, input={"sha": sha, "force": False})
            return sha

        def moved() -> str | None:
            return sha if self._head(new.branch) == sha else None

        try:
            return self._session.write(f"moving the branch {new.branch}", move, moved)
        except GitHubError as error:
            # 422, the only plain refusal here: it would be no fast forward, or a rule protects the branch.
            if type(error) is GitHubError and self._head(new.branch) not in {new.parent, sha}:
                raise _moved(new.branch) from None
            raise

    def merge(self, branch: str, base: str, message: str) -> Merged:
        """Merge a base branch into one of our branches."""
        repository = self._session.repository(COMMIT)

        def merge() -> Merging:
            try:
                made = repository.merge(branch, base, message)
            except GithubException as error:
                if error.status == CONFLICT:
                    return Merging.CONFLICT
                raise
            return Merging.CURRENT if made is None else Merging.MERGED

        # Merging again finds nothing to merge.
        how = self._session.write(f"merging {base} into {branch}", merge)
        return Merged(how, self._head(branch))

    def person(self, login: str) -> Person | None:
        """A person by login, the App itself for none."""
        repository = self._session.repository(METADATA)
        wanted = quote(login or self._bot_login, safe="")
        try:
            _, found = self._session.read(
                "looking up a person",
                lambda: repository.requester.requestJsonAndCheck("GET", f"/users/{wanted}"),
            )
        except NotFoundError:
            return None
        return Person(str(found["login"]), f"{int(found['id'])}+{found['login']}@{self._noreply}")

    def _head(self, branch: str) -> str:
        head = commits.branch_head(self._session, branch)
        if head is None:
            raise NotFoundError(f"the branch {branch} is gone", "Restore it, then ask again.")
        return head

    def _require(self, new: NewCommit) -> None:
        """Look once more right before the ref moves: what was reset to an earlier commit is moved on, too."""
        if self._head(new.branch) != new.parent:
            raise _moved(new.branch)


def _moved(branch: str) -> BranchMovedError:
    return BranchMovedError(
        f"the branch {branch} got other commits while this was worked on",
        "They are left alone: apply the patch on top of them, or ask again.",
    )
