"""What CI does at the stand-in, as scenarios and tests see it."""

from collections.abc import Sequence

from bot.demo import check_actions
from bot.demo.accounts import App, User
from bot.demo.check_actions import FinishedJob, NewSuite
from bot.demo.records import CheckSuite, Repository
from bot.demo.store import ACTIONS_APP_ID, Store

Job = tuple[str, str, str | None]
"""Name, conclusion and log of a job; without a log its download answers 404."""


class Ci(Store):
    """Suites; their `source` is a workflow of GitHub Actions, or `app:SLUG` for another App, made where missing."""

    def begin_suite(
        self,
        full_name: str,
        sha: str,
        jobs: Sequence[str] = (),
        *,
        branch: str | None = "",
        source: str = "CI",
    ) -> CheckSuite:
        """A suite whose jobs of these names run; `complete_suite` of the same commit and source ends it."""
        with self.lock:
            repository = self.repository(full_name)
            new = self._new(repository, sha, branch, source)
            return check_actions.begin_suite(self, repository, new, jobs)

    def complete_suite(
        self,
        full_name: str,
        sha: str,
        conclusion: str,
        jobs: Sequence[Job] = (),
        *,
        branch: str | None = "",
        source: str = "CI",
    ) -> CheckSuite:
        """What CI leaves on a commit: its jobs, then `workflow_run.completed` and `check_suite.completed`.

        The branch is the one whose tip the commit is, unless given; `None` is a fork's.
        """
        with self.lock:
            repository = self.repository(full_name)
            new = self._new(repository, sha, branch, source)
            finished = [FinishedJob(*job) for job in jobs]
            return check_actions.complete_suite(self, repository, new, conclusion, finished)

    def finish_suite(self, full_name: str, suite: int, conclusion: str, jobs: Sequence[Job] = ()) -> None:
        """End a suite that runs, for example after it was asked to run again."""
        with self.lock:
            repository = self.repository(full_name)
            finished = [FinishedJob(*job) for job in jobs]
            check_actions.finish(self, repository, repository.suites[suite], conclusion, finished)

    def script_rerun(self, full_name: str, suite: int, conclusion: str, jobs: Sequence[Job]) -> None:
        """Say how the next attempt of a workflow run ends, as soon as it is asked for; several add up."""
        with self.lock:
            self.repository(full_name).suites[suite].scripted.append((conclusion, list(jobs)))

    def status(self, full_name: str, sha: str, context: str, state: str, *, by: str = "") -> None:
        """Post a commit status: `state` is error, failure, pending or success."""
        with self.lock:
            repository = self.repository(full_name)
            given = {"context": context, "state": state}
            check_actions.post_status(self, repository, self._person(repository, by), sha, given)

    def rerequest_run(self, full_name: str, run: int, *, by: str = "") -> None:
        """Ask the App for one of its check runs again, as the button Re-run does."""
        with self.lock:
            repository = self.repository(full_name)
            found = check_actions.find_run(repository, run)
            check_actions.rerequest_run(self, repository, found, self._person(repository, by))

    def rerequest_suite(self, full_name: str, suite: int, *, by: str = "") -> None:
        """Ask the App for all its checks on a commit again."""
        with self.lock:
            repository = self.repository(full_name)
            found = repository.suites[suite]
            check_actions.rerequest_suite(self, repository, found, self._person(repository, by))

    def press(self, full_name: str, run: int, identifier: str, *, by: str = "") -> None:
        """Press a button on one of the App's check runs."""
        with self.lock:
            repository = self.repository(full_name)
            found = check_actions.find_run(repository, run)
            check_actions.press(self, repository, found, identifier, self._person(repository, by))

    def _person(self, repository: Repository, by: str) -> User:
        return self.user(by) if by else repository.owner

    def _new(self, repository: Repository, sha: str, branch: str | None, source: str) -> NewSuite:
        where = check_actions.branch_at(repository, sha) if branch == "" else branch
        other = source.partition("app:")[2]
        return NewSuite(sha, where, self.add_app(other) if other else self.apps[ACTIONS_APP_ID], source)

    def add_app(self, slug: str) -> App:
        """Another App, made where missing."""
        with self.lock:
            found = next((one for one in self.apps.values() if one.slug == slug), None)
            if found is None:
                bot, owner = self.add_user(f"{slug}[bot]", "Bot"), self.add_user(f"{slug}-owner", "Organization")
                found = App(self.next_id(), slug, slug.capitalize(), owner, bot, self.now())
                self.apps[found.id] = found
            return found
