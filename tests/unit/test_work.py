"""Hostile sizes: the work grows with the input and no faster, and beyond a cap there is a refusal."""

from collections.abc import Callable

import pytest
from fakes import ScriptedModel, patch
from fakes_workspace import BASE
from growth import linear

from bot.errors import EditError
from bot.repair.editing.edits import apply, mentioned_paths
from bot.repair.editing.elisions import check_elision
from bot.repair.editing.headings import place_of
from bot.repair.editing.matching import replace_unique
from bot.repair.editing.replies import MAX_CHARS, MAX_LINES, MAX_PARTS, SearchReplace, parse
from bot.repair.editing.sourcetext import SourceText
from bot.repair.integrity.fingerprint import changed_lines
from bot.repair.localisation.localise import localise
from bot.repair.prompting.room import Asker, Room
from bot.repair.sources.imports import Modules
from bot.repair.team.facts import ModelFacts
from bot.repair.team.reflect import ModelReflector
from bot.repair.types import Attempt, Comparison, SourceFile, Task, Usage, Verdict
from sandbox.spec import Frame, Outcome, TestResult

EDIT = "a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"


def fences(size: int) -> object:
    """Fences that nothing closes; an edit at the end makes each of them a mere line."""
    return parse("```x\n" * size + EDIT, ())


def headings(size: int) -> object:
    return place_of("/" * size + " x", ())


def fence_lines(size: int) -> object:
    return parse("```" + " " * size + "`", ())


def comments(size: int) -> object:
    check_elision("a.py", (), ("# " + "rest ... " * size + "end",))
    return None


def comment_tails(size: int) -> object:
    check_elision("a.py", (), ("# " + "rest " * size + "....." * size + "x",))
    return None


def near_misses(size: int) -> object:
    """Every place in the file matches but for the last line."""
    source = SourceText(("    x",) * size, ("\n",) * size)
    search = ("    x",) * (size // 2)
    with pytest.raises(EditError):
        replace_unique("a.py", source, SearchReplace(None, (((*search, "  z"), ("y",)),)))
    with pytest.raises(EditError):
        replace_unique("a.py", source, SearchReplace(None, ((tuple(line[2:] for line in search), ("y",)),)))
    return None


def equal_lines(size: int) -> object:
    before = b"a\nb\n" * size
    return changed_lines(patch(a="a\nc\n" * size + "end"), {"a.py": before})


def same_last_parts(size: int) -> object:
    """As many modules of one name as imports that end in it."""
    known = tuple(f"p{number}/x.py" for number in range(size))
    imports = "".join(f"import q{number}.x\n" for number in range(size))
    return list(Modules.of(known).imported(SourceFile("a.py", imports.encode())))


def frames(size: int) -> object:
    """As many frames as functions, which are the file's last."""
    code = "".join(f"def f{number}():\n    return 1\n" for number in range(size))
    files = {f"m{part}.py": SourceFile(f"m{part}.py", code.encode()) for part in range(2)}
    failing = [TestResult(f"t.py::t{at}", Outcome.FAILED, frames=(Frame("m1.py", 2, "f0"),)) for at in range(size)]
    return localise(failing, (), files)


def lessons(size: int) -> object:
    attempt = Attempt(1, Verdict.NOT_FIXED, None, Comparison(), "", "", None, Usage(), 0.0)
    model = ScriptedModel(["\n" * size + "CAUSE" + ":*" * size])
    return ModelReflector(Asker(model, Room(ModelFacts()))).reflect(Task(BASE, "", "", ()), attempt)


@pytest.mark.parametrize(
    ("work", "size"),
    [
        (fences, 1000),
        (headings, 2000),
        (fence_lines, 2000),
        (comments, 500),
        (comment_tails, 200),
        (near_misses, 500),
        (equal_lines, 400),
        (same_last_parts, 500),
        (frames, 800),
        (lessons, 1000),
    ],
)
def test_four_times_the_input_is_about_four_times_the_work(work: Callable[[int], object], size: int) -> None:
    assert linear(work, size)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("x" * (MAX_CHARS + 1), "characters"),
        ("\n" * (MAX_LINES + 1), "lines"),
        (EDIT * (MAX_PARTS + 1), "edits or blocks"),
        ("```python\nx = 1\n```\n" * (MAX_PARTS + 1), "edits or blocks"),
        (EDIT.replace("=======\n", "=======\n" * 30), "======= lines"),
    ],
)
def test_a_reply_beyond_a_cap_is_refused_before_it_is_read(reply: str, reason: str) -> None:
    with pytest.raises(EditError, match=reason):
        apply(f"{reply}words", "stop", {"a.py": b"x\n"})
    assert mentioned_paths(reply, ()) == ()


def test_a_reply_of_very_many_functions_is_refused() -> None:
    block = "a.py\n```python\ndef x():\n    return 2\n```\n"
    with pytest.raises(EditError, match="more than 50 functions"):
        apply(block * 51, "stop", {"a.py": b"def x():\n    return 1\n"})


def test_a_search_that_stands_everywhere_is_refused_after_some_places() -> None:
    with pytest.raises(EditError, match="at least 50 times"):
        apply(EDIT, "stop", {"a.py": b"x\n" * 4000})
