"""The observer in pytest and unittest of one interpreter: no container, so that every version of it can be tried."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.results import observing
from sandbox.results.plan import MOUNT, Plan
from sandbox.spec import Recipe, RunResult, Verdict

PYTHON = os.environ.get("REGREEN_TEST_PYTHON", sys.executable)
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_shapes.py")
RECIPE = Recipe("python", (), (PYTHON, *PYTEST), "test")
UNITTEST = Recipe("unittest", (), (PYTHON, "-m", "unittest", "test_cases"), "test")
NONCE = "0ddba11"
CASES = """
import unittest

import shapes


class Cases(unittest.TestCase):
    def setUp(self):
        self.made = shapes.cached(3)

    def test_plain(self):
        self.assertEqual(shapes.plain(1), 2)

    def test_red(self):
        self.assertEqual(shapes.loops(30)[0], 0)
"""
MODULE = """
import functools
import threading

LIMIT = 10


def plain(x):
    return x + 1


@functools.lru_cache(maxsize=None)
def cached(x):
    return plain(x)


class Shape:
    @property
    def area(self):
        return sum(size for size in self.sizes())

    def sizes(self):
        yield 1
        yield 2


def in_thread():
    worker = threading.Thread(target=plain, args=(1,))
    worker.start()
    worker.join()


class Odd:
    def __repr__(self):
        raise RuntimeError("no")


def loops(times):
    odd = Odd()
    total = 0
    for turn in range(times):
        total += turn
    return total, odd
"""
TESTS = """
import shapes
import pytest


@pytest.fixture
def made():
    return shapes.cached(3)


def test_plain():
    assert shapes.plain(1) == 2


def test_fixture(made):
    assert made == 4


def test_shape():
    assert shapes.Shape().area == 3


def test_thread():
    shapes.in_thread()


def test_red():
    assert shapes.loops(30)[0] == 0
"""


def run(plan: Plan | None, tmp_path: Path) -> RunResult:
    """Run a plan as a container would, below a directory of its own."""
    assert plan is not None
    mount, repo = tmp_path / MOUNT, tmp_path / "repo"
    for path, file in plan.tree.items():
        (mount / path).parent.mkdir(parents=True, exist_ok=True)
        (mount / path).write_bytes(file.data)
    repo.mkdir()
    (repo / "shapes.py").write_text(MODULE)
    (repo / "test_shapes.py").write_text(TESTS)
    (repo / "test_cases.py").write_text(CASES)
    command = [word.replace(f"/{MOUNT}/", f"{mount}/") for word in plan.command]
    environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=repo, env=environment, capture_output=True, check=False, timeout=120)
    results = {path.name: path.read_bytes() for path in (mount / "results").iterdir()}
    return RunResult(
        Verdict.EXITED, done.returncode, done.stdout + done.stderr, output_truncated=False, results=results
    )


def line_of(text: str, within: str = MODULE) -> int:
    return within[: within.index(text)].count("\n") + 1


@pytest.mark.slow
def test_each_test_calls_what_it_calls_also_in_threads_and_fixtures(tmp_path: Path) -> None:
    result = run(observing.coverage_plan(RECIPE, (), 60, NONCE), tmp_path)
    found = observing.called(RECIPE, result, NONCE)
    called = {test.partition("::")[2]: {line for path, line in told if path == "shapes.py"} for test, told in found}
    plain, cached = line_of("def plain"), line_of("@functools")
    shape = {line_of("@property"), line_of("def sizes")}
    assert result.exit_code == 1, result.output
    assert called["test_plain"] == {plain}
    assert called["test_fixture"] == {plain, cached}
    assert shape <= called["test_shape"] <= {*shape, line_of("return sum")}
    assert called["test_thread"] == {line_of("def in_thread"), plain}
    assert called["test_red"] == {line_of("def loops")}


@pytest.mark.slow
def test_only_the_selected_tests_are_looked_at_and_none_begins_when_the_time_is_over(tmp_path: Path) -> None:
    ids = ("test_shapes.py::test_plain", "test_shapes.py::test_thread")
    found = observing.called(RECIPE, run(observing.coverage_plan(RECIPE, ids, 60, NONCE), tmp_path), NONCE)
    assert tuple(test for test, _ in found) == ids
    (tmp_path / "late").mkdir()
    found = observing.called(RECIPE, run(observing.coverage_plan(RECIPE, ids, 0, NONCE), tmp_path / "late"), NONCE)
    assert tuple(test for test, _ in found) == ids[:1]


@pytest.mark.slow
def test_probes_are_answered_before_their_line_runs_and_whatever_they_raise_is_an_answer(tmp_path: Path) -> None:
    line = line_of("total += turn")
    questions = [
        ("shapes.py", line, "(turn, total)", 4),
        ("shapes.py", line, "[odd, LIMIT]", 1),
        ("shapes.py", line, "turn +", 1),
        ("shapes.py", line, "exit(3)", 1),
        ("shapes.py", line, "'x' * 10**6", 1),
        ("shapes.py", line, "sum(turn for _ in range(3))", 2),
        ("shapes.py", line_of("yield 1"), "self", 1),
    ]
    result = run(observing.trace_plan(RECIPE, "test_shapes.py::test_red", questions, 60, NONCE), tmp_path)
    values, odd, wrong, leaves, long, inner, unreached = observing.answers(RECIPE, result, questions, NONCE)
    assert values == ("(0, 0)", "(1, 0)", "(2, 1)", "(3, 3)")
    assert "Odd" in odd[0]
    assert "10" in odd[0]
    assert wrong[0].startswith("SyntaxError: ")
    assert leaves == ("SystemExit: 3",)
    assert len(long[0]) <= observing.MAX_VALUE
    assert inner == ("0", "3")
    assert unreached == ()
    assert result.exit_code == 1, result.output


@pytest.mark.slow
def test_unittests_are_observed_with_their_set_up(tmp_path: Path) -> None:
    result = run(observing.coverage_plan(UNITTEST, (), 60, NONCE), tmp_path)
    found = observing.called(UNITTEST, result, NONCE)
    called = {test.partition("::")[2]: {line for path, line in told if path == "shapes.py"} for test, told in found}
    plain, cached, loops = line_of("def plain"), line_of("@functools"), line_of("def loops")
    assert called == {"Cases::test_plain": {plain, cached}, "Cases::test_red": {loops}}
    (tmp_path / "trace").mkdir()
    questions = [("shapes.py", line_of("total += turn"), "turn", 2), ("test_cases.py", 12, "self.made", 1)]
    plan = observing.trace_plan(UNITTEST, "test_cases.py::Cases::test_red", questions, 60, NONCE)
    assert observing.answers(UNITTEST, run(plan, tmp_path / "trace"), questions, NONCE) == (("0", "1"), ())
