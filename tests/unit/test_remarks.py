"""What is said of a repair beside its tests."""

from dataclasses import replace

from fakes_workspace import BASE, ScriptedWorkspace

from bot.errors import EngineDownError
from bot.pipeline.reports.remarked import remarked
from bot.repair.integrity.remarks import Remarks, remarks
from bot.repair.measuring.baseline import measure
from bot.repair.types import (
    Attempt,
    Base,
    Comparison,
    FileChange,
    Origin,
    Patch,
    Proposal,
    RepairResult,
    SourceFile,
    StopReason,
    Task,
    Usage,
    Verdict,
)
from sandbox.spec import Outcome

CODE = b'def area(w, h):\n    """Width by height.\n\n    >>> area(2, 3)\n    6\n    """\n    return w + h\n'
TEST = b"from shapes import area\n\ndef test_area():\n    assert area(2, 3) == 7\n"
TARGET = "tests/test_shapes.py::test_area"
FIX = CODE.replace(b"w + h", b"w * h").replace(b"    return", b"    import socket\n    return")


def result(world: ScriptedWorkspace) -> RepairResult:
    patch = Patch((FileChange("shapes.py", FIX),))
    proposal = Proposal(patch, Origin.MODEL, "", "whole_file")
    attempt = Attempt(1, Verdict.SOLVED, proposal, Comparison((TARGET,)), "", "", None, Usage(), 0.0)
    baseline = measure(world, BASE)
    return RepairResult(StopReason.SOLVED, "", (attempt,), baseline, Usage(), 1.0, attempt)


def test_a_solution_is_flagged_and_its_test_doubted() -> None:
    world = ScriptedWorkspace({"shapes.py": CODE, "tests/test_shapes.py": TEST}, lambda _: {TARGET: Outcome.FAILED})
    found = remarks(world, Task(BASE, "", "", (TARGET,)), result(world))
    assert found.flags == ("shapes.py:7 reaches for the network (socket)",)
    assert found.doubts == ("test_area may itself be wrong: it expects 7, and the docstring of area says 6",)


def test_remarks_are_sections_and_nothing_without_any() -> None:
    text = remarked(Remarks(("a.py:1 does <b>x</b>",) * 12, ("test_x may itself be wrong",)))
    assert "### Flagged" in text
    assert "### Tests in doubt" in text
    assert "and 2 more" in text
    assert "<b>" not in text
    assert remarked(Remarks()) == ""


class DyingWorkspace(ScriptedWorkspace):
    """Reads nothing any more."""

    def read(self, base: Base, paths: tuple[str, ...]) -> tuple[SourceFile, ...]:
        del base, paths
        raise EngineDownError("The engine is gone", "Start it.")


def test_a_solution_whose_remarks_cannot_be_worked_out_is_kept_as_a_draft_that_says_so() -> None:
    world = DyingWorkspace({"shapes.py": CODE, "tests/test_shapes.py": TEST}, lambda _: {TARGET: Outcome.FAILED})
    solved = result(world)
    found = remarks(world, Task(BASE, "", "", (TARGET,)), solved)
    assert len(found.flags) == 1
    assert "could not be worked out" in found.flags[0]
    assert "The engine is gone" in found.flags[0]
    unsolved = replace(solved, solution=None)
    assert remarks(world, Task(BASE, "", "", (TARGET,)), unsolved) == Remarks()
