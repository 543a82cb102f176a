"""The one place where a job's state is shown on GitHub: a comment on its issue, or a check run on its commit."""

from dataclasses import dataclass

from bot.jobs import FixCheck, FixIssue, FollowUp, Job, JobOutcome, State, subject
from bot.pipeline.ports.github import CheckReport, CheckState, GitHub
from bot.pipeline.reports.buttons import fix_this, stop_this
from bot.pipeline.reports.cut import fitted
from bot.pipeline.reports.markdown import block, inline, marker, plain
from bot.pipeline.texts import Text, headed
from bot.policy import Language

_CHECK_STATES = {
    State.PUBLISHED: CheckState.SUCCESS,
    State.GREEN: CheckState.NEUTRAL,
    State.REFUSED: CheckState.NEUTRAL,
    State.TEST_SHOWN: CheckState.NEUTRAL,
    State.NOT_REPRODUCED: CheckState.NEUTRAL,
    State.UNSOLVED: CheckState.NEUTRAL,
    State.FAILED: CheckState.NEUTRAL,
    State.CANCELLED: CheckState.NEUTRAL,
}

MAX_LOG = 4000
MAX_TITLE = 200


@dataclass(frozen=True, slots=True)
class StatusBoard:
    """Edits one comment or one check run in place; writing the same state twice changes nothing.

    `page` is where the whole run is shown, empty where it is nowhere. Nothing is written at the places in `but`.
    """

    job: Job
    github: GitHub
    language: Language = "en"
    page: str = ""
    but: frozenset[str] = frozenset()

    def working(self, step: str) -> None:
        """Say what is being done. Raises `GitHubError`."""
        text = Text.WORKING.say(self.language, step=step)
        self._put(text, Text.WORKING_TITLE.say(self.language), CheckState.IN_PROGRESS)

    def final(self, outcome: JobOutcome, text: str) -> None:
        """Say how it ended. Raises `GitHubError`."""
        self._put(headed(text, self.language), outcome.headline, _CHECK_STATES[outcome.state])

    def _put(self, text: str, title: str, state: CheckState) -> None:
        job = self.job
        here = places(job) - self.but
        number = job.issue if isinstance(job, FixIssue) else job.pull_request
        if below(number) in here:
            mark = marker("status", subject(job))
            # the state of a red check is shown on its commit too
            soon = state is CheckState.IN_PROGRESS and not isinstance(job, FixCheck)
            link = f"\n\n{Text.THE_RUN.say(self.language, page=self.page)}" if self.page else ""
            self.github.put_comment(number, mark, self._fitted(f"{mark}\n{text}{link}"), soon=soon)
        if isinstance(job, FixCheck) and job.head_sha in here:
            external = f"{subject(job)}@{job.head_sha}"
            line = " ".join(plain(title, MAX_TITLE).split())
            buttons = {CheckState.IN_PROGRESS: (stop_this(self.language),), CheckState.SUCCESS: ()}
            pressed = buttons.get(state, (fix_this(self.language),))
            said = self._fitted(text)
            report = CheckReport(job.head_sha, external, state, line, said, buttons=pressed, details_url=self.page)
            self.github.put_check(report)

    def _fitted(self, text: str) -> str:
        return fitted(text, page=self.page, language=self.language)


def below(number: int) -> str:
    """The place of a comment on an issue or pull request."""
    return f"#{number}"


def places(job: Job) -> frozenset[str]:
    """Where the state of a job is shown: a commit's id, and `below` an issue or pull request."""
    match job:
        case FixIssue(issue=number) | FollowUp(pull_request=number):
            return frozenset({below(number)})
        case FixCheck(head_sha=sha, pull_request=number, asked=asked):
            return frozenset({sha, below(number)}) if asked and number else frozenset({sha})


def failed(error: Exception, cause: str, remedy: str, language: Language = "en") -> tuple[JobOutcome, str]:
    """The outcome and the text for an error that ended a job; further lines of the cause are a log, its end counts."""
    kind = type(error).__name__.removesuffix("Error")
    said, _, log = cause.strip().partition("\n")
    headline = Text.NOT_FINISHED_TITLE.say(language, cause=said.rstrip(":"))
    outcome = JobOutcome(State.FAILED, headline[:300], stop=kind)
    shown = f"\n\n{block(log[-MAX_LOG:], 'text', MAX_LOG)}" if log.strip() else ""
    text = Text.NOT_FINISHED.say(language, cause=inline(said, 1500))
    return outcome, f"{text}{shown}\n\n{Text.WOULD_HELP.say(language, remedy=inline(remedy, 1000))}"


def refused(reason: str, remedy: str, language: Language) -> tuple[JobOutcome, str]:
    """The outcome and the text of a job that was not started."""
    text = Text.NOT_STARTED.say(language, reason=reason, remedy=remedy)
    return JobOutcome(State.REFUSED, Text.NOT_STARTED_TITLE.say(language, reason=reason)), text
