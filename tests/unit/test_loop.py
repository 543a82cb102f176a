from collections.abc import Mapping, Sequence

import pytest
from fakes import FakeClock, MemoryJournal, ScriptedProposer, ScriptedReflector, patch, proposed
from fakes_workspace import BASE, ScriptedWorkspace, run_of

from bot.errors import ModelError
from bot.repair.loop import repair
from bot.repair.measuring.baseline import settle
from bot.repair.meter import Meter
from bot.repair.proposers import Arm
from bot.repair.rules import Rules, World
from bot.repair.team.reflect import StatedReflector
from bot.repair.types import (
    BudgetLimits,
    FileChange,
    Origin,
    Patch,
    Proposed,
    RepairResult,
    StopReason,
    Task,
    Usage,
    Verdict,
)
from sandbox.spec import Outcome, RunState, TestResult, TestRun

PASSED, FAILED = Outcome.PASSED, Outcome.FAILED
TASK = Task(BASE, "title", "text", ("t::b", "t::c"))
IDS = ("t::a", "t::b", "t::c")


def suite(files: Mapping[str, bytes]) -> Mapping[str, Outcome | TestResult] | TestRun:
    """Read from the code which tests pass: `passes("ab")`; `hangs()` hangs."""
    code = files["calc.py"].decode()
    if "hangs" in code:
        return TestRun(RunState.TIMEOUT)
    red = TestResult
    return {
        node_id: PASSED if node_id[-1] in code else red(node_id, FAILED, "call", 0.0, "AssertionError", f"not {code}")
        for node_id in IDS
    }


class Bench:
    """One loop with everything scripted."""

    def __init__(
        self,
        answers: Sequence[Proposed | tuple[Proposed, ...] | Exception],
        *,
        limits: BudgetLimits | None = None,
        reflector: StatedReflector | ScriptedReflector | None = None,
    ) -> None:
        self.workspace = ScriptedWorkspace({"calc.py": b"a = 0"}, suite)
        self.journal = MemoryJournal()
        self.clock = FakeClock()
        self.meter = Meter(limits or BudgetLimits(), self.clock)
        self.proposer = ScriptedProposer(answers, self.meter)
        self.reflector = reflector or StatedReflector()

    def run(self, *arms: Arm) -> RepairResult:
        world = World(self.workspace, self.clock, self.journal, self.meter)
        baseline = settle((run_of({"t::a": PASSED, "t::b": FAILED, "t::c": FAILED}),))
        return repair(TASK, baseline, arms or (Arm(self.proposer),), self.reflector, world, Rules())


def answer(code: str) -> Proposed:
    return proposed(patch(calc=code))


GOOD, HALF, HARMFUL, USELESS = (answer(code) for code in ("a = b = c", "a = b", "b = c", "a"))
PROSE = Proposed(None, "the reply holds no edit", usage=Usage(100, 20))


def verdicts(result: RepairResult) -> list[Verdict]:
    return [attempt.verdict for attempt in result.attempts]


def test_the_loop_learns_until_the_targets_are_green_and_nothing_broke() -> None:
    bench = Bench([USELESS, HALF, HARMFUL, GOOD])

    result = bench.run()

    assert result.stop is StopReason.SOLVED
    assert verdicts(result) == [Verdict.NOT_FIXED, Verdict.PARTIAL, Verdict.REGRESSED, Verdict.SOLVED]
    assert [attempt.passed for attempt in result.attempts] == [1, 2, 2, 3]
    assert result.solution is result.attempts[-1]
    assert result.best is None
    assert result.verification is not None
    assert not result.verification.red
    assert [len(history) for history in bench.proposer.histories] == [0, 1, 2, 3]


def test_a_regression_is_told_to_the_next_proposal() -> None:
    bench = Bench([HARMFUL, GOOD])

    bench.run()

    (attempt,) = bench.proposer.histories[1]
    assert attempt.comparison.regressed == ("t::a",)
    assert attempt.reflection is not None
    assert attempt.reflection.cause == "t::a: AssertionError: not b = c"
    assert attempt.reflection.lesson == "Passed t::a before, now fails t::a while fixing t::b, t::c."
    assert [red.node_id for red in attempt.red] == ["t::a"]


def test_the_same_code_as_just_before_stops_the_run_and_carries_over_what_it_did() -> None:
    bench = Bench([USELESS, HALF, answer("a = b  # again")])

    result = bench.run()

    assert result.stop is StopReason.IDENTICAL_CODE
    assert verdicts(result)[-1] is Verdict.REPEATED
    assert [attempt.passed for attempt in result.attempts] == [1, 2, 2]
    assert result.attempts[-1].reason == "the same code as attempt 2"
    assert result.best is result.attempts[1]


def test_going_back_to_older_code_is_a_cycle() -> None:
    assert Bench([USELESS, HALF, USELESS]).run().stop is StopReason.CYCLE


def test_repeated_code_costs_no_test_run() -> None:
    bench = Bench([USELESS, USELESS])
    bench.run()

    assert {change for change, _ in bench.workspace.calls} == {patch(calc="a")}


def test_the_same_failure_three_times_in_a_row_stops_the_run_whatever_its_numbers() -> None:
    result = Bench([answer(f"a = {number}") for number in (1, 22, 3.5, 4)]).run()

    assert (result.stop, len(result.attempts)) == (StopReason.SAME_FAILURE, 3)


def test_a_first_failure_that_stays_while_more_targets_turn_green_is_progress() -> None:
    result = Bench([answer("a = 1"), answer("a = 2"), answer("a = c * 3"), answer("a = 4"), GOOD]).run()

    assert result.stop is StopReason.SOLVED


