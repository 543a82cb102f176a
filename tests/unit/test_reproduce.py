"""A tester's answers against a small repository: what counts as a reproduction, and what goes back."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count

import pytest
from fakes import MemoryJournal, ScriptedModel
from fakes_workspace import BASE, ScriptedWorkspace, Suite
from fakes_written import FIFTY, FILES, GREEN, ISSUE, NEW, NOT_THERE, OTHER_VALUE, answer, running

from bot.errors import ModelError
from bot.repair.measuring.baseline import measure
from bot.repair.prompting.room import Asker, Room
from bot.repair.reproduction.placing import look
from bot.repair.reproduction.reproduce import ALONE, TRIES, Reproduction, reproduce, show
from bot.repair.team.facts import ModelFacts
from bot.repair.team.tester import Tester
from bot.repair.types import Completion, Usage
from sandbox.spec import Outcome, RunState, TestResult, TestRun


class Bench:
    """One search for a failing test with everything scripted."""

    def __init__(self, *replies: str | Completion | Exception, suite: Suite = running) -> None:
        self.workspace = ScriptedWorkspace(FILES, suite)
        self.journal = MemoryJournal()
        self.model = ScriptedModel(replies, "writer")
        self.baseline = measure(self.workspace, BASE)
        self.workspace.calls.clear()

    def run(self) -> Reproduction:
        ground = look(self.workspace, BASE, self.baseline, ISSUE, "issue_7")
        assert ground
        tester = Tester(Asker(self.model, Room(ModelFacts())))
        return reproduce(self.workspace, self.journal, self.baseline, ground, tester, ISSUE)


def test_a_test_that_fails_as_predicted_three_times_counts() -> None:
    bench = Bench(answer())
    found = bench.run()
    assert found.test
    assert (found.test.path, found.test.author, found.targets) == (NEW, "writer", (FIFTY,))
    assert found.test.cause == "the limit itself is left out"
    assert found.shown.runs == 3
    assert [selection.node_ids for _, selection in bench.workspace.calls] == [(), *[(FIFTY,)] * ALONE]
    assert all(patch == found.additions for patch, _ in bench.workspace.calls)


def test_the_baseline_then_holds_the_new_test_as_failing() -> None:
    bench = Bench(answer())
    extended = bench.run().extended(bench.baseline)
    assert extended.failing_ids == (FIFTY,)
    assert extended.passing == bench.baseline.passing


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (GREEN, "passes on the present code"),
        (OTHER_VALUE, "does not show 'none'"),
        (NOT_THERE, "in the test itself"),
        (answer(imports="from grades import marks\n"), "cannot be believed"),
        (answer("    raise ValueError('x')", "ZeroDivisionError: x"), "another exception"),
        (answer(fails_with="AssertionError"), "state the values"),
        (answer().replace("FAILS WITH", "IT FAILS"), "nothing behind FAILS WITH"),
        (answer().replace("test_fifty", "fifty"), "0 blocks with a test"),
        (answer() + answer(), "2 blocks with a test"),
        (answer("    assert grade(50 == 'pass'"), "does not parse"),
        (answer(imports=""), "imports none of the repository's own code"),
        (answer(imports="import subprocess\nfrom grades import grade\n"), "uses subprocess"),
        (answer("    open('x', 'w')\n    assert grade(50) == 'pass'"), "uses open"),
        (answer("    assert grade(50) == 'pass\u202e'"), "U+202E"),
        (Completion(answer(), "length", Usage(900, 1500), "m"), "cut off"),
    ],
)
def test_an_answer_that_does_not_count_goes_back_with_the_reason(reply: str | Completion, why: str) -> None:
    bench = Bench(reply, answer())
    found = bench.run()
    assert found.test
    assert why in found.tried[0]
    assert why.partition(" ")[0] in bench.model.prompts[1][1].content


def test_the_tries_are_bounded_and_each_is_told() -> None:
    bench = Bench(*[GREEN] * (TRIES + 2))
    found = bench.run()
    assert (found.test, found.targets, len(found.tried)) == (None, (), TRIES)
    assert len(bench.model.prompts) == TRIES
    assert [entry["counts"] for entry in bench.journal.named("test_judged")] == [False] * TRIES


def test_a_model_that_does_not_answer_ends_the_search() -> None:
    found = Bench(GREEN, ModelError("The server is down", "Start it.")).run()
    assert found.test is None
    assert "down" in str(found.stopped)
    assert len(found.tried) == 1


def every(times: int, otherwise: Callable[[TestRun], TestRun]) -> Suite:
    """The suite, but from the `times`-th run on that has the new file in it, something else."""
    counted = count(1)

    def suite(files: Mapping[str, bytes]) -> TestRun:
        run = running(files)
        return otherwise(run) if NEW in files and next(counted) >= times else run

    return suite


def green(run: TestRun) -> TestRun:
    return replace(run, results=tuple(replace(result, outcome=Outcome.PASSED) for result in run.results))


@pytest.mark.parametrize("times", [2, 3])
def test_what_fails_at_random_does_not_count(times: int) -> None:
    found = Bench(answer(), GREEN, GREEN, suite=every(times, green)).run()
    assert found.test is None
    assert "not fail every time" in found.tried[0]


def test_a_file_that_changes_other_tests_does_not_count() -> None:
    def harmed(run: TestRun) -> TestRun:
        red = TestResult("tests/test_grades.py::test_high", Outcome.FAILED)
        return replace(run, results=tuple(red if result.node_id == red.node_id else result for result in run.results))

    found = Bench(answer(), GREEN, GREEN, suite=every(1, harmed)).run()
    assert "changes other tests: tests/test_grades.py::test_high" in found.tried[0]


def test_a_run_that_cannot_be_believed_shows_nothing() -> None:
    found = Bench(answer(), GREEN, GREEN, suite=every(1, lambda _: TestRun(RunState.TIMEOUT, seconds=9.0))).run()
    assert "hung" in found.tried[0]


def test_a_test_that_somebody_approved_is_shown_again_without_a_model() -> None:
    bench = Bench(answer())
    test = bench.run().test
    assert test
    shown = show(bench.workspace, BASE, bench.baseline, test, ISSUE)
    assert [result.node_id for result in shown.failing] == [FIFTY]
    fixed = ScriptedWorkspace({**FILES, "grades.py": FILES["grades.py"].replace(b">", b">=")}, running)
    assert "passes on the present code" in show(fixed, BASE, bench.baseline, test, ISSUE).reason


def test_the_digest_depends_on_path_prediction_and_content_alone() -> None:
    test = Bench(answer()).run().test
    assert test
    assert replace(test, author="x", cause="y").digest == test.digest
    others = (replace(test, path="x"), replace(test, content=b"x"), replace(test, prediction="x"))
    assert len({test.digest, *(other.digest for other in others)}) == 4
