"""What the App may reach, and pushes: `installation.*`, `installation_repositories.*`, `repository.*`, `push`.

Source: https://docs.github.com/en/webhooks/webhook-events-and-payloads#installation
"""

from itertools import chain
from typing import Annotated

from pydantic import BeforeValidator, Field, StringConstraints

from bot.events.fields import Bound, FullName, InstallationField, Login, Payload, Sha, Word, storable
from bot.events.types import InstallationChanged, Pushed, RepositoryLeft, Unhandled

MOST_COMMITS = 2048
"""GitHub lists at most so many commits of one push."""
MOST_PATHS = 100_000
MOST_REPOSITORIES = 10_000
_GAINED = frozenset({"created", "unsuspend", "new_permissions_accepted"})
_HEAD = "refs/heads/"

_Path = Annotated[str, BeforeValidator(storable), StringConstraints(max_length=10_000)]


class _Named(Payload):
    full_name: FullName


_Several = Annotated[tuple[_Named, ...], Field(max_length=MOST_REPOSITORIES, strict=False)]


def _names(listed: tuple[_Named, ...]) -> tuple[str, ...]:
    return tuple(one.full_name for one in listed)


class Installation(Payload):
    """`installation.created`, `.unsuspend`, `.new_permissions_accepted`, `.suspend`, `.deleted`."""

    action: Word
    installation: InstallationField
    repositories: _Several | None = None

    def event(self) -> InstallationChanged:
        """The event; what ends ends for the whole installation."""
        reachable = self.action in _GAINED
        repositories = _names(self.repositories or ()) if reachable else ()
        return InstallationChanged(self.installation.id, reachable, repositories, self.action)


class Selection(Payload):
    """`installation_repositories.added` and `.removed`."""

    action: Word
    installation: InstallationField
    repositories_added: _Several = ()
    repositories_removed: _Several = ()

    def event(self) -> InstallationChanged | Unhandled:
        """The event."""
        added = self.action == "added"
        repositories = _names(self.repositories_added if added else self.repositories_removed)
        # No names would mean the whole installation.
        if not repositories:
            return Unhandled("no repository is named")
        return InstallationChanged(self.installation.id, added, repositories, self.action)


class _From(Payload):
    class _Name(Payload):
        class _Was(Payload):
            former: Annotated[str, Field(alias="from"), StringConstraints(max_length=100)]

        name: _Was

    class _Owner(Payload):
        class _Who(Payload):
            class _Account(Payload):
                login: Login

            user: _Account | None = None
            organization: _Account | None = None

        former: Annotated[_Who, Field(alias="from")]

    repository: _Name | None = None
    owner: _Owner | None = None


class RepositoryEnded(Bound):
    """`repository.archived`, `.deleted`, `.renamed`, `.transferred`."""

    action: Word
    changes: _From | None = None

    def event(self) -> RepositoryLeft:
        """The event, with the name that jobs know the repository by."""
        owner, _, name = self.repository.full_name.partition("/")
        if self.changes and self.changes.repository:
            name = self.changes.repository.name.former
        if self.changes and self.changes.owner:
            who = self.changes.owner.former
            account = who.user or who.organization
            owner = account.login if account else owner
        return RepositoryLeft(self.installation.id, f"{owner}/{name}", self.action)


_Paths = Annotated[tuple[_Path, ...], Field(strict=False)]


class _Commit(Payload):
    added: _Paths = ()
    removed: _Paths = ()
    modified: _Paths = ()


class Push(Bound):
    """`push`."""

    ref: Annotated[str, StringConstraints(max_length=300)]
    after: Sha
    deleted: bool = False
    forced: bool = False
    commits: Annotated[tuple[_Commit, ...], Field(max_length=10_000, strict=False)] = ()

    def event(self) -> Pushed | Unhandled:
        """The event, for the default branch alone."""
        if self.deleted or self.ref != f"{_HEAD}{self.repository.default_branch}":
            return Unhandled("the push is not to the default branch")
        touched = chain.from_iterable((*one.added, *one.removed, *one.modified) for one in self.commits)
        paths = frozenset(path for _, path in zip(range(MOST_PATHS), touched, strict=False))
        return Pushed(
            repository=self.where(),
            head_sha=self.after,
            paths=paths,
            complete=not self.forced and len(self.commits) < MOST_COMMITS and len(paths) < MOST_PATHS,
            sender=self.login,
            sender_is_bot=self.is_bot,
        )
