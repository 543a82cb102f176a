"""The path of one fix, from an admitted job to a final state that somebody can read."""

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import structlog

from bot.errors import GitHubError, RegreenError
from bot.jobs import FixCheck, FixIssue, FollowUp, Job, JobOutcome, job_id
from bot.pipeline import targets
from bot.pipeline.admission import Case, Refusal, Way, admit
from bot.pipeline.aim import Aim, Writing, writing
from bot.pipeline.conclude import Conclusion, Ended
from bot.pipeline.followups.followup import FollowingUp
from bot.pipeline.governance import policyfile
from bot.pipeline.governance.cast import bound
from bot.pipeline.governance.governed import governed
from bot.pipeline.governance.policyfile import House
from bot.pipeline.logs.logged import mend_logged
from bot.pipeline.mend import Terms
from bot.pipeline.ports.github import FailedJob
from bot.pipeline.ports.job import FixSettings, Ports
from bot.pipeline.prepare import fetched
from bot.pipeline.red import RedCheck, failures
from bot.pipeline.reports import labels, review
from bot.pipeline.reports.checkrun import run_page
from bot.pipeline.reports.status import StatusBoard, failed, refused
from bot.pipeline.reports.waiting import still_waiting
from bot.pipeline.spending.budgets import granted
from bot.pipeline.spending.purse import Purse
from bot.pipeline.steps import Steps
from bot.pipeline.texts import Text
from bot.policy import RepoPolicy
from bot.repair.ports import Journal, Json
from bot.repair.reproduction.written import WrittenTest
from bot.repair.types import Baseline

_log = structlog.get_logger(__name__)


def fix(job: Job, ports: Ports, settings: FixSettings) -> JobOutcome:
    """Run the job to its one final state and show that state on GitHub. Raises nothing but an engine's own signals."""
    house = _house(ports)
    policy = RepoPolicy() if isinstance(house, RegreenError) else house.policy
    language, ports = policy.language, governed(ports, policy)
    settings = replace(settings, facts=bound(settings.facts, policy))
    board = StatusBoard(job, ports.github, language, run_page(settings.public_url, job))
    purse = Purse(job, ports.ledger)
    run = _Run(job, purse.counted(ports), settings, board, Steps(ports.clock, ports.journal), purse)
    try:
        outcome, text = _ended(run, house)
    except RegreenError as error:
        outcome, text = failed(error, error.cause, error.remedy, language)
    except Exception as error:  # noqa: BLE001 - a fault of ours must not end a job without a word
        _log.exception("fix_failed")
        cause = Text.FAULT.say(language, kind=type(error).__name__)
        outcome, text = failed(error, cause, Text.REPORT_IT.say(language), language)
    purse.settle()
    outcome = _as_written(purse.charged(outcome), policy)
    text += still_waiting(job, outcome, ports.github, ports.reviews, language)
    try:
        board.final(outcome, text)
    except RegreenError as error:
        _log.error("status_not_written", cause=error.cause)
        _note(ports.journal, "status_not_written", {"cause": error.cause, "text": text})
        with suppress(RegreenError):
            ports.last_words.keep(job_id(job), text)
    labels.ended(ports.labels, job, outcome.state)
    _note(ports.journal, "ended", {"state": outcome.state, "headline": outcome.headline, "stop": outcome.stop})
    return outcome


def _house(ports: Ports) -> House | RegreenError:
    """What a job meets, or why it cannot be seen: that ends the job, with a word, where everything else does."""
    try:
        return policyfile.read(ports.github, offered=ports.models.names)
    except RegreenError as error:
        return error


def _ended(run: "_Run", house: House | RegreenError) -> Ended:
    if isinstance(house, RegreenError):
        with run.steps.step("admit"):
            raise house
    if isinstance(run.job, FollowUp):
        return FollowingUp(run.job, run.ports, run.settings, run.board, run.steps, run.purse).whole(house)
    return run.whole(house)


def _as_written(outcome: JobOutcome, policy: RepoPolicy) -> JobOutcome:
    """In a dry run nothing was opened, whatever the outcome says of it."""
    if not policy.dry_run:
        return outcome
    headline = Text.DRY_RUN_TITLE.say(policy.language, headline=outcome.headline)
    return replace(outcome, headline=headline, pull_request=None, url="")


