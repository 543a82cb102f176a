from fakes import MemoryJournal
from fakes_workspace import BASE, ScriptedWorkspace

from bot.repair.localisation.evidence import MAX_NEAR, MAX_RED, Investigation, nearby
from bot.repair.types import Baseline, Task
from sandbox.spec import Outcome, TestResult

FILES = {
    "shop.py": b"import plugins\n\n\ndef total(items):\n    return plugins.run(items)\n\n\n"
    b"def other(x):\n    return x\n",
    "plugins.py": b"def run(items):\n    return load('hidden')(items)\n",
    "deep/hidden.py": b"def summed(items):\n    return sum(items) + 1\n",
    "tests/test_shop.py": b"from shop import total, other\n\n\ndef test_total():\n    assert total([1]) == 1\n\n\n"
    b"def test_other():\n    assert other(1) == 1\n",
}
RED, GREEN = "tests/test_shop.py::test_total", "tests/test_shop.py::test_other"
BASELINE = Baseline(2, (TestResult(RED, Outcome.FAILED),), (GREEN, "tests/test_far.py::test_x"), (), (), 1.0)
TASK = Task(BASE, "t", "t", (RED,))


def observed() -> ScriptedWorkspace:
    workspace = ScriptedWorkspace(FILES, lambda _: {})
    workspace.called = {
        RED: (("deep/hidden.py", 1), ("plugins.py", 1), ("shop.py", 4), ("tests/test_shop.py", 4)),
        GREEN: (("shop.py", 8), ("tests/test_shop.py", 8)),
    }
    return workspace


def test_files_that_only_a_run_leads_to_are_read_and_suspected() -> None:
    evidence = Investigation(observed()).look(TASK, BASELINE)
    assert "deep/hidden.py" in evidence.files
    assert {one.qualified_name for one in evidence.suspects[:3]} == {"summed", "run", "total"}
    assert {source.path for source in evidence.sources} == {"shop.py", "plugins.py", "deep/hidden.py"}


def test_without_coverage_the_files_are_found_as_far_as_they_can_be_read_off() -> None:
    workspace = ScriptedWorkspace(FILES, lambda _: {})
    evidence = Investigation(workspace).look(TASK, BASELINE)
    assert [one.qualified_name for one in evidence.suspects[:2]] == ["total", "run"]


def test_one_run_of_the_tests_near_the_failing_ones_is_taken_once_and_said() -> None:
    workspace, journal = observed(), MemoryJournal()
    investigation = Investigation(workspace, journal)
    assert investigation.look(TASK, BASELINE) is investigation.look(TASK, BASELINE)
    assert workspace.looks == [("coverage", (RED, GREEN))]
    ((event, fields),) = journal.events
    assert event == "localised"
    assert fields["coverage"] == {"tests_run": 2, "tests_seen": 2}


def test_tests_of_other_languages_are_not_run_for_nothing() -> None:
    assert nearby([TestResult("a.test.js::adds", Outcome.FAILED)], ("a.test.js::other",)) == ()


def test_nearby_tests_are_bounded_and_spread_over_their_files() -> None:
    red = [TestResult(f"t.py::red{number}", Outcome.FAILED) for number in range(100)]
    green = tuple(f"t.py::green{number}" for number in range(5000))
    near = nearby(red, green)
    assert len(near) <= MAX_NEAR
    assert sum("red" in one for one in near) == MAX_RED
    assert int(near[-1].rpartition("green")[2]) > 4500


def test_what_the_policy_protects_is_neither_suspected_nor_offered() -> None:
    evidence = Investigation(observed(), protected=("/deep/",)).look(TASK, BASELINE)
    assert "deep/hidden.py" not in {one.path for one in evidence.suspects}
    assert {source.path for source in evidence.sources} == {"shop.py", "plugins.py"}
