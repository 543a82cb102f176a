"""What can be reached in one repository without a job: for deciding, and for acts."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import structlog

from bot.errors import CredentialsError, GitHubError, GitHubUnavailableError
from bot.jobs import Job
from bot.pipeline.governance import policyfile
from bot.pipeline.governance.policyfile import House
from bot.pipeline.ports.github import GitHub
from bot.pipeline.ports.pulls import Pulls
from bot.pipeline.reports.checkrun import run_page
from bot.pipeline.reports.labels import Labels
from bot.policy import RepoPolicy

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Site:
    """One repository (owner/name). `offered` are the operator's models, `None` where they are not known."""

    repository: str
    github: GitHub
    labels: Labels
    pulls: Pulls
    offered: Collection[str] | None = None
    public_url: str = ""

    def page(self, job: Job) -> str:
        """Where a job's run is shown, empty where nobody said how this server is reached."""
        return run_page(self.public_url, job)

    def house(self, ref: str = "") -> House:
        """The repository and its rules, see `bot.pipeline.governance.policyfile.read`. Raises `GitHubError`."""
        return policyfile.read(self.github, ref, self.offered)

    def write(self, what: str, call: Callable[[RepoPolicy], object]) -> None:
        """Write something small that nobody's run depends on: in a dry run, and where GitHub refuses, it is logged.

        `call` gets the policy as it is now. Raises `GitHubUnavailableError`, `CredentialsError`.
        """
        try:
            policy = self.house().policy
            if policy.dry_run:
                _log.info("not_written", repository=self.repository, what=what)
                return
            call(policy)
        except (GitHubUnavailableError, CredentialsError):
            raise
        except GitHubError as error:
            _log.warning("not_shown", repository=self.repository, what=what, cause=error.cause)


SiteFor = Callable[[str, int], Site]
"""The site of a repository (owner/name) in an installation."""
