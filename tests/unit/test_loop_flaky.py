"""What the loop makes of targets that turn out to be flaky, for solutions beside them and in reserve."""

from collections.abc import Mapping

from fakes import FakeClock, MemoryJournal, ScriptedProposer, ScriptedReflector, patch, proposed
from fakes_workspace import BASE, ScriptedWorkspace, run_of

from bot.repair.loop import repair
from bot.repair.measuring.baseline import settle
from bot.repair.meter import Meter
from bot.repair.proposers import Arm
from bot.repair.rules import Rules, World
from bot.repair.team.reviewer import Opinion
from bot.repair.types import (
    Baseline,
    BudgetLimits,
    Origin,
    Proposal,
    Proposed,
    RepairResult,
    StopReason,
    Task,
    Verdict,
)
from sandbox.spec import Outcome

PASSED, FAILED = Outcome.PASSED, Outcome.FAILED
ORIGINAL, SHAKY = b"a = 0", b"shaky = 1"
# The second run of a candidate is its first of the whole suite.
IN_SUITE = 2


class Moody:
    """`t::b` passes on base from the `after`th run there on, and with any patch; `t::a` fails once with `SHAKY`."""

    def __init__(self, after: int) -> None:
        self.after, self.on_base, self.shaken = after, 0, 0

    def __call__(self, files: Mapping[str, bytes]) -> dict[str, Outcome]:
        code = files["calc.py"]
        if code == ORIGINAL:
            self.on_base += 1
            return {"t::a": PASSED, "t::b": PASSED if self.on_base >= self.after else FAILED}
        self.shaken += code == SHAKY
        return {"t::a": FAILED if code == SHAKY and self.shaken == IN_SUITE else PASSED, "t::b": PASSED}


class Objects:
    """A model that doubts everything, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def review(self, task: Task, baseline: Baseline, proposal: Proposal, before: Mapping[str, bytes]) -> Opinion:
        del baseline, proposal, before
        assert task.targets
        self.asked += 1
        return Opinion(approve=False, reason="odd")


def run(
    after: int, *rounds: Proposed | tuple[Proposed, ...], doubter: Objects | None = None
) -> tuple[RepairResult, MemoryJournal]:
    workspace, journal, clock = ScriptedWorkspace({"calc.py": ORIGINAL}, Moody(after)), MemoryJournal(), FakeClock()
    meter = Meter(BudgetLimits(), clock)
    world = World(workspace, clock, journal, meter, None, doubter)
    baseline = settle((run_of({"t::a": PASSED, "t::b": FAILED}),))
    task = Task(BASE, "title", "text", ("t::b",))
    arms = (Arm(ScriptedProposer(rounds)),)
    return repair(task, baseline, arms, ScriptedReflector(), world, Rules()), journal


def found(code: str) -> Proposed:
    return proposed(patch(calc=code), origin=Origin.MUTATION)


ONE, TWO = proposed(patch(calc="b = 1")), proposed(patch(calc="b = 2"))
# The first candidate's reruns on base, and those of its proof; the next run there is the second candidate's.
FIRST_HOLDS = 9


def test_a_sibling_that_solved_a_target_which_another_finds_flaky_solves_nothing() -> None:
    result, journal = run(FIRST_HOLDS, (ONE, TWO))

    assert (result.stop, result.solution) == (StopReason.TARGETS_FLAKY, None)
    assert [attempt.verdict for attempt in result.attempts] == [Verdict.NOT_FIXED, Verdict.NOT_FIXED]
    assert "t::b" in result.attempts[0].reason
    assert [event["verdict"] for event in journal.named("attempt")] == ["not_fixed", "not_fixed"]


def test_nobody_is_asked_about_a_solution_of_what_is_flaky() -> None:
    doubter = Objects()

    run(FIRST_HOLDS, (found("b = 1"), found("b = 2")), doubter=doubter)

    assert doubter.asked == 0


def test_what_is_kept_in_reserve_is_no_solution_once_its_target_is_flaky() -> None:
    doubter = Objects()

    result, _ = run(FIRST_HOLDS, found("b = 1"), TWO, doubter=doubter)

    assert doubter.asked == 1
    assert (result.stop, result.solution) == (StopReason.TARGETS_FLAKY, None)
    assert [attempt.verdict for attempt in result.attempts] == [Verdict.NOT_FIXED, Verdict.NOT_FIXED]


def test_the_stop_names_a_target_and_no_other_test_that_was_flaky() -> None:
    result, _ = run(1, (ONE, proposed(patch(calc=SHAKY.decode()))))

    assert result.stop is StopReason.TARGETS_FLAKY
    assert [flake.node_id for flake in result.baseline.flakes] == ["t::b", "t::a"]
    assert result.detail.startswith("t::b ")
