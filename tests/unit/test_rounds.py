"""The loop over rounds of several candidates, over several arms, and with somebody who looks at what passes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from fakes import FakeClock, MemoryJournal, ScriptedProposer, ScriptedReflector, patch, proposed
from fakes_workspace import BASE, ScriptedWorkspace, run_of

from bot.errors import BudgetError, ModelError
from bot.repair.loop import repair
from bot.repair.measuring.baseline import settle
from bot.repair.meter import Meter
from bot.repair.proposers import Arm
from bot.repair.rules import Rules, World
from bot.repair.team.reviewer import Opinion
from bot.repair.types import (
    Attempt,
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
TASK = Task(BASE, "title", "text", ("t::b", "t::c"))
IDS = ("t::a", "t::b", "t::c")
YES, NO = Opinion(approve=True, reason="fine"), Opinion(approve=False, reason="it is wrong for zero")


def suite(files: Mapping[str, bytes]) -> dict[str, Outcome]:
    code = files["calc.py"].decode()
    return {node_id: PASSED if node_id[-1] in code else FAILED for node_id in IDS}


@dataclass
class ScriptedReviewer:
    """Gives these opinions in order, then none against anything."""

    opinions: list[Opinion] = field(default_factory=list)
    asked: list[Proposal] = field(default_factory=list)

    def review(self, task: Task, baseline: Baseline, proposal: Proposal, before: Mapping[str, bytes]) -> Opinion:
        assert before == {"calc.py": b"a = 0"}
        assert task.targets
        assert baseline.runs
        self.asked.append(proposal)
        return self.opinions.pop(0) if self.opinions else YES


Answers = Sequence[Proposed | tuple[Proposed, ...] | Exception]


@dataclass
class Bench:
    """One loop with everything scripted; `search` and `model` are its arms."""

    model: Answers = ()
    search: Answers | None = None
    limits: BudgetLimits = field(default_factory=BudgetLimits)
    reviewer: ScriptedReviewer | None = None
    doubter: ScriptedReviewer | None = None
    share: float = 0.25

    def __post_init__(self) -> None:
        self.journal, self.clock = MemoryJournal(), FakeClock()
        self.workspace = ScriptedWorkspace({"calc.py": b"a = 0"}, suite)
        self.reflector = ScriptedReflector()
        self.chat = ScriptedProposer(self.model, name="a model")
        self.searcher = ScriptedProposer(self.search or (), name="mutation search")

    def run(self, rules: Rules | None = None) -> RepairResult:
        meter = Meter(self.limits, self.clock)
        world = World(self.workspace, self.clock, self.journal, meter, self.reviewer, self.doubter)
        first = (Arm(self.searcher, self.share),) if self.search is not None else ()
        arms = (*first, Arm(self.chat), *((Arm(self.searcher),) if first else ()))
        baseline = settle((run_of({"t::a": PASSED, "t::b": FAILED, "t::c": FAILED}),))
        return repair(TASK, baseline, arms, self.reflector, world, rules or Rules())


def answer(code: str) -> Proposed:
    return proposed(patch(calc=code))


def found(code: str) -> Proposed:
    return proposed(patch(calc=code), origin=Origin.MUTATION)


GOOD, OTHER, HALF, USELESS = (answer(code) for code in ("a = b = c", "a = c = b = 1", "a = b", "a"))
HIT = found("a = b = c = 1")


def verdicts(result: RepairResult) -> list[Verdict]:
    return [attempt.verdict for attempt in result.attempts]


def chosen(result: RepairResult) -> Attempt:
    assert result.solution is not None
    return result.solution


def test_a_round_is_one_iteration_evaluated_together_and_told_to_the_next_one_whole() -> None:
    bench = Bench([(USELESS, HALF, answer("x")), GOOD])
    result = bench.run()

    assert [(attempt.number, attempt.round) for attempt in result.attempts] == [(1, 1), (2, 1), (3, 1), (4, 2)]
    assert [len(history) for history in bench.chat.histories] == [0, 3]
    assert result.stop is StopReason.SOLVED


def test_a_model_is_asked_for_one_lesson_a_round_about_the_closest_and_facts_do_for_the_others() -> None:
    bench = Bench([(USELESS, HALF), GOOD])
    result = bench.run()

    assert [attempt.number for attempt in bench.reflector.seen] == [2]
    assert [attempt.reflection and attempt.reflection.stated for attempt in result.attempts[:2]] == [True, False]


def test_no_lesson_is_paid_for_when_nobody_is_going_to_read_it() -> None:
    bench = Bench([USELESS, HALF], limits=BudgetLimits(iterations=2))
    bench.run()

    assert [attempt.number for attempt in bench.reflector.seen] == [1]


def test_of_several_solutions_one_is_taken_and_the_result_says_of_how_many() -> None:
    result = Bench([(answer("a = b = c\nx = 1"), OTHER, answer("a = b = c\nx = 1  # again"))]).run()

    assert chosen(result).number == 1
    assert result.passing == 2
    assert "chosen from the model among 2 distinct candidates that pass (2 from the model)" in result.detail
    assert verdicts(result) == [Verdict.SOLVED, Verdict.SOLVED, Verdict.REPEATED]


def test_the_same_code_twice_in_a_round_runs_once() -> None:
    bench = Bench([(HALF, HALF)], limits=BudgetLimits(iterations=1))

    assert verdicts(bench.run()) == [Verdict.PARTIAL, Verdict.REPEATED]
    assert [len(selection.node_ids) for _, selection in bench.workspace.calls] == [2, 0]


def test_no_answer_yet_is_no_iteration() -> None:
    result = Bench([(), (), GOOD], limits=BudgetLimits(iterations=1)).run()

    assert (result.stop, len(result.attempts)) == (StopReason.SOLVED, 1)


def test_what_a_search_finds_comes_first_and_the_model_is_asked_where_it_finds_nothing() -> None:
    first, second = Bench([GOOD], search=[HIT]), Bench([GOOD], search=[])

    assert [attempt.proposal and attempt.proposal.origin for attempt in first.run().attempts] == [Origin.MUTATION]
    assert first.chat.histories == []
    assert [attempt.proposal and attempt.proposal.origin for attempt in second.run().attempts] == [Origin.MODEL]


def test_a_search_cannot_starve_the_model_nor_the_model_the_search() -> None:
    hits = [found(f"a = {number}") for number in range(9)]
    bench = Bench([USELESS, ModelError("down", "start it")], search=[*hits, HIT], limits=BudgetLimits(iterations=12))
    result = bench.run()

    origins = [attempt.proposal.origin for attempt in result.attempts if attempt.proposal]
    assert origins[:4] == [Origin.MUTATION] * 3 + [Origin.MODEL]
    assert chosen(result).proposal == HIT.proposal


def test_a_search_that_takes_too_long_gives_way() -> None:
    bench = Bench([GOOD], search=[()] * 1000, limits=BudgetLimits(wall_seconds=200.0))
    result = bench.run()

    assert result.stop is StopReason.SOLVED
    assert 0 < len(bench.searcher.histories) < 100


@pytest.mark.parametrize(
    ("error", "stop"),
    [
        (ModelError("It is down", "Start it."), StopReason.MODEL_FAILED),
        (BudgetError("None left", ""), StopReason.TOKENS),
    ],
)
def test_the_stop_that_is_told_is_the_models_where_a_search_had_merely_nothing_left(
    error: ModelError, stop: StopReason
) -> None:
    result = Bench([error], search=[]).run()

    assert result.stop is stop
    assert error.cause in result.detail


def test_a_stuck_model_leaves_the_rest_to_the_search() -> None:
    result = Bench([HALF, HALF], search=[(), (), (), HIT], limits=BudgetLimits(wall_seconds=20.0), share=0.1).run()

    assert chosen(result).proposal == HIT.proposal


def test_a_veto_goes_back_as_a_reason_and_the_next_most_believable_is_looked_at() -> None:
    reviewer = ScriptedReviewer([NO, YES])
    result = Bench([(GOOD, OTHER)], reviewer=reviewer).run()

    assert verdicts(result) == [Verdict.REJECTED, Verdict.SOLVED]
    assert result.attempts[0].reason == "the reviewer's veto: it is wrong for zero"
    assert chosen(result).number == 2
    assert len(reviewer.asked) == 2
    assert chosen(result).reason.endswith("; its reviewer says: fine")


def test_a_solution_that_nobody_could_review_says_so() -> None:
    down = Opinion(approve=True, reason="not reviewed: the budget does not allow it")
    result = Bench([GOOD], reviewer=ScriptedReviewer([down])).run()
    assert "not reviewed: the budget does not allow it" in chosen(result).reason


def test_a_vetoed_solution_is_none_even_if_nothing_better_is_found() -> None:
    bench = Bench([GOOD], search=[HIT], reviewer=ScriptedReviewer([NO, NO]))
    result = bench.run()

    assert (result.stop, result.solution) == (StopReason.EXHAUSTED, None)
    assert verdicts(result) == [Verdict.REJECTED, Verdict.REJECTED]
    assert [event["approve"] for event in bench.journal.named("review")] == [False, False]


def test_a_model_is_asked_about_what_a_search_came_upon_and_about_nothing_else() -> None:
    doubter = ScriptedReviewer()

    assert chosen(Bench([GOOD], search=[HIT], doubter=doubter).run()).proposal == HIT.proposal
    assert Bench([GOOD], search=[], doubter=doubter).run().stop is StopReason.SOLVED
    assert doubter.asked == [HIT.proposal]


def test_what_a_model_doubts_waits_for_something_better() -> None:
    result = Bench([USELESS, OTHER], search=[HIT], doubter=ScriptedReviewer([NO])).run()

    assert verdicts(result) == [Verdict.DOUBTED, Verdict.NOT_FIXED, Verdict.SOLVED]
    assert chosen(result).proposal == OTHER.proposal


def test_what_a_model_doubts_is_taken_with_its_doubt_where_nothing_better_is_found() -> None:
    result = Bench([USELESS], search=[HIT], doubter=ScriptedReviewer([NO])).run()

    assert result.stop is StopReason.SOLVED
    assert chosen(result).proposal is not None
    assert chosen(result).reason == "it passes, but a model doubts it: it is wrong for zero"
    assert chosen(result).reason in result.detail
    assert result.passing == 1


def test_something_better_is_not_waited_for_long() -> None:
    bench = Bench([USELESS, HALF, answer("x"), GOOD], search=[HIT], doubter=ScriptedReviewer([NO]))

    assert chosen(bench.run()).proposal is not None
    assert len(bench.chat.histories) == 2


def test_a_model_that_comes_to_the_same_code_settles_its_doubt() -> None:
    result = Bench([answer("a = b = c = 1  # mine"), GOOD], search=[HIT], doubter=ScriptedReviewer([NO])).run()

    assert verdicts(result) == [Verdict.SOLVED, Verdict.REPEATED]


def test_patience_is_counted_in_rounds_of_fresh_candidates() -> None:
    rounds = [USELESS, *((answer(f"a = {n}x"), answer(f"a = {n}y")) for n in range(4)), GOOD]

    assert Bench(rounds).run().stop in {StopReason.NO_SHRINK, StopReason.SAME_FAILURE}
    assert Bench(rounds).run(Rules(patience=5)).stop is StopReason.SOLVED


def test_the_same_rounds_give_the_same_result_and_the_same_journal() -> None:
    made = [Bench([(USELESS, HALF), OTHER], search=[HIT], doubter=ScriptedReviewer([NO])) for _ in range(2)]

    assert made[0].run() == made[1].run()
    assert made[0].journal.events == made[1].journal.events


def test_a_candidate_in_the_place_of_a_symlink_is_refused_alone() -> None:
    bench = Bench([(proposed(patch(link="x = 1")), GOOD)])
    bench.workspace.symlinks = {"link.py": "calc.py"}
    assert verdicts(bench.run()) == [Verdict.REFUSED, Verdict.SOLVED]
    assert {path for tried, _ in bench.workspace.calls for path in tried.paths} == {"calc.py"}


def test_no_model_is_asked_for_a_lesson_about_what_a_search_made() -> None:
    bench = Bench([HALF, GOOD], search=[(found("a"), found("b = 2"))], share=1.0)
    result = bench.run()
    assert verdicts(result)[:2] == [Verdict.NOT_FIXED, Verdict.REGRESSED]
    assert [one.reflection.stated for one in result.attempts[:2] if one.reflection] == [True, True]
    assert [attempt.proposal and attempt.proposal.origin for attempt in bench.reflector.seen] == [Origin.MODEL]
