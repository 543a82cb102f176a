"""The path of one fix, from an admitted job to a final state that somebody can read."""

from contextlib import suppress
from dataclasses import dataclass

import structlog

from bot import policy as policies
from bot.errors import GitHubError, RegreenError
from bot.jobs import FixCheck, FixIssue, Job, JobOutcome, State
from bot.pipeline import targets
from bot.pipeline.admit import Admission, Refusal, admit
from bot.pipeline.diff import unified
from bot.pipeline.markdown import block, inline
from bot.pipeline.mend import Mended, Terms, mend
from bot.pipeline.ports import FixSettings, Ports
from bot.pipeline.prepare import prepare
from bot.pipeline.publish import publish
from bot.pipeline.report import Spent, lacking, pull_request_body, unsolved_comment
from bot.pipeline.status import StatusBoard, failed
from bot.pipeline.steps import Steps
from bot.policy import RepoPolicy
from bot.repair.ports import Journal, Json
from bot.repair.types import Base, Baseline, BudgetLimits, RepairResult

Ended = tuple[JobOutcome, str]
_log = structlog.get_logger(__name__)


def fix(job: Job, ports: Ports, settings: FixSettings) -> JobOutcome:
    """Run the job to its one final state and show that state on GitHub. Raises nothing but an engine's own signals."""
    board = StatusBoard(job, ports.github)
    run = _Run(job, ports, settings, board, Steps(ports.clock, ports.journal))
    try:
        outcome, text = run.whole()
    except RegreenError as error:
        outcome, text = failed(error, error.cause, error.remedy)
    except Exception as error:  # noqa: BLE001 - a fault of ours must not end a job without a word
        _log.exception("fix_failed")
        outcome, text = failed(
            error, f"a fault in Regreen ({type(error).__name__})", "Report it with the worker's log."
        )
    try:
        board.final(outcome, text)
    except RegreenError as error:
        _log.error("status_not_written", cause=error.cause)
        _note(ports.journal, "status_not_written", {"cause": error.cause, "text": text})
    _note(ports.journal, "ended", {"state": outcome.state, "headline": outcome.headline, "stop": outcome.stop})
    return outcome


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

    def whole(self) -> Ended:
        started = self.ports.clock.now()
        with self.steps.step("admit"):
            admission = admit(self.job, self.ports.github)
            if isinstance(admission, Refusal):
                text = f"**Not started**: {admission.reason}. {admission.remedy}"
                return JobOutcome(State.REFUSED, f"Not started: {admission.reason}"), text
            self.board.working("fetching the repository and setting up its tests")
            policy = policies.parse(self.ports.github.file(policies.PATH, admission.base_branch))
        base = self._prepare(admission, policy)
        terms = Terms(_lower(self.settings.budget, policy), policy.protected, self.settings.facts)
        mended = mend(base, self._title_and_text(), self._choose, self.ports.loop, self.steps, terms)
        return self._conclude(admission, policy, mended, started)

    def _prepare(self, admission: Admission, policy: RepoPolicy) -> Base:
        repository, commit = self.job.repository, admission.base_commit
        with self.steps.step("fetch"):
            self.ports.sources.fetch(repository, commit)
        with self.steps.step("prepare"):
            return prepare(self.ports.environments, self.ports.journal, repository, commit, policy.given)

    def _title_and_text(self) -> tuple[str, str]:
        match self.job:
            case FixIssue():
                return self.job.title, self.job.body
            case FixCheck():
                return f"The check suite on {self.job.branch} is red", ""

    def _choose(self, baseline: Baseline) -> tuple[str, ...]:
        chosen = self._targets(baseline)
        if chosen:
            count = f"{len(chosen)} failing test{'s' * (len(chosen) != 1)}"
            # a status in between is a courtesy: without it the run goes on
            with suppress(GitHubError):
                self.board.working(f"{count} to turn green, {len(baseline.passing)} to keep green; trying fixes")
        return chosen

    def _targets(self, baseline: Baseline) -> tuple[str, ...]:
        match self.job:
            case FixIssue():
                return targets.for_issue(baseline.failing_ids, f"{self.job.title}\n{self.job.body}")
            case FixCheck():
                logs = tuple(job.log for job in self.ports.github.failed_jobs(self.job.suite_id))
                return targets.for_check(baseline.failing_ids, logs)

    def _conclude(self, admission: Admission, policy: RepoPolicy, mended: Mended, started: float) -> Ended:
        if mended.result is None:
            outcome, text = self._nothing_red(mended.baseline)
            return outcome, f"{text}{lacking(mended.base.recipe.unmet)}"
        result, unmet = mended.result, mended.base.recipe.unmet
        diffs = self._diffs(mended.base, result)
        if result.solution is None:
            text = unsolved_comment(result, self._spent(result, mended.proposer, started), diffs, unmet)
            return self._outcome(State.UNSOLVED, f"No fix: {result.stop}", result, started), text
        body = pull_request_body(self.job, result, self._spent(result, mended.proposer, started), diffs, unmet)
        draft = self.settings.draft or policy.draft
        try:
            with self.steps.step("publish"):
                pull = publish(self.job, self.ports.github, admission, result.solution, body, draft=draft)
        except GitHubError as error:
            refused, text = failed(error, f"a fix was found but not published: {error.cause}", error.remedy)
            outcome = self._outcome(State.FAILED, refused.headline, result, started)
            return outcome, f"{text}\n\nThe fix:\n\n{block(diffs[result.solution.number], 'diff', 50_000)}"
        headline = f"Opened pull request #{pull.number}"
        outcome = self._outcome(State.PUBLISHED, headline, result, started, number=pull.number, url=pull.url)
        fixed = len(result.solution.comparison.fixed)
        return outcome, f"**Done**: #{pull.number} turns {fixed} failing test{'s' * (fixed != 1)} green; nothing broke."

    def _nothing_red(self, baseline: Baseline) -> Ended:
        passing = f"all {len(baseline.passing)} tests pass here in {baseline.runs} runs"
        if isinstance(self.job, FixCheck):
            named = len(baseline.failing)
            seen = f"{named} other tests fail here" if named else passing
            text = (
                f"**Could not reproduce**: the tests that failed in the check do not fail in the sandbox; {seen}. "
                "It has no network, secrets or services; a flaky test, a missing service or a stale base explains this."
            )
            return JobOutcome(State.NOT_REPRODUCED, "Could not reproduce the failure"), text
        flaky = f" {len(baseline.flaky)} flaky tests were set aside." if baseline.flaky else ""
        text = (
            f"**Nothing to fix yet**: {passing}.{flaky} Regreen needs a red test to work from. "
            "Add a test that fails for the reason this issue gives, then put the label on again."
        )
        return JobOutcome(State.GREEN, f"Nothing to fix: {inline(passing)}"), text

    def _diffs(self, base: Base, result: RepairResult) -> dict[int, str]:
        proposed = [(attempt.number, attempt.proposal.patch) for attempt in result.attempts if attempt.proposal]
        paths = tuple(sorted({path for _, patch in proposed for path in patch.paths}))
        files = self.ports.workspace.read(base, paths) if paths else ()
        return {number: unified(files, patch) for number, patch in proposed}

    def _spent(self, result: RepairResult, proposer: str, started: float) -> Spent:
        usage = result.usage
        seconds = self.ports.clock.now() - started
        steps = tuple(self.steps.seconds.items())
        return Spent(proposer, steps, usage.tokens, usage.dollars, usage.estimated, seconds)

    def _outcome(
        self,
        state: State,
        headline: str,
        result: RepairResult,
        started: float,
        *,
        number: int | None = None,
        url: str = "",
    ) -> JobOutcome:
        seconds = self.ports.clock.now() - started
        usage = result.usage
        return JobOutcome(state, headline, result.stop, number, url, usage.tokens, usage.dollars, seconds)


def _lower(operator: BudgetLimits, policy: RepoPolicy) -> BudgetLimits:
    wanted = policy.budget
    return BudgetLimits(
        iterations=min(operator.iterations, wanted.iterations or operator.iterations),
        tokens=min(operator.tokens, operator.tokens if wanted.tokens is None else wanted.tokens),
        dollars=min(operator.dollars, operator.dollars if wanted.dollars is None else wanted.dollars),
        wall_seconds=min(operator.wall_seconds, 60 * wanted.minutes if wanted.minutes else operator.wall_seconds),
    )
