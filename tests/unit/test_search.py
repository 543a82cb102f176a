from collections.abc import Mapping

from fakes_workspace import BASE, ScriptedWorkspace

from bot.repair.mutation.search import MutationProposer
from bot.repair.types import (
    Attempt,
    Base,
    Baseline,
    Comparison,
    Origin,
    Patch,
    Proposed,
    Screening,
    Selection,
    Task,
    Usage,
    Verdict,
)
from sandbox.spec import Frame, Outcome, TestResult

CART = b"def total(prices):\n    return sum(prices) - 1\n\n\ndef count(items):\n    return len(items)\n"
TESTS = b"from cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
TARGET = "test_cart.py::test_total"
FRAMES = (Frame("test_cart.py", 5, "test_total"),)
FAILING = TestResult(TARGET, Outcome.FAILED, exception="AssertionError", frames=FRAMES)
TASK = Task(BASE, "wrong total", "", (TARGET,))
BASELINE = Baseline(2, (FAILING,), (), (), (), 1.0)


def suite(files: Mapping[str, bytes]) -> dict[str, Outcome]:
    """Runs the test for real: the function is pure."""
    scope: dict[str, object] = {}
    try:
        exec(files["cart.py"], scope)  # noqa: S102 (our own code above, mutated)
        good = eval("total([1, 2]) == 3", scope)  # noqa: S307 (likewise)
    except Exception:  # noqa: BLE001 (a mutant may raise anything)
        good = False
    return {TARGET: Outcome.PASSED if good else Outcome.FAILED}


class Screens(ScriptedWorkspace):
    """Keeps the size of every screening and counts the reads."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(files, suite)
        self.screened: list[int] = []

    def screen(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[Screening, ...]:
        self.screened.append(len(patches))
        assert selection == Selection((TARGET,))
        return super().screen(base, patches, selection)


def attempt(number: int, proposed: Proposed) -> Attempt:
    return Attempt(number, Verdict.REGRESSED, proposed.proposal, Comparison(), "", "", None, Usage(), 0.0)


def rounds(proposer: MutationProposer) -> list[tuple[Proposed, ...]]:
    """Ask until nothing is left; every answer."""
    history: tuple[Attempt, ...] = ()
    answers: list[tuple[Proposed, ...]] = []
    while not answers or not any(one.exhausted for one in answers[-1]):
        answers.append(proposer.propose(TASK, BASELINE, history))
        history += tuple(attempt(len(history) + 1, one) for one in answers[-1])
    return answers


def offers(proposer: MutationProposer) -> tuple[list[Proposed], Proposed]:
    """What came, one by one, and the last answer."""
    *found, (last,) = rounds(proposer)
    return [one for answer in found for one in answer], last


def test_a_plausible_mutant_is_offered_with_where_it_came_from() -> None:
    answer, *_ = MutationProposer(Screens({"cart.py": CART, "test_cart.py": TESTS})).propose(TASK, BASELINE, ())
    assert answer.proposal is not None
    assert answer.proposal.origin is Origin.MUTATION
    assert answer.proposal.rung == "mutation"
    assert "in total (cart.py, line 2)" in answer.proposal.explanation
    assert "not by understanding" in answer.proposal.explanation
    assert answer.usage == Usage()


def test_each_plausible_mutant_is_offered_once_and_then_the_search_is_exhausted() -> None:
    workspace = Screens({"cart.py": CART, "test_cart.py": TESTS})
    found, last = offers(MutationProposer(workspace, batch=5))
    patches = [answer.proposal.patch for answer in found if answer.proposal]
    assert len(patches) == len(set(patches)) > 1
    assert last.exhausted
    assert "none left to offer" in last.refusal
    assert workspace.screened[:2] == [5, 5]


def test_no_batch_is_screened_twice_and_none_before_it_is_needed() -> None:
    workspace = Screens({"cart.py": CART, "test_cart.py": TESTS})
    proposer = MutationProposer(workspace, batch=5)
    proposer.propose(TASK, BASELINE, ())
    first = len(workspace.screened)
    proposer.propose(TASK, BASELINE, ())
    assert len(workspace.screened) == first
    whole = Screens({"cart.py": CART, "test_cart.py": TESTS})
    offers(MutationProposer(whole, batch=5))
    assert first < len(whole.screened)


def test_a_replay_asks_the_workspace_the_same_things_and_offers_the_same() -> None:
    files = {"cart.py": CART, "test_cart.py": TESTS}
    one, two = Screens(files), Screens(files)
    assert offers(MutationProposer(one)) == offers(MutationProposer(two))
    assert one.screened == two.screened


def test_the_number_of_screened_mutants_is_bounded() -> None:
    workspace = Screens({"cart.py": CART.replace(b"- 1", b"- 5"), "test_cart.py": TESTS})
    offers(MutationProposer(workspace, batch=4, limit=10))
    assert sum(workspace.screened) <= 10


def test_a_search_for_several_tests_says_that_one_change_must_serve_all() -> None:
    task = Task(BASE, "", "", (TARGET, "test_cart.py::test_other"))
    workspace = ScriptedWorkspace({"cart.py": CART, "test_cart.py": TESTS}, lambda _: {TARGET: Outcome.FAILED})
    (answer,) = MutationProposer(workspace, limit=3).propose(task, BASELINE, ())
    refusal = answer.refusal
    assert "3 single changes screened, 0 plausible" in refusal
    assert "one change must turn all 2 red tests green" in refusal
    assert "`test_command` in .github/regreen.yml, or `--test-command` of the command line" in refusal


def test_what_is_plausible_is_counted_in_plain_words() -> None:
    workspace = Screens({"cart.py": CART, "test_cart.py": TESTS})
    details = [answer.proposal.detail for answer in offers(MutationProposer(workspace, batch=1))[0] if answer.proposal]
    assert details[0].startswith("1 of ")
    assert all(detail.startswith("1 ") == (" is plausible" in detail) for detail in details)


def test_nothing_to_mutate_is_said_at_once() -> None:
    (answer,) = MutationProposer(Screens({"test_cart.py": TESTS})).propose(TASK, BASELINE, ())
    assert answer.exhausted
    assert "no function" in answer.refusal


class Interrupted(Screens):
    """A container that has time for one mutant only."""

    def screen(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[Screening, ...]:
        first, *rest = super().screen(base, patches, selection)
        return (first, *[Screening(plausible=False, detail="not screened")] * len(rest))


def test_what_a_container_had_no_time_for_is_screened_in_the_next_one() -> None:
    files = {"cart.py": CART, "test_cart.py": TESTS}
    whole, parts = offers(MutationProposer(Screens(files)))[0], offers(MutationProposer(Interrupted(files)))[0]
    assert [one.proposal and one.proposal.patch for one in parts] == [
        one.proposal and one.proposal.patch for one in whole
    ]


class Slow(Screens):
    """Takes a minute for each mutant, by its own clock."""

    time = 0.0

    def now(self) -> float:
        return self.time

    def screen(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[Screening, ...]:
        self.time += 60 * len(patches)
        return super().screen(base, patches, selection)


def test_slow_mutants_come_in_small_batches_and_quick_ones_in_large() -> None:
    files = {"cart.py": CART.replace(b"- 1", b"- 5"), "test_cart.py": TESTS}
    slow, quick = Slow(files), Screens(files)
    offers(MutationProposer(slow, batch=3, clock=slow))
    offers(MutationProposer(quick, batch=3))
    assert set(slow.screened[1:]) == {1}
    assert max(quick.screened) > 3
