"""What can be downloaded of an attempt is what its page shows, also where two arms gave one number."""

from pathlib import Path

import pytest
from fakes import FakeClock
from fakes_reading import row

from bot.adapters.journal import FileJournal
from bot.adapters.run_logs import FileRunLogs
from bot.pipeline.logs.runlog import Entry
from bot.pipeline.reading import AttemptView, RunView, read
from bot.pipeline.reading.attempts import MOST_DIFF
from bot.pipeline.reading.contents import content
from bot.pipeline.reading.lines import entries
from bot.web.pages.rendering import Rendering


def lines(path: Path) -> tuple[bytes, ...]:
    return FileRunLogs(lambda _identity: path).lines("run", 0)


def proposed(journal: FileJournal, said: str, **more: object) -> None:
    asked = {"prompt": [{"role": "user", "content": f"Question {said}"}], "reply": f"Answer {said}"}
    journal.append("proposal", {"number": 1, "origin": "model", "explanation": said} | asked | more)


def patched(journal: FileJournal, said: str) -> None:
    journal.record("patch", {"number": 1}, f"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-old\n+{said}\n".encode())


def first(path: Path) -> AttemptView:
    return read(entries(lines(path))).attempts[0]


def test_the_number_of_an_arm_that_broke_off_is_the_next_arms(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    journal = FileJournal(path, FakeClock(), str)
    for said in ("first", "second"):
        proposed(journal, said)
        patched(journal, said)
    assert "+second" in first(path).diff
    assert b"+second" in (content(lines(path), "attempt-1.diff", str) or b"")
    assert b"Answer second" in (content(lines(path), "attempt-1-prompt.txt", str) or b"")
    proposed(journal, "third", origin="", refusal="no patch", prompt=[], reply="")
    assert (first(path).diff, first(path).files) == ("", ())
    assert content(lines(path), "attempt-1.diff", str) is None, "what the second arm made is not the third's"


def test_an_arm_that_has_nothing_left_is_no_attempt(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    journal = FileJournal(path, FakeClock(), str)
    nothing = {"number": 1, "exhausted": True, "refusal": "no suspect left", "prompt": [], "reply": ""}
    journal.append("proposal", nothing)
    proposed(journal, "asked")
    journal.append("proposal", nothing)
    assert b"Question asked" in (content(lines(path), "attempt-1-prompt.txt", str) or b"")
    assert read(entries(lines(path))).remarks == ("no suspect left", "no suspect left")


def test_a_changed_line_that_looks_like_a_header_is_counted() -> None:
    changes = "".join(
        f"{line}\n" for line in ("-- a comment of SQL", "--- three", "-x", "+++ b", "++ c", "+y", " same")
    )
    heads = "diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n@@ -1,4 +1,4 @@\n"
    one = patch(heads.format("a.sql") + changes + heads.format("b.sql") + changes)
    assert (one.added, one.removed) == (6, 6)


@pytest.mark.parametrize(("size", "cut"), [(MOST_DIFF, False), (MOST_DIFF + 1, True)])
def test_a_diff_is_said_to_be_cut_where_it_is(size: int, *, cut: bool) -> None:
    one = patch("x" * size)
    text = Rendering().text("run/attempt.html", run=RunView(), row=row(), one=one, unfolded=True)
    assert (one.cut, "The diff is cut here" in text) == (cut, cut)


def patch(diff: str) -> AttemptView:
    proposal = Entry(0, 1.0, "proposal", {"number": 1, "origin": "model"})
    return read([proposal, Entry(1, 1.0, "patch", {"number": 1}, diff.encode())]).attempts[0]
