"""Lists of a log are cut where they are long; how many there are is said all the same."""

import json
from pathlib import Path
from typing import Any

from fakes import FakeClock
from fakes_fix import RECIPE
from fakes_reading import ScriptedReader, row

from bot.adapters.journal import FileJournal
from bot.adapters.run_logs import FileRunLogs
from bot.commands import runs
from bot.pipeline.logs.runlog import Entry, verified
from bot.pipeline.reading import read
from bot.pipeline.reading.told import Teller
from bot.repair import record
from bot.repair.record import MAX_IDS
from bot.repair.types import Attempt, Base, Baseline, Comparison, Task, Usage, Verdict
from sandbox.spec import Outcome, TestResult

MANY = tuple(f"t::f{at}" for at in range(5_000))


def logged(path: Path, ids: tuple[str, ...]) -> tuple[Entry, ...]:
    """A baseline of which these fail, and an attempt that fixes half of them and breaks as many others."""
    journal = FileJournal(path, FakeClock(), str)
    base = Base("owner/name", "c0ffee", RECIPE)
    failing = tuple(TestResult(one, Outcome.FAILED) for one in ids)
    record.started(journal, Task(base, "", "", ids), Baseline(2, failing, (), (), (), 1.0))
    half = len(ids) // 2
    change = Comparison(fixed=ids[:half], still_failing=ids[half:], regressed=tuple(f"{one}!" for one in ids))
    journal.append("proposal", {"number": 1, "origin": "model"})
    record.judged(journal, Attempt(1, Verdict.REGRESSED, None, change, "broke", "", None, Usage(), 1.0))
    return tuple(verified(FileRunLogs(lambda _: path).lines("", 0), "log.jsonl"))


def test_what_is_told_of_long_lists_are_all_that_there_are(tmp_path: Path) -> None:
    entries = logged(tmp_path / "log.jsonl", MANY)
    teller = Teller()
    said = "\n".join(one.text for entry in entries for one in teller.tell(entry.event, entry.fields))
    for told in ("5000 fail", "and 4994 more", "2500 fixed, 2500 still failing, 5000 regressed", "and 4999 more"):
        assert told in said, told
    assert len(entries[0].fields["failing"]) == MAX_IDS
    view = read(entries)
    assert (view.aims, dict(view.baseline)["failing"], view.attempts[0].complete) == (5_000, 5_000, True)
    one = row(1)
    shown = runs.shown(ScriptedReader([one], {one.identity: entries}), one.identity, "", diffs=False)
    assert "to turn green: and 4980 more" in shown.lines
    assert shown.document["log"]["aims"] == 5_000


def test_until_all_that_an_attempt_changed_is_named_the_rest_has_no_result(tmp_path: Path) -> None:
    judged = next(entry for entry in logged(tmp_path / "log.jsonl", MANY) if entry.event == "attempt")
    proposal = Entry(0, 1.0, "proposal", {"number": 1, "origin": "model"})
    assert not read([proposal, judged]).attempts[0].complete


def test_a_short_list_says_itself_how_long_it_is(tmp_path: Path) -> None:
    fields: list[Any] = [entry.fields for entry in logged(tmp_path / "log.jsonl", MANY[:MAX_IDS])]
    assert [one for one in fields if "totals" in json.loads(json.dumps(one))] == []
