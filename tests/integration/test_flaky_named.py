"""A whole job over scripted ports on a suite with a flaky test: what the pull request and the comments say of it."""

from collections.abc import Callable, Mapping
from itertools import cycle

from fakes_fix import FILES, HIGH, ZERO, Stage, grading
from fakes_workspace import ScriptedWorkspace, run_of

from bot.jobs import State
from bot.repair.types import Base, BudgetLimits, Patch, Selection
from sandbox.spec import Outcome, TestResult, TestRun

SHAKY = "tests/test_grades.py::test_shaky"


def shaky(*outcomes: Outcome) -> Callable[[Mapping[str, bytes]], dict[str, TestResult]]:
    """The grading suite, with a test that comes out like this, run after run, for ever."""
    turn = cycle(outcomes)
    return lambda files: {**grading(files), SHAKY: TestResult(SHAKY, next(turn), message="connection refused")}


def test_the_pull_request_names_a_flaky_test_with_its_evidence() -> None:
    stage = Stage(suite=shaky(Outcome.PASSED, Outcome.FAILED, Outcome.FAILED))
    outcome = stage.run()
    (pull,) = stage.github.pulls

    assert outcome.state is State.PUBLISHED
    assert "### Flaky tests" in pull.new.body
    assert f"- `{SHAKY}`: failed in 2, passed in 1 of 3 runs on the same code; it said: connection refused" in (
        pull.new.body
    )
    assert "Before: 3 runs of the whole suite, in the runner's own order: it has no random one." in pull.new.body


class FailingOnce(ScriptedWorkspace):
    """One test fails in the first run of the whole suite with a patch, and never again."""

    failed = False

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        runs = super().evaluate(base, patches, selection)
        if self.failed or selection.node_ids or not patches[0].changes:
            return runs
        self.failed = True
        return (run_of({**runs[0].outcomes, HIGH: Outcome.FAILED}), *runs[1:])


def test_a_flake_that_only_a_candidate_meets_costs_it_nothing_and_is_named() -> None:
    stage = Stage(workspace=FailingOnce(FILES, grading))
    outcome = stage.run()
    (pull,) = stage.github.pulls

    assert outcome.state is State.PUBLISHED
    said = (
        f"- `{HIGH}`: failed with the patch in the suite; alone, in 0 of 3 runs with the patch and in 0 of 3 without it"
    )
    assert said in pull.new.body


def test_a_red_test_that_is_flaky_is_not_repaired_and_the_comment_says_why() -> None:
    outcomes = [Outcome.FAILED] * 3 + [Outcome.PASSED, Outcome.FAILED, Outcome.PASSED]
    turn = cycle(outcomes)
    stage = Stage(suite=lambda _: {SHAKY: TestResult(SHAKY, next(turn)), ZERO: TestResult(ZERO, Outcome.PASSED)})
    outcome = stage.run()

    assert outcome.state is State.GREEN
    assert f"- `{SHAKY}`: failed on base in 3 runs of the suite; repeated, in 1 of 3 runs on base" in stage.comment
    assert not stage.github.pulls


def test_every_run_is_in_the_journal_and_a_slow_suite_has_fewer() -> None:
    counts = []
    for budget in (BudgetLimits(), BudgetLimits(slow_suite_seconds=0.5)):
        stage = Stage(budget=budget)
        assert stage.run().state is State.PUBLISHED
        batches = stage.journal.named("evaluated")
        counts.append(sum(int(str(batch["base"])) for batch in batches if not batch["selected"]))

    assert counts == [3, 2]
