"""What is read of a run's log."""

import json
from pathlib import Path

import pytest
from fakes import FakeClock
from fakes_runs import FIX, WRONG, write_run, write_wide_run

from bot.adapters.journal import FileJournal
from bot.adapters.run_logs import FileRunLogs
from bot.codec import canonical, digest
from bot.errors import LogError
from bot.pipeline.logs.replay import replay
from bot.pipeline.logs.runlog import Entry, verified
from bot.pipeline.reading import RunView, read
from bot.pipeline.reading.contents import content
from bot.pipeline.reading.lines import entries


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_run(tmp_path / "log.jsonl")
    return tmp_path / "log.jsonl"


def lines(path: Path) -> tuple[bytes, ...]:
    return FileRunLogs(lambda _identity: path).lines("run", 0)


def seen(path: Path) -> RunView:
    return read(entries(lines(path)))


def test_a_repair_is_seen_from_its_steps_to_its_end(path: Path) -> None:
    run = seen(path)
    names = ["admit", "fetch", "prepare", "baseline", "targets", "repair", "publish"]
    assert [step.name for step in run.steps] == names
    assert all(step.seconds is not None for step in run.steps)
    assert (run.title, run.targets) == ("Fifty should pass", ("tests/test_grades.py::test_fifty",))
    assert dict(run.baseline) == {"failing": 1, "passing": 2, "flaky": 0, "skipped": 0}
    assert (run.stop, run.solution, run.state, run.headline) == ("solved", 2, "published", "Opened pull request #1")
    assert run.environment is not None
    assert run.environment.recipe.test_command == ("python", "-m", "pytest")
    assert [(one.role, one.usage.tokens) for one in run.roles] == [("coder", 600)]


def test_an_attempt_holds_what_was_proposed_what_happened_and_the_lesson(path: Path) -> None:
    wrong, solved = seen(path).attempts[:2]
    assert (wrong.verdict, solved.verdict) == ("not_fixed", "solved")
    assert (wrong.explanation, wrong.prediction) == ("fifty is left out", "fifty passes, all others stay as they are")
    assert "+    if score > 51:\n" in wrong.diff
    assert (wrong.added, wrong.removed) == (1, 1)
    assert "assert 'fail' == 'pass'" in wrong.failure
    assert wrong.reflection is not None
    assert [trial.scope for trial in solved.trials] == ["targets", "suite", "confirmation"]
    assert solved.comparison.fixed == ("tests/test_grades.py::test_fifty",)
    assert wrong.usage.tokens == 240, "the proposal and the lesson"


def test_every_line_makes_a_view_as_far_as_it_goes(path: Path) -> None:
    found = entries(lines(path))
    for at in range(len(found)):
        run = read(found[:at])
        assert run.last == at - 1
        assert not run.ended
    assert read(found).ended


def test_what_is_there_can_be_had(path: Path) -> None:
    log = lines(path)
    run = seen(path)
    names = [one.name for one in run.artifacts]
    assert names[:3] == ["log.jsonl", "environment.json", "tests.csv"]
    for name in names[1:]:
        assert content(log, name, str), name
    assert "+    if score >= 50:" in str(content(log, "attempt-2.diff", str))
    assert "=== answer\\n" + "CAUSE: fifty" in str(content(log, "attempt-1-prompt.txt", str))
    assert json.loads(content(log, "environment.json", str) or b"")["recipe"]["ecosystem"] == "python"
    assert b"test_fifty,fails,fails,fixed" in (content(log, "tests.csv", str) or b"")
    assert content(log, "../../etc/passwd", str) is None
    assert content(log, "attempt-9.diff", str) is None


def test_the_output_of_a_run_is_found_by_its_digest(tmp_path: Path) -> None:
    journal = FileJournal(tmp_path / "log.jsonl", FakeClock(), str)
    for output in ("first", "second"):
        journal.record("called", {"call": "Workspace.evaluate"}, canonical({"value": [{"output": output}]}))
    journal.record("called", {"call": "Workspace.evaluate"}, canonical({"error": {"type": "WorkspaceError"}}))
    journal.append("proposal", {"number": 1, "origin": "model"})
    for told in (b"second", b"gone"):
        journal.append("run", {"number": 1, "scope": "suite", "output": digest(told)})
    journal.append("attempt", {"number": 1, "verdict": "not_fixed"})
    log = lines(tmp_path / "log.jsonl")
    names = [trial.output for trial in read(entries(log)).attempts[0].trials]
    assert names == ["attempt-1-run-1.txt", "attempt-1-run-2.txt"]
    assert [content(log, name, str) for name in names] == [b"second", b""]