def _note(journal: Journal, event: str, fields: Json) -> None:
    # The job has ended by now: a disk without room must not take its outcome away.
    try:
        journal.append(event, fields)
    except RegreenError as error:
        _log.error("not_in_the_run_log", line=event, cause=error.cause)


@dataclass(frozen=True, slots=True)
class _Run:
    job: Job
    ports: Ports
    settings: FixSettings
    board: StatusBoard
    steps: Steps
    purse: Purse

    def whole(self, house: House) -> Ended:
        started = self.ports.clock.now()
        with self.steps.step("admit"):
            policy = house.policy
            admission = admit(Case(self.job, self.ports.github, house, self.ports.checks))
            if isinstance(admission, Refusal):
                return self._refused(admission)
            approved = self._approved()
            if isinstance(approved, Refusal):
                return self._refused(approved)
            budget = granted(self.purse, self.ports, self.settings, policy)
            if isinstance(budget, Refusal):
                return self._refused(budget)
            self.board.working(Text.SETTING_UP.say(policy.language))
            labels.began(self.ports.labels, self.job)
        failed_jobs = self._failed_jobs()
        base = fetched(self.ports, self.steps, self.job.repository, admission.base_commit, policy.given)
        red = None
        if isinstance(self.job, FixCheck):
            red = RedCheck(self.job, self.ports, base, policy.given, failed_jobs, admission.against)
            red.update = policy.update_stale_base and admission.way is Way.PUSH
        how = self._writing(approved, review_first=policy.review_tests)
        terms = Terms(budget, policy.protected, self.settings.facts, how, self._tell)
        choose = red.choose if red else partial(self._choose, how)
        mended = mend_logged(base, self._title_and_text(), choose, self.ports.loop, self.steps, terms)
        return Conclusion(
            self.job,
            self.ports,
            self.steps,
            admission,
            mended,
            named=targets.named(mended.baseline.failing_ids, self._text()),
            approved_by=self.job.sender if approved else "",
            started=started,
            draft=self.settings.draft or policy.draft,
            spent_together=self.purse.told(policy.language),
            red=red,
            public_url=self.settings.public_url,
            policy=policy,
        ).ended()

    def _refused(self, refusal: Refusal) -> Ended:
        return refused(refusal.reason, refusal.remedy, self.board.language)

    def _failed_jobs(self) -> tuple[FailedJob, ...]:
        """What failed at CI, read before anything is built: logs are kept for so long only."""
        if not isinstance(self.job, FixCheck):
            return ()
        with self.steps.step("logs"):
            return failures(self.job, self.ports.github, self.ports.checks)

    def _approved(self) -> WrittenTest | Refusal | None:
        if not isinstance(self.job, FixIssue) or self.job.approves is None:
            return None
        return review.resolve(self.job.approves, self.ports.reviews.kept(), self.board.language)

    def _title_and_text(self) -> tuple[str, str]:
        match self.job:
            case FixIssue():
                return self.job.title, self.job.body
            case FixCheck():
                return f"The check suite on {self.job.branch} is red", ""
            case FollowUp():
                return f"What was said about #{self.job.pull_request}", self.job.text

    def _writing(self, approved: WrittenTest | None, *, review_first: bool) -> Writing | None:
        """How a test may be written: for an issue, by a model, or already and approved."""
        if not isinstance(self.job, FixIssue) or (approved is None and self.ports.models.tester is None):
            return None
        return writing(f"issue_{self.job.issue}", self._text(), approved, review=review_first)

    def _choose(self, how: Writing | None, baseline: Baseline) -> tuple[str, ...]:
        choose = targets.named if how else targets.for_issue
        return choose(baseline.failing_ids, self._text())

    def _text(self) -> str:
        return "\n".join(self._title_and_text())

    def _tell(self, aim: Aim, baseline: Baseline) -> None:
        # a status in between is a courtesy: without it the run goes on
        with suppress(GitHubError):
            self.board.working(review.working(aim, len(baseline.passing), self.board.language))
