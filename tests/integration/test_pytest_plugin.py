import sys
import venv
from pathlib import Path

import pytest
from guest_suite import run_suite

from sandbox.spec import Frame, Outcome, RunState

CALC = "def add(a, b):\n    return a - b\n\n\ndef divide(a, b):\n    return a / b\n"
FINDER = """
import sys
class Late:
    def find_spec(*_): return None
sys.meta_path.append(Late)
"""
OUTCOMES = """
import pytest

@pytest.fixture
def broken():
    raise RuntimeError("no set-up")

@pytest.fixture
def dirty():
    yield
    raise RuntimeError("no teardown")

def test_passes(): pass
def test_fails(): assert 1 == 2
def test_setup(broken): pass
def test_teardown(dirty): pass
@pytest.mark.skip(reason="later")
def test_skips(): pass
@pytest.mark.xfail
def test_xfails(): assert False
@pytest.mark.xfail
def test_xpasses(): pass
@pytest.mark.xfail(strict=True)
def test_strict(): pass
@pytest.mark.parametrize("text", ["a b", "x]y::z", "ü"])
def test_texts(text): pass
"""


def test_tells_every_outcome_with_its_phase(tmp_path: Path) -> None:
    run = run_suite(tmp_path, {"test_it.py": OUTCOMES})
    assert run.state is RunState.COMPLETE
    assert run.collected == len(run.results) == 11
    told = {result.node_id.partition("::")[2]: (result.outcome, result.phase) for result in run.results}
    assert told == {
        "test_passes": (Outcome.PASSED, "call"),
        "test_fails": (Outcome.FAILED, "call"),
        "test_setup": (Outcome.ERROR, "setup"),
        "test_teardown": (Outcome.ERROR, "teardown"),
        "test_skips": (Outcome.SKIPPED, "setup"),
        "test_xfails": (Outcome.XFAILED, "call"),
        "test_xpasses": (Outcome.XPASSED, "call"),
        "test_strict": (Outcome.FAILED, "call"),
        "test_texts[a b]": (Outcome.PASSED, "call"),
        "test_texts[x]y::z]": (Outcome.PASSED, "call"),
        "test_texts[\\xfc]": (Outcome.PASSED, "call"),
    }


def test_of_subtests_only_those_that_fail_decide(tmp_path: Path) -> None:
    tests = """
import unittest
class TestIt(unittest.TestCase):
    def test_part(self):
        with self.subTest(n=1): self.skipTest("not here")
        with self.subTest(n=2): pass
    def test_broken(self):
        with self.subTest(n=1): self.assertEqual(1, 2)
        with self.subTest(n=2): self.skipTest("not here")
"""
    run = run_suite(tmp_path, {"test_it.py": tests})
    assert run.state is RunState.COMPLETE
    told = {result.node_id.rpartition("::")[2]: result.outcome for result in run.results}
    assert told == {"test_part": Outcome.PASSED, "test_broken": Outcome.FAILED}


def test_tells_exception_assertion_values_and_the_repositorys_frames(tmp_path: Path) -> None:
    tests = (
        "from calc import add, divide\n\n"
        "def test_add():\n    assert add(2, 3) == 5\n\n"
        "def test_div():\n    divide(1, 0)\n"
    )
    run = run_suite(tmp_path, {"calc.py": CALC, "test_calc.py": tests})
    added, divided = run.results
    assert added.exception == "AssertionError"
    assert "-1 == 5" in added.message
    assert divided.exception == "ZeroDivisionError"
    assert divided.frames == (
        Frame("test_calc.py", 7, "test_div"),
        Frame("calc.py", 6, "divide", (("a", "1"), ("b", "0"))),
    )


def test_keeps_the_frames_of_the_exception_that_another_came_from(tmp_path: Path) -> None:
    source = (
        "from calc import divide\n\ndef test():\n    try:\n        divide(1, 0)\n"
        "    except ZeroDivisionError as e:\n        raise KeyError('k') from e\n"
    )
    (result,) = run_suite(tmp_path, {"calc.py": CALC, "test_it.py": source}).results
    assert result.exception == "KeyError"
    assert ("calc.py", 6, "divide") in {(frame.path, frame.line, frame.function) for frame in result.frames}


def test_caps_a_message_and_survives_one_that_cannot_be_had(tmp_path: Path) -> None:
    source = (
        "class Bad(Exception):\n    def __str__(self):\n        raise TypeError\n\n"
        "def test_long():\n    raise ValueError('x' * 100_000)\n\ndef test_bad():\n    raise Bad\n"
    )
    long, bad = run_suite(tmp_path, {"test_it.py": source}).results
    assert 1000 < len(long.message) < 5000
    assert (bad.exception, bad.outcome) == ("Bad", Outcome.FAILED)


