"""What owners do at the stand-in: install, suspend, fork, archive, protect."""

from collections.abc import Sequence

from bot.demo import fork_actions, installation_actions
from bot.demo.accounts import Installation, User
from bot.demo.records import Repository
from bot.demo.store import Store


class Owners(Store):
    """Everything as the repository's or the installation's owner, unless `by` says another."""

    def install_app(self, *full_names: str, by: str = "") -> Installation:
        """Install the App on repositories of one owner, or add them; GitHub tells the App."""
        with self.lock:
            repositories = [self.repository(name) for name in full_names]
            return installation_actions.install(self, repositories, self._who(repositories[0].owner, by))

    def leave_repository(self, full_name: str, *, by: str = "") -> None:
        """Take a repository out of its installation."""
        with self.lock:
            repository = self.repository(full_name)
            installation_actions.leave(self, repository, self._who(repository.owner, by))

    def uninstall(self, installation: int, *, by: str = "") -> None:
        """Delete an installation."""
        with self.lock:
            found = installation_actions.find(self, installation)
            installation_actions.uninstall(self, found, self._who(found.account, by))

    def suspend(self, installation: int, *, by: str = "") -> None:
        """Suspend an installation."""
        with self.lock:
            found = installation_actions.find(self, installation)
            installation_actions.suspend(self, found, self._who(found.account, by))

    def unsuspend(self, installation: int, *, by: str = "") -> None:
        """Let a suspended installation work again."""
        with self.lock:
            found = installation_actions.find(self, installation)
            installation_actions.unsuspend(self, found, self._who(found.account, by))

    def grant_permissions(self, installation: int, permissions: dict[str, str], *, by: str = "") -> None:
        """Accept what the App asks for, name → read or write, in place of what it had."""
        with self.lock:
            found = installation_actions.find(self, installation)
            installation_actions.accept_permissions(self, found, permissions, self._who(found.account, by))

    def fork(self, full_name: str, owner: str) -> Repository:
        """Fork a repository to somebody's account, who is made where missing."""
        with self.lock:
            return fork_actions.make_fork(self, self.repository(full_name), self.add_user(owner).login)

    def delete_repository(self, full_name: str) -> None:
        """Delete a repository; pull requests from it stay, with their commits."""
        with self.lock:
            gone = self.repository(full_name)
            for installation in self.installations.values():
                installation.repositories.discard(gone.full_name)
            del self.repositories[gone.full_name.lower()]

    def archive(self, full_name: str, *, archived: bool = True) -> None:
        """Make a repository read-only, or take that back."""
        with self.lock:
            self.repository(full_name).archived = archived

    def protect(self, full_name: str, patterns: Sequence[str]) -> None:
        """Let only pull requests change the branches that these patterns match, and nobody push to them."""
        with self.lock:
            repository = self.repository(full_name)
            repository.protected = list(patterns)
            repository.git.run("config", "--replace-all", "receive.hideRefs", "refs/pull/")
            for name in patterns:
                # git knows whole names and directories here, no patterns.
                hidden = f"refs/heads/{name.removesuffix('**').removesuffix('*')}"
                repository.git.run("config", "--add", "receive.hideRefs", hidden)

    def _who(self, owner: User, by: str) -> User:
        return self.user(by) if by else owner
