"""Where the App may work: what deliveries said of it, checked against how things are now."""

from dataclasses import dataclass

from bot.pipeline.ports.app import App
from bot.pipeline.ports.store import Departures


@dataclass(frozen=True, slots=True)
class Presence:
    """Installations that were suspended or removed, repositories that were taken out of one.

    `notes` says whether `gone` may note what it finds, as it may not for somebody who merely asks.
    """

    departures: Departures
    app: App
    notes: bool = True

    def gone(self, installation_id: int, repository: str) -> str:
        """Why the App may not work on a repository, empty when it may; looks again, since word may have been lost.

        Raises `GitHubError`, `StoreError`.
        """
        why = self.departures.why(installation_id, repository)
        if why and self.app.installed(installation_id, repository):
            if self.notes:
                self.departures.returned(installation_id, (repository,))
            return ""
        return why

    def leave(
        self, installation_id: int, repositories: tuple[str, ...], why: str, *, taken_out: bool = False
    ) -> tuple[str, ...] | None:
        """Note what is gone, forget its tokens, and say which of the repositories are left: none for all of them.

        `None` says that there is nothing to leave: the installation is there again, and so is each repository that was
        `taken_out` of it. Those that are there all the same, such as archived ones, are not noted as gone.
        """
        if not repositories and self.app.installed(installation_id):
            return None
        gone = tuple(one for one in repositories if not self.app.installed(installation_id, one))
        if taken_out and repositories and not gone:
            return None
        if gone or not repositories:
            self.departures.left(installation_id, gone, why)
        left = gone if taken_out else repositories
        self.app.forget(installation_id, left)
        return left

    def enter(self, installation_id: int, repositories: tuple[str, ...]) -> bool:
        """Note that the App may work there again. `False` says that the installation is gone again."""
        if not self.app.installed(installation_id):
            return False
        self.departures.returned(installation_id, repositories)
        return True
