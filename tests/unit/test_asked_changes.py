"""Changes that people ask for while nothing is red: made by a model, with the whole suite as the guard."""

from collections.abc import Mapping

from fakes import FakeClock, MemoryJournal, ScriptedModel, ScriptedProposer, patch, proposed
from fakes_workspace import BASE, ScriptedWorkspace, heeding, run_of

from bot.repair.asked import Asked, Spot
from bot.repair.localisation.evidence import Investigation
from bot.repair.loop import repair
from bot.repair.measuring.baseline import settle
from bot.repair.meter import Meter
from bot.repair.prompting.chat import ChatProposer
from bot.repair.prompting.room import Asker, Room
from bot.repair.proposers import Arm
from bot.repair.rules import Rules, World
from bot.repair.team.facts import ModelFacts
from bot.repair.team.reflect import StatedReflector
from bot.repair.team.reviewer import Reviewer
from bot.repair.types import BudgetLimits, Proposed, RepairResult, StopReason, Task, Verdict
from sandbox.spec import Outcome

PASSED, FAILED = Outcome.PASSED, Outcome.FAILED
TESTS = b"from calc import a\n\n\ndef test_a():\n    assert a == 0\n"
FILES = {"calc.py": b"a = 0\n\n\ndef half(x):\n    return x / 2\n", "test_calc.py": TESTS}
BASELINE = settle((run_of({"test_calc.py::test_a": PASSED, "test_calc.py::test_old": FAILED}),))
TASK = Task(BASE, "A review", "Please say why a is nought.", (), asked=Asked(unshown=True))


def suite(files: Mapping[str, bytes]) -> Mapping[str, Outcome]:
    """`test_a` passes as long as a is 0; `test_old` never does; a new test in the file does what its text says."""
    good = b"a = 0" in files["calc.py"]
    found = {"test_calc.py::test_a": PASSED if good else FAILED, "test_calc.py::test_old": FAILED}
    names = [line[4:-3].decode() for line in files["test_calc.py"].splitlines() if line.startswith(b"def test_a_")]
    forged = b"forge" in files["calc.py"]
    return found | {f"test_calc.py::{name}": PASSED if forged else FAILED for name in names}


def run(*answers: Proposed | tuple[Proposed, ...], task: Task = TASK, reviewer: Reviewer | None = None) -> RepairResult:
    clock, journal = FakeClock(), MemoryJournal()
    world = World(ScriptedWorkspace(FILES, suite), clock, journal, Meter(BudgetLimits(), clock), reviewer)
    arms = (Arm(ScriptedProposer(answers)),)
    return repair(task, BASELINE, arms, StatedReflector(), world, Rules())


def test_a_change_that_breaks_nothing_is_taken_and_says_that_no_test_shows_it() -> None:
    result = run(proposed(patch(calc="a = 0  # since it is nought\n")))
    assert result.stop is StopReason.SOLVED
    assert result.solution is not None
    assert result.solution.comparison.fixed == ()
    assert result.solution.reason == "not shown by any test, nothing broke, in two fresh containers"


def test_a_change_that_breaks_a_test_is_not_taken_however_much_it_was_asked_for() -> None:
    result = run(proposed(patch(calc="a = 1\n")))
    assert result.solution is None
    assert [attempt.verdict for attempt in result.attempts] == [Verdict.REGRESSED]


def test_a_test_that_was_red_before_is_no_reason_against_a_change() -> None:
    result = run(proposed(patch(calc="a = 0\nb = 2\n")))
    assert result.solution is not None
    assert result.solution.comparison.still_failing == ("test_calc.py::test_old",)


def test_a_change_that_forges_results_is_found_out_without_any_target() -> None:
    result = run(proposed(patch(calc="a = 0\nforge = 1\n")))
    assert [attempt.verdict for attempt in result.attempts] == [Verdict.REJECTED]
    assert "forged" in result.attempts[0].reason


def test_nothing_is_solved_without_a_target_where_nobody_asked() -> None:
    result = run(proposed(patch(calc="a = 0\nb = 2\n")), task=Task(BASE, "t", "t", ()))
    assert result.solution is None
    assert result.stop is StopReason.TARGETS_FLAKY


def test_a_reviewer_is_told_that_no_test_shows_it_and_may_veto() -> None:
    model = ScriptedModel(["REASON: it does not say why at all\nVERDICT: VETO"] * 3)
    result = run(proposed(patch(calc="a = 0\nb = 2\n")), reviewer=Reviewer(Asker(model, Room(ModelFacts()))))
    assert [attempt.verdict for attempt in result.attempts] == [Verdict.REJECTED]
    system = model.prompts[0][0].content
    assert "no test shows that it does what they ask for" in system
    assert "failing tests pass" not in system


def test_the_lines_that_people_point_at_come_first_in_what_a_model_is_shown() -> None:
    task = Task(BASE, "t", "rename", (), asked=Asked((Spot("calc.py", 5), Spot("gone.py", 1)), unshown=True))
    evidence = Investigation(ScriptedWorkspace(FILES, heeding({"test_calc.py": TESTS}, suite))).look(task, BASELINE)
    first = evidence.suspects[0]
    assert (first.path, first.qualified_name, first.source) == ("calc.py", "half", "asked")


def test_the_prompt_asks_for_what_people_want_and_speaks_of_no_failing_test() -> None:
    model = ScriptedModel(["CAUSE: said\n\ncalc.py\n<<<<<<< SEARCH\na = 0\n=======\na = 0  # nought\n>>>>>>> REPLACE"])
    proposer = ChatProposer(Asker(model, Room(ModelFacts())), ScriptedWorkspace(FILES, suite), MemoryJournal())
    (answer,) = proposer.propose(TASK, BASELINE, ())
    assert answer.proposal is not None
    prompt = "\n".join(message.content for message in model.prompts[0])
    assert "Please say why a is nought." in prompt
    assert "tests that fail" not in prompt
    assert "failing tests" not in prompt
    assert "return x / 2" in prompt
