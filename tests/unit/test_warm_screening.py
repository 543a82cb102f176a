import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sandbox.results import screening
from sandbox.spec import File, Recipe, Tree

RECIPE = Recipe("python", (), ("python3", "-m", "pytest"), "test")
CODE = b"""\
LIMIT = 3
def triple(x):
    return x * 2
def made(x):
    return x + 1
def maker(y):
    def inner(x):
        return x + y
    return inner
AT_IMPORT = made(1)
plus = maker(0)
class Box:
    size = 1
    def area(self):
        return self.size * 1
"""
TESTS = b"""\
from m import *
def test():
    assert (triple(2), plus(2), AT_IMPORT, Box().area(), LIMIT) == (6, 2, 2, 1, 3)
"""
COUNTED = b"import os\nopen(os.environ['COUNT'], 'a').write('x')\n"


def screened(
    tmp_path: Path, tests: bytes, *mutants: bytes, names: tuple[str, ...] = ("test",)
) -> tuple[list[str], int]:
    """What became of each mutant of `CODE`, and how often the tests' module was imported."""
    base: Tree = {"m.py": File(CODE), "test_m.py": File(COUNTED + tests)}
    wanted = tuple(f"test_m.py::{name}" for name in names)
    plan = screening.plan(RECIPE, wanted, base, [{"m.py": data} for data in mutants], 300.0, "ab")
    assert plan is not None
    for root, tree in (("repo", base), ("regreen", plan.tree)):
        for path, file in tree.items():
            place = tmp_path / root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.data)
    (tmp_path / "regreen/results").mkdir()
    environment = {"COUNT": str(tmp_path / "count"), "PYTHONDONTWRITEBYTECODE": "1", "PATH": ""}
    command = [sys.executable, str(tmp_path / "regreen/ab/screen.py")]
    subprocess.run(command, cwd=tmp_path / "repo", env=environment, check=True)
    assert (tmp_path / "repo/m.py").read_bytes() == CODE
    lines: list[dict[str, Any]] = [
        json.loads(line) for line in (tmp_path / "regreen/results/ab.jsonl").read_text().splitlines()
    ]
    return [line["detail"] for line in lines], len((tmp_path / "count").read_text())


def changed(old: bytes, new: bytes) -> bytes:
    assert CODE.count(old) == 1
    return CODE.replace(old, new)


def test_mutants_of_functions_share_one_import_and_one_collection(tmp_path: Path) -> None:
    wrong = [changed(b"x * 2", b"x * %d" % factor) for factor in range(4, 30)]
    right = [
        changed(b"return x * 2", b"return x * 3"),
        changed(b"    return x * 2", b"    if not x: return 0\n    return x * 3"),
    ]
    details, imports = screened(tmp_path, TESTS, *wrong, *right)
    assert details == ["failed"] * len(wrong) + ["passed"] * 2
    assert imports == 2


def test_what_an_import_left_behind_is_never_taken_for_the_mutants_own(tmp_path: Path) -> None:
    tests = TESTS.replace(
        b"== (6, 2, 2, 1, 3)", b"in [(4, 2, 3, 1, 3), (4, 3, 2, 1, 3), (4, 2, 2, 2, 3), (4, 2, 2, 1, 4)]"
    )
    mutants = [
        changed(b"return x + 1", b"return x + 2"),
        changed(b"return x + y", b"return x + y + 1"),
        changed(b"size = 1", b"size = 2"),
        changed(b"self.size * 1", b"self.size * 2"),
        changed(b"LIMIT = 3", b"LIMIT = 4"),
        changed(b"LIMIT = 3", b"LIMIT = 5"),
    ]
    details, imports = screened(tmp_path, tests, *mutants)
    assert details == ["passed"] * 5 + ["failed"]
    assert imports == 2 + 4


@pytest.mark.parametrize(
    "hostile",
    [
        b"__import__('os')._exit(0)",
        b"[1 for _ in iter(int, 1)]",
        b"__import__('os').kill(__import__('os').getppid(), 9)",
    ],
)
def test_a_hostile_mutant_passes_for_nothing(tmp_path: Path, hostile: bytes) -> None:
    details, _ = screened(tmp_path, TESTS, changed(b"x * 2", hostile), changed(b"x * 2", b"x * 3"))
    assert details[0] != "passed"
    assert details[1] == "passed"


def test_a_fresh_session_is_told_as_pytest_would_end(tmp_path: Path) -> None:
    tests = b"import m\nif m.LIMIT < 5:\n    def test():\n        assert m.LIMIT == 3\n"
    passing, failing, lost, broken = (
        changed(b"LIMIT = 3", new) for new in (b"LIMIT = 2 + 1", b"LIMIT = 4", b"LIMIT = 5", b"LIMIT = 1 / 0")
    )
    told, imports = screened(tmp_path, tests, passing, failing, lost, broken)
    assert told == ["passed", "failed", "pytest ended with 5", "pytest ended with 2"]
    assert imports == 2 + 3, "once for each that is sound, with the unchanged tree twice"


@pytest.mark.parametrize("new", [b"x * %d", b"x * 2\nMORE = %d"], ids=["warm", "cold"])
def test_what_failed_soonest_is_asked_first_and_alone_where_it_fails_again(tmp_path: Path, new: bytes) -> None:
    tests = b"""\
import os, time
from m import *
def ran(name):
    open(os.environ['COUNT'] + name, 'a').write('x')
def test():
    ran('slow')
    time.sleep(0.2)
    assert triple(2) == 6
def test_quick():
    ran('quick')
    assert triple(2) == 6
def test_quick_and_right():
    ran('right')
"""
    wrong = [changed(b"x * 2", new % factor) for factor in range(4, 9)]
    names = ("test", "test_quick", "test_quick_and_right")
    details, _ = screened(tmp_path, tests, *wrong, changed(b"x * 2", b"x * 3"), names=names)
    assert details == ["failed"] * 5 + ["passed"]
    slow, quick, right = (len((tmp_path / f"count{name}").read_text()) for name in ("slow", "quick", "right"))
    assert (slow, quick, right) == (1 + 1 + 1, 1 + 5 + 1, 1 + 1), "of the unchanged tree, of it once more, of mutants"
