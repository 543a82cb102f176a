import sys
from pathlib import Path

import pytest
from guest_runs import run_plan

from sandbox.spec import Frame, Outcome, Recipe, RunState, TestRun

OUTCOMES = """
import unittest

class Outcomes(unittest.TestCase):
    def test_passes(self): pass
    def test_fails(self): self.assertEqual(1, 2)
    def test_errs(self): {}["k"]
    @unittest.skip("later")
    def test_skips(self): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    @unittest.expectedFailure
    def test_unexpected(self): pass
    def test_parts(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertNotEqual(n, 1)

class SetUp(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise RuntimeError("no set-up")
    def test_a(self): pass
    def test_b(self): pass

class TearDown(unittest.TestCase):
    @classmethod
    def tearDownClass(cls): raise RuntimeError("no teardown")
    def test_a(self): pass
    def test_b(self): pass

class Skipped(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("not here")
    def test_a(self): pass
"""
LOADED = """
import unittest

class Loaded(unittest.TestCase):
    def test_one(self): pass

def load_tests(loader, tests, pattern):
    tests.addTest(unittest.FunctionTestCase(lambda: None, description="made by hand"))
    return tests
"""


def run(
    directory: Path, files: dict[str, str], node_ids: tuple[str, ...] = (), arguments: tuple[str, ...] = ()
) -> TestRun:
    recipe = Recipe("unittest", (), (sys.executable, "-m", "unittest", *arguments), "test")
    return run_plan(directory, recipe, files, node_ids)


def test_tells_every_outcome_with_its_phase(tmp_path: Path) -> None:
    found = run(tmp_path, {"test_it.py": OUTCOMES})
    assert (found.state, found.exit_code) == (RunState.COMPLETE, 1)
    told = {result.node_id.partition("::")[2]: (result.outcome, result.phase) for result in found.results}
    assert told == {
        "Outcomes::test_passes": (Outcome.PASSED, "call"),
        "Outcomes::test_fails": (Outcome.FAILED, "call"),
        "Outcomes::test_errs": (Outcome.ERROR, "call"),
        "Outcomes::test_skips": (Outcome.SKIPPED, "call"),
        "Outcomes::test_expected": (Outcome.XFAILED, "call"),
        "Outcomes::test_unexpected": (Outcome.FAILED, "call"),
        "Outcomes::test_parts": (Outcome.FAILED, "call"),
        "SetUp::test_a": (Outcome.ERROR, "setup"),
        "SetUp::test_b": (Outcome.ERROR, "setup"),
        "TearDown::test_a": (Outcome.PASSED, "call"),
        "TearDown::test_b": (Outcome.ERROR, "teardown"),
        "Skipped::test_a": (Outcome.SKIPPED, "setup"),
    }


def test_tells_exceptions_frames_and_the_subtest_that_failed(tmp_path: Path) -> None:
    results = {result.node_id: result for result in run(tmp_path, {"test_it.py": OUTCOMES}).results}
    failed, parts = results["test_it.py::Outcomes::test_fails"], results["test_it.py::Outcomes::test_parts"]
    assert (failed.exception, failed.message) == ("AssertionError", "1 != 2")
    assert failed.frames == (Frame("test_it.py", 6, "test_fails"),)
    assert parts.message.startswith("(n=1) ")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), {"test_root.py::A::test_x", "pkg/test_sub.py::A::test_x", "pkg/test_sub.py::A::test_y"}),
        (("discover", "-s", "pkg", "-t", "."), {"pkg/test_sub.py::A::test_x", "pkg/test_sub.py::A::test_y"}),
        (
            ("discover", "-s", "pkg", "-p", "*_sub.py", "-v"),
            {"pkg/test_sub.py::A::test_x", "pkg/test_sub.py::A::test_y"},
        ),
        (("-f", "-b", "pkg.test_sub"), {"pkg/test_sub.py::A::test_x", "pkg/test_sub.py::A::test_y"}),
        (("pkg.test_sub.A.test_y",), {"pkg/test_sub.py::A::test_y"}),
        (("-k", "test_y"), {"pkg/test_sub.py::A::test_y"}),
    ],
)
def test_takes_the_arguments_of_unittest(tmp_path: Path, arguments: tuple[str, ...], expected: set[str]) -> None:
    one = "import unittest\nclass A(unittest.TestCase):\n    def test_x(self): self.fail()\n"
    files = {"test_root.py": one, "pkg/__init__.py": "", "pkg/test_sub.py": f"{one}    def test_y(self): pass\n"}
    found = run(tmp_path, files, arguments=arguments)
    assert found.state is RunState.COMPLETE, found.output
    assert set(found.outcomes) == expected


def test_runs_exactly_the_selection(tmp_path: Path) -> None:
    found = run(tmp_path, {"test_it.py": OUTCOMES}, ("test_it.py::Outcomes::test_passes", "test_it.py::Gone::test"))
    assert (found.state, found.outcomes) == (
        RunState.COMPLETE,
        {"test_it.py::Outcomes::test_passes": Outcome.PASSED},
    )


def test_knows_the_load_tests_protocol_and_tests_that_are_no_methods(tmp_path: Path) -> None:
    found = run(tmp_path, {"test_it.py": LOADED})
    assert (found.state, set(found.outcomes.values())) == (RunState.COMPLETE, {Outcome.PASSED})
    assert len(found.results) == 2
    assert found.results[0].node_id == "test_it.py::Loaded::test_one"


def test_a_test_that_is_loaded_twice_has_two_names(tmp_path: Path) -> None:
    base = "import unittest\nclass Base(unittest.TestCase):\n    def test(self): pass\n"
    files = {"test_a.py": base, "test_b.py": "from test_a import Base\n"}
    assert list(run(tmp_path, files).outcomes) == ["test_a.py::Base::test", "test_a.py::Base::test #2"]


def test_names_a_module_that_cannot_be_imported(tmp_path: Path) -> None:
    files = {"tests/__init__.py": "", "tests/test_it.py": "import missing_module\n", "tests/test_fine.py": LOADED}
    found = run(tmp_path, files)
    (error,) = found.results
    assert found.state is RunState.COLLECTION_FAILED
    assert (error.node_id, error.exception) == ("tests/test_it.py", "ModuleNotFoundError")
    assert error.frames == (Frame("tests/test_it.py", 1, "<module>"),)


def test_nothing_found_is_no_tests(tmp_path: Path) -> None:
    assert run(tmp_path, {"it.py": ""}).state is RunState.NO_TESTS


@pytest.mark.parametrize(
    "body",
    [
        "import os; os._exit(0)",
        "import atexit, os; atexit.register(os._exit, 0); self.fail()",
        "import os; os.kill(os.getpid(), 9)",
        "import sys; sys.modules['__main__'].Recorder.record.tests.clear()",
    ],
)
def test_a_session_that_leaves_early_or_loses_tests_is_no_pass(tmp_path: Path, body: str) -> None:
    source = f"import unittest\nclass A(unittest.TestCase):\n    def test(self):\n        {body}\n"
    assert run(tmp_path, {"test_it.py": source}).state in {RunState.NO_RESULTS, RunState.INCONSISTENT}
