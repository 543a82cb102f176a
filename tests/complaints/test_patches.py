"""Complaints about what is in a patch: 8, 10, 11, 18, 21."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from fakes import ScriptedModel
from fakes_fix import FIFTY, FILES, HIGH, MODEL_ALONE, SOURCE, TESTS, ZERO, Stage, grading
from fakes_workspace import BASE, ScriptedWorkspace

from bot.jobs import JobOutcome, State
from bot.repair.gate import judge
from bot.repair.measuring.baseline import measure
from bot.repair.types import FileChange, Patch, Selection, Task
from bot.repair.verify import verify
from sandbox.spec import File, Outcome, TestResult

WORKFLOW = ".github/workflows/ci.yml"
FIXED = SOURCE.replace(b"> 50", b">= 50")
SKIPPED = TESTS.replace(b"def test_fifty", b"import pytest\n\n\n@pytest.mark.skip\ndef test_fifty")
Suite = Callable[[Mapping[str, bytes]], dict[str, TestResult]]


def pytest_like(files: Mapping[str, bytes]) -> dict[str, TestResult]:
    """What pytest says: tests that are gone are not told of, skipped ones are skipped."""
    tests = files.get("tests/test_grades.py", b"")
    if not tests:
        return {}
    if b"mark.skip" not in tests:
        return grading(files)
    return grading({**files, "tests/test_grades.py": TESTS}) | {FIFTY: TestResult(FIFTY, Outcome.SKIPPED)}


def asked(reply: str, files: Mapping[str, bytes] = FILES, policy: str = "") -> tuple[Stage, JobOutcome]:
    """A run whose model gives this answer each time, on a repository with these files."""
    stage = Stage(suite=pytest_like, model=ScriptedModel([reply] * 40), facts=MODEL_ALONE)
    stage.workspace = ScriptedWorkspace(files, pytest_like)
    extra = {".github/regreen.yml": File(policy.encode())} if policy else {}
    stage.github.add_commit("main", "files", {**{path: File(data) for path, data in files.items()}, **extra})
    return stage, stage.run()


def answer(path: str, new: str, old: str) -> str:
    """A reply that edits one file."""
    return f"CAUSE: off by one\n\n{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


def unguarded(patch: Patch) -> bool:
    """What a bot that only looks at the results would say: nothing is red any more."""
    (run,) = ScriptedWorkspace(FILES, pytest_like).evaluate(BASE, (patch,), Selection())
    return not any(result.outcome is Outcome.FAILED for result in run.results)


def test_complaint_08_blocked_directories_are_enforced_on_what_is_written() -> None:
    """Remedy: the policy's `protected` is asked of every patch before it runs, not of what a model reads."""
    reply = answer("grades.py", "    if score >= 50:", "    if score > 50:")
    stage, outcome = asked(reply, policy="protected:\n  - grades.py\n")
    assert outcome.state is State.UNSOLVED
    assert stage.github.pulls == []
    assert list(stage.github.branches) == ["main"]
    # without the policy's entry the very same answer is published
    _, unprotected = asked(reply)
    assert unprotected.state is State.PUBLISHED


def test_complaint_10_tests_are_not_deleted_to_get_green() -> None:
    """Remedy: the gate refuses every change of a test, and a target that is not reported as passed is not fixed."""
    patch = Patch((FileChange("tests/test_grades.py", None),))
    assert unguarded(patch)
    workspace = ScriptedWorkspace(FILES, pytest_like)
    judged = judge(workspace, BASE, patch)
    assert judged.refused
    assert "protected" in judged.reason
    # and were the gate not there: what is gone has not passed
    baseline = measure(workspace, BASE)
    (result,) = verify(workspace, Task(BASE, "", "", baseline.failing_ids), baseline, (patch,))
    assert not result.passed
    assert {HIGH, ZERO} & set(result.comparison.regressed)


def test_complaint_11_failing_tests_are_not_skipped_to_get_green() -> None:
    """Remedy: the gate refuses every change of a test, and a skipped target is not fixed."""
    patch = Patch((FileChange("tests/test_grades.py", SKIPPED),))
    assert unguarded(patch)
    workspace = ScriptedWorkspace(FILES, pytest_like)
    assert judge(workspace, BASE, patch).refused
    baseline = measure(workspace, BASE)
    (result,) = verify(workspace, Task(BASE, "", "", baseline.failing_ids), baseline, (patch,))
    assert not result.passed


def test_complaint_18_a_file_that_is_no_utf_8_is_patched_byte_for_byte() -> None:
    """Remedy: patches are bytes from the file to the commit; text is a view of them only."""
    head = b"# -*- coding: latin-1 -*-\n# caf\xe9\r\n"
    latin = head + SOURCE
    reply = answer("grades.py", "    if score >= 50:", "    if score > 50:")
    stage, outcome = asked(reply, {**FILES, "grades.py": latin})
    assert outcome.state is State.PUBLISHED
    commit = stage.github.commits[stage.github.branches["regreen/issue-7"]]
    assert commit.tree["grades.py"].data == head + FIXED
    # what a text-based bot would have written
    assert latin.decode("utf-8", "replace").encode().replace(b"> 50", b">= 50") != commit.tree["grades.py"].data


def test_complaint_21_a_change_of_a_workflow_is_refused_before_anything_runs() -> None:
    """Remedy: CI's files are protected by the gate, since GitHub refuses their push when all is paid for."""
    files = {**FILES, WORKFLOW: b"on: push\n"}
    stage, outcome = asked(answer(WORKFLOW, "on: []", "on: push"), files)
    assert outcome.state is State.UNSOLVED
    assert "commit" not in stage.github.calls
    assert "protected" in stage.comment
    workspace = ScriptedWorkspace(files, pytest_like)
    both = Patch((FileChange("grades.py", FIXED), FileChange(WORKFLOW, b"on: []\n")))
    judged = judge(workspace, BASE, both)
    assert (judged.refused, judged.runs) == (True, measure(workspace, BASE).runs)
    # the same fix without the workflow passes: it is the gate's refusal alone that stands in the way
    assert judge(workspace, BASE, replace(both, changes=both.changes[:1])).passed