def test_what_is_handed_out_is_redacted(path: Path) -> None:
    assert content(lines(path), "attempt-2.diff", lambda text: text.replace("score", "[redacted]")) == (
        b"diff --git a/grades.py b/grades.py\n--- a/grades.py\n+++ b/grades.py\n@@ -1,4 +1,4 @@\n"
        b" def grade([redacted]):\n-    if [redacted] > 50:\n+    if [redacted] >= 50:\n"
        b"         return 'pass'\n     return 'fail'\n"
    )


def test_what_pages_need_of_a_log_leaves_its_replay_the_same(path: Path) -> None:
    again = replay(tuple(verified(lines(path), "log.jsonl")))
    assert again.same, again.difference


def test_lines_are_read_on_from_where_one_left_off(path: Path) -> None:
    whole = path.read_bytes()
    every = lines(path)
    logs = FileRunLogs(lambda _identity: path)
    path.write_bytes(b"".join(every[:10]) + every[10][:20])
    assert logs.lines("run", 0) == every[:10], "a line that is half written is none yet"
    assert logs.lines("run", 10) == ()
    path.write_bytes(whole)
    assert logs.lines("run", 10) == every[10:]
    assert logs.lines("run", 4) == every[4:]
    assert logs.lines("run", len(every) + 5) == ()
    path.unlink()
    assert logs.lines("run", 0) == ()


def test_entries_follow_from_each_other_wherever_one_begins(path: Path) -> None:
    every = lines(path)
    found = entries(every)
    assert entries(every[7:], 7, 7) == found[8:]
    changed = every[8].replace(b"baseline", b"basement")
    with pytest.raises(LogError, match="Line 10"):
        entries((*every[7:8], changed, *every[9:]), 7, 7)
    with pytest.raises(LogError, match="Line 1 "):
        entries(every[1:])


def test_a_wide_run_is_folded_to_the_rows_that_differ(tmp_path: Path) -> None:
    write_wide_run(tmp_path / "log.jsonl", tests=400, attempts=3)
    grid = seen(tmp_path / "log.jsonl").matrix
    assert (grid.columns, grid.tests) == ((1, 2, 3), 400)
    assert len(grid.rows) < 40
    assert all(len(row.cells) == 4 for row in grid.rows)
    assert grid.rows[0].tests[0] in grid.targets


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"number": "1", "trials": 3, "deltas": [1], "flakes": "x", "reflection": 7, "by_role": [], "step": None},
        {
            "number": 1,
            "deltas": {"fixed": [1, {}]},
            "reflection": {"cause": 1},
            "by_role": {"coder": 1},
            "seconds": "9",
        },
        {"number": True, "prompt": [1, {"role": 2}], "models": 4, "targets": {}, "failing": 2, "hosts": {"a": "b"}},
    ],
)
def test_damaged_fields_are_as_if_they_were_not_there(path: Path, fields: dict[str, object]) -> None:
    events = {entry.event for entry in entries(lines(path))}
    events |= {"advice", "flaky", "review", "deltas", "test_written", "test_judged", "approved_test", "later_event"}
    events |= {"egress_allowed", "egress_refused", "closed", "not_commented"}
    proposal = Entry(0, 1.0, "proposal", {"number": 1, "origin": "model"})
    for payload in (b"", b"[]", b"\xff{"):
        odd = [Entry(at, 1.0, event, fields, payload) for at, event in enumerate(sorted(events), 1)]
        assert read([proposal, *odd]).attempts


def test_the_fixes_of_the_fakes_are_what_this_file_says() -> None:
    assert ("> 51" in WRONG, ">= 50" in FIX) == (True, True)
