"""What is taken is what the reviewer let pass, however the candidates of all rounds vote."""

from collections.abc import Mapping

from fakes import FakeClock, MemoryJournal, ScriptedProposer, ScriptedReflector, patch, proposed
from fakes_workspace import BASE, ScriptedWorkspace, run_of

from bot.repair.loop import repair
from bot.repair.measuring.baseline import settle
from bot.repair.meter import Meter
from bot.repair.proposers import Arm
from bot.repair.rules import Rules, World
from bot.repair.team.reviewer import Opinion
from bot.repair.types import Baseline, BudgetLimits, Proposal, Task, Verdict
from sandbox.spec import Outcome, RunState, TestRun

PASSED, FAILED = Outcome.PASSED, Outcome.FAILED
SHORT, LONG = proposed(patch(calc="b = 1")), proposed(patch(calc="b = 2\nc = 3"))


class HangsOnce:
    """`t::b` passes with any patch; the first run with `LONG` hangs."""

    def __init__(self) -> None:
        self.hung = False

    def __call__(self, files: Mapping[str, bytes]) -> dict[str, Outcome] | TestRun:
        if files["calc.py"].startswith(b"b = 2") and not self.hung:
            self.hung = True
            return TestRun(RunState.TIMEOUT)
        return {"t::a": PASSED, "t::b": FAILED if files["calc.py"] == b"a = 0" else PASSED}


class Approves:
    """Lets everything pass, and keeps what it was asked about."""

    def __init__(self) -> None:
        self.asked: list[Proposal] = []

    def review(self, task: Task, baseline: Baseline, proposal: Proposal, before: Mapping[str, bytes]) -> Opinion:
        del task, baseline, before
        self.asked.append(proposal)
        return Opinion(approve=True, reason="fine")


def test_a_vote_of_an_earlier_round_chooses_nothing_that_was_not_reviewed() -> None:
    reviewer, clock = Approves(), FakeClock()
    workspace = ScriptedWorkspace({"calc.py": b"a = 0"}, HangsOnce())
    world = World(workspace, clock, MemoryJournal(), Meter(BudgetLimits(), clock), reviewer)
    baseline = settle((run_of({"t::a": PASSED, "t::b": FAILED}),))
    task = Task(BASE, "title", "text", ("t::b",))
    arms = (Arm(ScriptedProposer([LONG, (SHORT, LONG)])),)

    result = repair(task, baseline, arms, ScriptedReflector(), world, Rules())

    verdicts = [attempt.verdict for attempt in result.attempts]
    assert verdicts == [Verdict.INVALID_RUN, Verdict.SOLVED, Verdict.SOLVED]
    assert result.solution is not None
    assert reviewer.asked == [result.solution.proposal]
