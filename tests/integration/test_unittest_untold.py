"""What a test leaves untold, or tells at too great a length."""

import sys
from pathlib import Path

import pytest
from guest_runs import run_plan

from sandbox.spec import Outcome, Recipe, RunState, TestRun

HEAD = "import unittest, unittest.case\nclass T(unittest.TestCase):\n"


def run(directory: Path, source: str) -> TestRun:
    return run_plan(
        directory, Recipe("unittest", (), (sys.executable, "-m", "unittest"), "test"), {"test_it.py": source}
    )


@pytest.mark.parametrize(
    "body",
    [
        "def test_x(self): raise unittest.case._ShouldStop",
        "async def test_x(self): self.fail()",
        "def test_x(self): yield self.fail()",
        "async def test_x(self): yield self.fail()",
        "def run(self, result=None): result.startTest(self); result.stopTest(self)\n    def test_x(self): pass",
        "def test_x(self): self.addSubTest = 1; raise unittest.case._ShouldStop",
    ],
)
def test_a_test_that_did_not_come_to_its_end_is_an_error_that_says_so(tmp_path: Path, body: str) -> None:
    found = run(tmp_path, f"{HEAD}    {body}\n")
    assert (found.state, list(found.outcomes.values())) == (RunState.COMPLETE, [Outcome.ERROR]), found.output
    assert found.results[0].message.startswith("It never ")


def test_a_test_of_which_a_part_was_skipped_is_skipped_unless_it_failed(tmp_path: Path) -> None:
    part = "with self.subTest(1): self.skipTest('no')"
    found = run(
        tmp_path,
        f"{HEAD}    def test_a(self):\n        {part}\n    def test_b(self):\n        {part}\n        self.fail()\n",
    )
    assert list(found.outcomes.values()) == [Outcome.SKIPPED, Outcome.FAILED]


def test_an_awaited_test_passes_or_fails(tmp_path: Path) -> None:
    source = HEAD.replace("TestCase", "IsolatedAsyncioTestCase")
    found = run(tmp_path, f"{source}    async def test_a(self): pass\n    async def test_b(self): self.fail()\n")
    assert list(found.outcomes.values()) == [Outcome.PASSED, Outcome.FAILED]


def test_names_that_look_like_our_numbers_are_told_apart(tmp_path: Path) -> None:
    rest = "setattr(T, 'test_x #2', T.test_x)\nsetattr(T, 'test_x \\\\#2', T.test_x)\nT2 = T\n"
    found = run(tmp_path, f"{HEAD}    def test_x(self): pass\n{rest}")
    assert (found.state, len(found.outcomes)) == (RunState.COMPLETE, 6)
    assert "test_it.py::T::test_x \\#2" in found.outcomes


def test_a_failure_that_is_expected_of_a_subtest_stays_one(tmp_path: Path) -> None:
    body = "@unittest.expectedFailure\n    def test_x(self):\n        with self.subTest(1): self.fail()"
    assert list(run(tmp_path, f"{HEAD}    {body}\n").outcomes.values()) == [Outcome.XFAILED]


@pytest.mark.parametrize(
    "body",
    [
        "def test_x(self): raise type('E' * 9000, (Exception,), {})('m' * 90_000)",
        "def test_x(self): exec(compile('raise ValueError', __file__.replace('t', 'x', 0) + '/x' * 10_000, 'exec'))",
        "def test_x(self): raise type('E', (Exception,), {'__str__': lambda e: exec('raise KeyboardInterrupt')})",
    ],
)
def test_one_hostile_exception_costs_no_more_than_its_own_test(tmp_path: Path, body: str) -> None:
    names = (
        "setattr(T, 'test_' + 'y' * 20_000, lambda self: None)\nsetattr(T, 'test_' + 'y' * 20_001, lambda self: None)\n"
    )
    found = run(tmp_path, f"{HEAD}    {body}\n{names}")
    assert found.state is RunState.COMPLETE, found.output
    assert sorted(found.outcomes.values()) == [Outcome.ERROR, Outcome.PASSED, Outcome.PASSED]
