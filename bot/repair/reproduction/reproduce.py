"""Reproduction first: a test counts only after it failed on the base commit, three times, for the reason predicted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from bot.errors import ModelError
from bot.repair import describe
from bot.repair.measuring.baseline import Kind, kind
from bot.repair.measuring.compare import compare
from bot.repair.ports import Journal, Workspace
from bot.repair.prompting.feedback import condense_run
from bot.repair.reproduction import reasons
from bot.repair.reproduction.additions import AddedTests
from bot.repair.reproduction.placing import Ground
from bot.repair.reproduction.written import WrittenTest
from bot.repair.team.tester import Tester, Try
from bot.repair.types import WHOLE_SUITE, Base, Baseline, Patch, Selection
from sandbox.spec import RunState, TestResult, TestRun

TRIES = 3
ALONE = 2
"""Runs of the new file alone, beside the one within the whole suite."""
MAX_NEW = 20
FEEDBACK_TOKENS = 400


@dataclass(frozen=True, slots=True)
class Shown:
    """What a new test did on the base commit. `reason` says why it does not count, and is empty when it does.

    `failing` are its red results, `passing` the ids of its other tests, `runs` how often it ran.
    """

    reason: str
    failing: tuple[TestResult, ...] = ()
    passing: tuple[str, ...] = ()
    runs: int = 0


NOTHING = Shown("no test counts")


@dataclass(frozen=True, slots=True)
class Reproduction:
    """How the search for a failing test ended: with a `test` that counts, or with what was `tried`, a line each."""

    test: WrittenTest | None
    shown: Shown
    tried: tuple[str, ...] = ()
    stopped: ModelError | None = field(default=None, compare=False)

    @property
    def targets(self) -> tuple[str, ...]:
        """The ids that a fix has to turn green."""
        return tuple(result.node_id for result in self.shown.failing)

    @property
    def additions(self) -> Patch:
        """The new file as a change; nothing without one."""
        return self.test.patch if self.test else Patch()

    def extended(self, baseline: Baseline) -> Baseline:
        """The baseline with the new tests in it."""
        shown = self.shown
        return replace(
            baseline, failing=(*baseline.failing, *shown.failing), passing=(*baseline.passing, *shown.passing)
        )


def reproduce(
    workspace: Workspace, journal: Journal, baseline: Baseline, ground: Ground, tester: Tester, issue: str
) -> Reproduction:
    """Let the tester write until a test counts, three times at most. A model that does not answer ends it.

    Raises what `Workspace.evaluate` raises.
    """
    past: list[Try] = []
    for number in range(1, TRIES + 1):
        try:
            answer = tester.write(ground, issue, past)
        except ModelError as error:
            return Reproduction(None, NOTHING, _lines(past), error)
        shown = Shown(answer.reason)
        if answer.test is not None and not answer.reason:
            shown = show(workspace, ground.base, baseline, answer.test, issue)
        _record(journal, number, answer, shown)
        if not shown.reason:
            return Reproduction(answer.test, shown, _lines(past))
        past.append(replace(answer, reason=shown.reason))
    return Reproduction(None, NOTHING, _lines(past))


def show(workspace: Workspace, base: Base, baseline: Baseline, test: WrittenTest, issue: str) -> Shown:
    """Run a new test on the base commit: once within the whole suite, twice alone, each in a fresh container.

    Raises what `Workspace.evaluate` raises.
    """
    prediction = reasons.predicted(test.prediction)
    if prediction is None:
        return Shown("the test says nothing of how it fails")
    added = AddedTests(workspace, test.patch)
    (whole,) = added.evaluate(base, (Patch(),), WHOLE_SUITE)
    if reason := _unsound(whole) or _disturbed(added, base, baseline, whole):
        return Shown(reason, runs=1)
    known = {*baseline.failing_ids, *baseline.passing, *baseline.skipped, *baseline.flaky}
    new = tuple(result.node_id for result in whole.results if result.node_id not in known)
    if reason := _no_reproduction(whole, new):
        return Shown(reason, runs=1)
    alone = added.evaluate(base, (Patch(),) * ALONE, Selection(new))
    for run in (whole, *alone):
        if reason := _unsound(run) or _other_outcome(whole, run, new) or _fault(run, new, test, prediction, issue):
            return Shown(reason, runs=1 + ALONE)
    last = {result.node_id: result for result in alone[-1].results}
    red = tuple(last[node_id] for node_id in new if last[node_id].outcome.red)
    green = tuple(node_id for node_id in new if kind(last[node_id].outcome) is Kind.GREEN)
    return Shown("", red, green, 1 + ALONE)


def _unsound(run: TestRun) -> str | None:
    if run.state is RunState.COMPLETE:
        return None
    return f"the run cannot be believed with the new file in it: {condense_run(run, FEEDBACK_TOKENS)}"


def _disturbed(added: AddedTests, base: Base, baseline: Baseline, whole: TestRun) -> str | None:
    """What of the suite is not as it was. A second run tells what merely varies."""
    harmed = _harmed(baseline, whole)
    if harmed:
        (again,) = added.evaluate(base, (Patch(),), WHOLE_SUITE)
        harmed = harmed & _harmed(baseline, again) if again.state is RunState.COMPLETE else harmed
    return f"the new file changes other tests: {describe.some(tuple(sorted(harmed)))}" if harmed else None


def _harmed(baseline: Baseline, run: TestRun) -> frozenset[str]:
    change = compare(baseline, run)
    skipped = (node_id for node_id in change.new_failing if node_id in baseline.skipped)
    return frozenset((*change.regressed, *change.missing, *change.fixed, *skipped))


def _no_reproduction(whole: TestRun, new: Sequence[str]) -> str | None:
    if not new:
        return "the runner finds no new test in the file"
    if len(new) > MAX_NEW:
        return f"the file holds {len(new)} tests: write one"
    if not any(whole.outcomes[node_id].red for node_id in new):
        untested = [node_id for node_id in new if kind(whole.outcomes[node_id]) is Kind.UNTESTED]
        said = "is skipped" if len(untested) == len(new) else "passes on the present code"
        return f"the test {said}, so it does not show the fault"
    return None


def _other_outcome(whole: TestRun, run: TestRun, new: Sequence[str]) -> str | None:
    before, now = whole.outcomes, run.outcomes
    differing = tuple(
        node_id for node_id in new if node_id not in now or kind(before[node_id]) is not kind(now[node_id])
    )
    if not differing:
        return None
    return f"it does not fail every time, on the same code, within the suite and alone: {describe.some(differing)}"


def _fault(
    run: TestRun, new: Sequence[str], test: WrittenTest, prediction: reasons.Prediction, issue: str
) -> str | None:
    faults = (reasons.fault(result, test.path, prediction, issue) for result in run.red if result.node_id in new)
    return next((fault for fault in faults if fault), None)


def _lines(past: Sequence[Try]) -> tuple[str, ...]:
    return tuple(describe.one_line(one.reason, 500) for one in past)


def _record(journal: Journal, number: int, answer: Try, shown: Shown) -> None:
    test = answer.test
    journal.append("test_written", dict(_fields(number, answer, test)))
    journal.append(
        "test_judged",
        {
            "number": number,
            "counts": not shown.reason,
            "reason": shown.reason,
            "runs": shown.runs,
            "failing": [describe.failure(result) for result in shown.failing],
        },
    )


def _fields(number: int, answer: Try, test: WrittenTest | None) -> Iterator[tuple[str, object]]:
    yield "number", number
    yield "prompt", [{"role": message.role, "content": message.content} for message in answer.prompt]
    yield "reply", answer.reply
    yield "prompt_tokens", answer.usage.prompt_tokens
    yield "completion_tokens", answer.usage.completion_tokens
    yield "dollars", answer.usage.dollars
    yield "estimated", answer.usage.estimated
    if test is not None:
        yield "path", test.path
        yield "prediction", test.prediction
        yield "digest", test.digest
