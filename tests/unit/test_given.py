import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import EditError
from bot.pipeline.given import paths, read_patch
from bot.repair.difftext import unified
from bot.repair.types import FileChange, Patch

OLD = b"one\r\ntwo\nthr\xe9e\nfour\n"


def diff_of(path: str, old: bytes, new: bytes) -> bytes:
    lines = list(difflib.diff_bytes(difflib.unified_diff, old.splitlines(keepends=True), new.splitlines(keepends=True)))
    body = b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in lines[2:])
    return f"--- a/{path}\n+++ b/{path}\n".encode() + body


@pytest.mark.parametrize(
    "new", [b"one\r\nTWO\nthr\xe9e\nfour\n", OLD + b"five", b"zero\n" + OLD, OLD[:-1], b"one\r\nfour\n"]
)
def test_a_diff_is_applied_byte_for_byte(new: bytes) -> None:
    assert read_patch(diff_of("m.py", OLD, new), {"m.py": OLD}) == Patch((FileChange("m.py", new),))


LINES = st.lists(st.sampled_from([b"a", b"b", b"c\r", b"", b"\xff"]), max_size=12).map(b"\n".join)


@given(LINES, LINES)
def test_what_git_would_print_comes_back(old: bytes, new: bytes) -> None:
    if old == new or not old or not new:
        return
    text = old.replace(b"\xff", b"x"), new.replace(b"\xff", b"x")
    if text[0] == text[1]:
        return
    patch = Patch((FileChange("m.py", text[1]),))
    assert read_patch(unified({"m.py": text[0]}, patch).encode(), {"m.py": text[0]}) == patch


def test_added_and_deleted_files_are_taken() -> None:
    diff = b"--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x = 1\n--- a/m.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n"
    assert paths(diff) == ("new.py", "m.py")
    assert read_patch(diff, {"m.py": b"old\n"}) == Patch((FileChange("m.py", None), FileChange("new.py", b"x = 1\n")))


@pytest.mark.parametrize(
    ("diff", "cause"),
    [
        (b"", "empty"),
        (b"just prose\n", "empty, or no"),
        (b"--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-other\n+x\n", "does not fit"),
        (b"--- a/n.py\n+++ b/n.py\n@@ -1 +1 @@\n-old\n+x\n", "not in the tree"),
        (b"--- a/m.py\n+++ b/m.py\n@@ -1,9 +1 @@\n-old\n+x\n", "no unified diff"),
        (
            (
                b"diff --git a/m.py b/k.py\nrename from m.py\nrename to k.py\n"
                b"--- a/m.py\n+++ b/k.py\n@@ -1 +1 @@\n-old\n+x\n"
            ),
            "renames",
        ),
        (b"--- /dev/null\n+++ b/m.py\n@@ -0,0 +1 @@\n+x\n", "exists"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_cause(diff: bytes, cause: str) -> None:
    with pytest.raises(EditError, match=cause):
        read_patch(diff, {"m.py": b"old\n"})
