"""The end of a job that somebody stopped: out of turn, and said where every other end is said."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bot.errors import CredentialsError, GitHubError, GitHubUnavailableError
from bot.jobs import FixIssue, Job, JobEngine, JobOutcome, State, subject
from bot.moments import Moment
from bot.pipeline.intake.queueing import NotYetError
from bot.pipeline.intake.site import SiteFor
from bot.pipeline.ports.github import GitHub
from bot.pipeline.ports.job import Reviews
from bot.pipeline.ports.store import LastWords, Run
from bot.pipeline.reports import labels
from bot.pipeline.reports.markdown import inline, marker
from bot.pipeline.reports.status import StatusBoard
from bot.pipeline.reports.waiting import still_waiting
from bot.policy import RepoPolicy

AGAIN_SECONDS = 1.0
MAX_HEADLINE = 300


@dataclass(frozen=True, slots=True)
class Stopping:
    """Stops jobs, and tells who waits for them."""

    engine: JobEngine
    site_for: SiteFor
    reviews_for: Callable[[Job], Reviews]
    last_words: LastWords

    def stop(self, runs: Iterable[Run], why: str) -> int:
        """Cancel all of these that have not ended; returns how many. Raises `StoreError`.

        Raises `NotYetError` while a step of one of them is under way that its last word could be overwritten by.
        """
        outcome = JobOutcome(State.CANCELLED, f"Stopped: {why}"[:MAX_HEADLINE], stop="cancelled")
        found = [run for run in runs if run.outcome is None or run.outcome.state is State.CANCELLED]
        quiet = [self.engine.cancel(run.identity, outcome) for run in found]
        if not all(quiet):
            raise NotYetError("a step of the run is still under way", AGAIN_SECONDS)
        return len(found)

    def begun_before(self, runs: Iterable[Run], at: Moment) -> tuple[Run, ...]:
        """Those that what was said at that moment can mean. Raises `StoreError`."""
        jobs = [(run, self.engine.job(run.identity)) for run in runs]
        return tuple(run for run, job in jobs if job is None or not job.at.is_after(at))

    def leave_word(self, identity: str) -> None:
        """Keep a word for when GitHub can be told of it again. Raises `StoreError`."""
        job, outcome = self.engine.job(identity), self.engine.outcome(identity)
        if job is not None and outcome is not None and outcome.state is State.CANCELLED:
            self.last_words.keep(identity, f"**{inline(outcome.headline)}**. {_again(job)}")

    def tell(self, identity: str) -> None:
        """Show on GitHub that a job was stopped; once more changes nothing. Raises as `Site.write` does."""
        job, outcome = self.engine.job(identity), self.engine.outcome(identity)
        if job is None or outcome is None or outcome.state is not State.CANCELLED:
            return
        site = self.site_for(job.repository, job.installation_id)

        def say(policy: RepoPolicy) -> None:
            text = f"**{inline(outcome.headline)}**{_left(job, site.github)} {_again(job)}"
            text += still_waiting(job, outcome, site.github, self.reviews_for(job), policy.language)
            StatusBoard(job, site.github, policy.language, site.page(job)).final(outcome, text)
            labels.ended(site.labels, job, outcome.state)

        site.write(f"the end of {identity}", say)


def _left(job: Job, github: GitHub) -> str:
    """What a job that was stopped late has made by then."""
    try:
        there = [pull.number for pull in github.pull_requests(marker("subject", subject(job))) if pull.is_open]
    except (GitHubUnavailableError, CredentialsError):
        raise
    except GitHubError:
        there = []
    return f". #{there[0]} stays open: close it if it is not wanted." if there else "."


def _again(job: Job) -> str:
    if isinstance(job, FixIssue):
        return "Put the label on again, or say `/regreen fix`, to begin anew."
    return "Say `/regreen fix` on the pull request to begin anew; a new commit's red checks begin anew by themselves."