def test_a_mutation_search_is_not_stopped_for_failing_alike() -> None:
    answers = [proposed(patch(calc=f"a = {number}"), origin=Origin.MUTATION) for number in range(1, 5)]

    assert Bench([*answers, GOOD]).run().stop is StopReason.SOLVED


def test_two_mutants_that_are_the_same_code_do_not_end_the_search() -> None:
    twins = [proposed(patch(calc=code), origin=Origin.MUTATION) for code in ("a = 1", "a = 1  # other")]

    result = Bench([*twins, GOOD]).run()

    assert verdicts(result) == [Verdict.NOT_FIXED, Verdict.REPEATED, Verdict.SOLVED]


def test_three_unusable_replies_in_a_row_stop_the_run_and_are_charged() -> None:
    result = Bench([PROSE, USELESS, PROSE, PROSE, PROSE, GOOD]).run()

    assert result.stop is StopReason.FORMAT_ERRORS
    assert verdicts(result)[2:] == [Verdict.NOT_APPLIED] * 3
    assert result.usage.tokens == 5 * 120
    assert result.detail == "the reply holds no edit"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (Patch((FileChange("tests/test_calc.py", b""),)), "protected"),
        (Patch((FileChange("t", b""),)), "protected"),
        (patch(calc="a = 0  # the same"), "changes nothing"),
        (Patch(), "empty"),
    ],
)
def test_what_may_not_be_a_patch_is_refused_without_a_run(change: Patch, reason: str) -> None:
    bench = Bench([proposed(change)])

    result = bench.run()

    assert verdicts(result) == [Verdict.REFUSED]
    assert reason in result.attempts[0].reason
    assert bench.workspace.calls == []


def test_a_run_that_cannot_be_believed_is_an_attempt_of_its_own_kind() -> None:
    result = Bench([answer("hangs"), GOOD]).run()

    assert verdicts(result) == [Verdict.INVALID_RUN, Verdict.SOLVED]
    assert "hung" in result.attempts[0].failure
    assert (result.attempts[0].passed, result.attempts[0].total) == (0, 3)


def test_a_proposer_with_nothing_left_ends_the_run_without_an_attempt() -> None:
    result = Bench([HALF]).run()

    assert (result.stop, result.detail, len(result.attempts)) == (StopReason.EXHAUSTED, "nothing left", 1)


def test_a_last_candidate_is_judged_before_the_run_ends() -> None:
    last = Proposed(HALF.proposal, exhausted=True)

    result = Bench([last, GOOD]).run()

    assert (result.stop, verdicts(result)) == (StopReason.EXHAUSTED, [Verdict.PARTIAL])


def test_a_model_that_fails_keeps_what_was_found() -> None:
    result = Bench([HALF, ModelError("The server answers 500", "Start it")]).run()

    assert result.stop is StopReason.MODEL_FAILED
    assert "The server answers 500" in result.detail
    assert result.best is result.attempts[0]


@pytest.mark.parametrize(
    ("limits", "stop"),
    [
        (BudgetLimits(iterations=2), StopReason.ITERATIONS),
        (BudgetLimits(tokens=300), StopReason.TOKENS),
        (BudgetLimits(dollars=0.25), StopReason.DOLLARS),
        (BudgetLimits(wall_seconds=9.0), StopReason.WALL_CLOCK),
    ],
)
def test_each_budget_stops_before_the_call_that_would_overdraw_it(limits: BudgetLimits, stop: StopReason) -> None:
    usage = Usage(100, 20, dollars=0.1)
    answers = [proposed(patch(calc=code), usage) for code in ("a", "a = b", "b", "a = c", "b = c")]

    result = Bench(answers, limits=limits).run()

    assert (result.stop, len(result.attempts)) == (stop, 2)
    assert result.usage.dollars == pytest.approx(0.2)
    assert any(character.isdigit() for character in result.detail)


def test_the_best_attempt_breaks_nothing_then_fixes_most_then_changes_least() -> None:
    answers = [HARMFUL, answer("a = b\nx = 1\ny = 2"), HALF, answer("a = c\nx = 1")]

    assert getattr(Bench(answers).run().best, "number", None) == 3


def test_what_a_lesson_cost_is_part_of_its_attempt() -> None:
    reflector = ScriptedReflector(Usage(30, 10))

    result = Bench([HALF, GOOD], reflector=reflector).run()

    assert [attempt.usage.tokens for attempt in result.attempts] == [160, 120]
    assert len(reflector.seen) == 1


def test_every_step_is_in_the_journal() -> None:
    bench = Bench([PROSE, HARMFUL, GOOD])
    result = bench.run()

    names = [name for name, _ in bench.journal.events]
    assert names == [
        "baseline", "proposal", "attempt", "proposal", "run", "run", "attempt",
        "proposal", "run", "run", "run", "attempt", "stop",
    ]  # fmt: skip
    assert bench.journal.named("run")[1]["deltas"] == {"fixed": ["t::b", "t::c"], "regressed": ["t::a"]}
    assert bench.journal.named("attempt")[1]["tree"] == result.attempts[1].tree
    (stop,) = bench.journal.named("stop")
    assert stop["stop"] == "solved"
    assert stop["by_role"] == {
        "coder": {"prompt_tokens": 300, "completion_tokens": 60, "dollars": 0.0, "estimated": False}
    }


def test_the_same_answers_give_the_same_result_and_the_same_journal() -> None:
    first, second = Bench([USELESS, PROSE, HARMFUL, GOOD]), Bench([USELESS, PROSE, HARMFUL, GOOD])

    assert first.run() == second.run()
    assert first.journal.events == second.journal.events