def test_runs_exactly_the_selection_and_leaves_other_files_unread(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/test_a.py": "def test_one(): pass\ndef test_two(): pass\n",
        "pkg/test_broken.py": "import missing_module\n",
        "other/test_b.py": "raise SystemExit('not to be imported')\n",
    }
    run = run_suite(tmp_path, files, ("pkg/test_a.py::test_two",))
    assert run.state is RunState.COMPLETE
    assert [result.node_id for result in run.results] == ["pkg/test_a.py::test_two"]


def test_takes_thousands_of_node_ids(tmp_path: Path) -> None:
    source = "import pytest\n@pytest.mark.parametrize('n', range(600))\ndef test_n(n): pass\n"
    wanted = tuple(f"test_it.py::test_n[{n}]" for n in range(500)) + tuple(
        f"gone.py::test_{'x' * 90}[{n}]" for n in range(9000)
    )
    run = run_suite(tmp_path, {"test_it.py": source}, wanted)
    assert (run.state, len(run.results)) == (RunState.COMPLETE, 500)


def test_a_selection_that_exists_no_more_is_no_tests(tmp_path: Path) -> None:
    run = run_suite(tmp_path, {"test_it.py": "def test(): pass\n"}, ("test_it.py::test_gone",))
    assert run.state is RunState.NO_TESTS


@pytest.mark.parametrize(
    ("path", "source", "exception"),
    [
        ("test_it.py", "import missing_module\n", "ModuleNotFoundError"),
        ("test_it.py", "def test(:\n", "SyntaxError"),
        ("test_it.py", "assert 1 == 2\n", "AssertionError"),
        ("conftest.py", "import missing_module\n", "ModuleNotFoundError"),
        ("sub/conftest.py", "import missing_module\n", "ModuleNotFoundError"),
    ],
)
def test_names_what_cannot_be_collected(tmp_path: Path, path: str, source: str, exception: str) -> None:
    run = run_suite(tmp_path, {"sub/test_fine.py": "def test(): pass\n", path: source})
    assert run.state is RunState.COLLECTION_FAILED
    (error,) = run.results
    assert (error.node_id, error.phase, error.exception) == (path, "collect", exception)
    assert error.frames[-1].path == path


@pytest.mark.parametrize(
    "source",
    [
        "import os\ndef test(): os._exit(0)\n",
        "import os, atexit\natexit.register(os._exit, 0)\ndef test(): assert False\n",
        "import pytest\ndef test(): pytest.exit('enough', 0)\n",
    ],
)
def test_a_session_that_leaves_early_is_no_pass(tmp_path: Path, source: str) -> None:
    run = run_suite(tmp_path, {"test_it.py": source, "conftest.py": ""})
    assert run.state in {RunState.NO_RESULTS, RunState.INCONSISTENT}


def test_a_child_process_that_forks_from_a_test_writes_nothing(tmp_path: Path) -> None:
    source = "import os\ndef test():\n    if os.fork() == 0:\n        return\n    os.wait()\n"
    run = run_suite(tmp_path, {"test_it.py": source})
    assert (run.state, len(run.results)) == (RunState.COMPLETE, 1)


def test_neither_a_failure_limit_nor_strict_warnings_of_the_repository_get_in_the_way(tmp_path: Path) -> None:
    ini = "[pytest]\naddopts = -x --strict-config --strict-markers\nfilterwarnings = error\n"
    run = run_suite(tmp_path, {"pytest.ini": ini, "test_it.py": "def test_a(): assert 0\ndef test_b(): pass\n"})
    assert run.outcomes == {"test_it.py::test_a": Outcome.FAILED, "test_it.py::test_b": Outcome.PASSED}


def test_node_ids_are_those_of_a_root_below_the_repository(tmp_path: Path) -> None:
    files = {"sub/pytest.ini": "[pytest]\n", "sub/tests/test_it.py": "def test_a(): pass\ndef test_b(): pass\n"}
    run = run_suite(tmp_path, files, ("tests/test_it.py::test_b",), ("sub/tests",), sys.executable)
    assert run.outcomes == {"tests/test_it.py::test_b": Outcome.PASSED}


def test_a_finder_that_a_package_puts_in_while_pytest_is_imported_stays(tmp_path: Path) -> None:
    venv.create(tmp_path / "env", symlinks=True)
    (site,) = (tmp_path / "env").glob("lib/python*/site-packages")
    (site / "ours.pth").write_text(str(Path(pytest.__file__).parent.parent))
    # As the package of this name does: it takes the place of the standard library's finder of metadata.
    (site / "importlib_metadata.py").write_text(FINDER)
    source = "import sys\ndef test(): assert 'Late' in [getattr(one, '__name__', '') for one in sys.meta_path]\n"
    run = run_suite(tmp_path, {"test_a.py": source}, python=str(tmp_path / "env" / "bin" / "python"))
    assert run.outcomes == {"test_a.py::test": Outcome.PASSED}
