"""What a log holds whole is shown without secrets, and loses nothing else by that."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeClock
from fakes_runs import write_run
from pydantic import SecretStr

from bot.adapters.journal import FileJournal
from bot.adapters.run_logs import FileRunLogs
from bot.codec import canonical
from bot.log import redactor
from bot.pipeline.logs.runlog import Entry
from bot.pipeline.reading import read
from bot.pipeline.reading.contents import content
from bot.pipeline.reading.lines import entries
from bot.pipeline.reading.payloads import redacted

SECRET = "a-webhook-secret-of-this-installation"
REDACT = redactor([SecretStr(SECRET)])
NAMES = (
    "t::h[Authorization: Bearer abc]",
    "t::k[-----BEGIN RSA PRIVATE KEY-----]",
    "t::u[http://a:b]",
    't::q[secret_access_key": "x"]',
    f"t::s[{SECRET}]",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_test_that_is_named_like_a_secret_costs_no_other_test(name: str, tmp_path: Path) -> None:
    journal = FileJournal(tmp_path / "log.jsonl", FakeClock(), REDACT, REDACT.conceal)
    said = {"targets": ["t::a"], "failing": ["t::a"], "passing": 3, "runs": 3, "flaky": [], "skipped": 0}
    journal.append("baseline", said)
    passing = [name, "t::b:c@d", "t::z"]
    every = {"failing": ["t::a"], "passing": passing, "flaky": [], "skipped": []}
    journal.record("suite", {}, canonical(every))
    journal.append("proposal", {"number": 1, "origin": "model"})
    journal.append("run", {"number": 1, "scope": "suite", "state": "complete", "collected": 4, "output": ""})
    journal.append("attempt", {"number": 1, "verdict": "regressed", "deltas": {"still_failing": ["t::a"]}})
    journal.record("deltas", {"number": 1}, canonical({"still_failing": ["t::a"], "regressed": [name]}))
    lines = FileRunLogs(lambda _identity: tmp_path / "log.jsonl").lines("run", 0)
    run = read(redacted(entry, REDACT) for entry in entries(lines))
    assert dict(run.baseline) == {"failing": 1, "passing": 3, "flaky": 0, "skipped": 0}
    assert (run.matrix.tests, dict(run.matrix.folded)) == (4, {"pp": 2})
    assert run.attempts[0].comparison.regressed == (REDACT(name),)
    rows = list(csv.reader(io.StringIO((content(lines, "tests.csv", REDACT) or b"").decode())))
    assert {tuple(row) for row in rows[1:]} == {
        ("t::a", "fails", "fails"),
        (REDACT(name), "passes", "regressed"),
        ("t::b:c@d", "passes", "passes"),
        ("t::z", "passes", "passes"),
    }
    assert SECRET not in str(rows)


def test_what_a_repair_starts_from_is_read_whatever_the_issue_says(tmp_path: Path) -> None:
    write_run(tmp_path / "log.jsonl")
    lines = FileRunLogs(lambda _identity: tmp_path / "log.jsonl").lines("run", 0)
    opened = next(entry for entry in entries(lines) if entry.event == "opened")
    about = ["Header `Authorization: Bearer` is dropped", f"-----BEGIN RSA PRIVATE KEY-----, {SECRET}"]
    payload = canonical(json.loads(opened.payload) | {"about": about})
    run = read([redacted(replace(opened, payload=payload), REDACT)])
    assert run.title == REDACT(about[0])
    assert run.environment is not None
    assert run.environment.recipe.test_command == ("python", "-m", "pytest")


@pytest.mark.parametrize("payload", [b"no document", b"[" * 100_000, b"\xff"])
def test_what_cannot_be_read_is_said(payload: bytes) -> None:
    events = (Entry(at, 1.0, event, {"number": 1}, payload) for at, event in enumerate(("opened", "suite", "deltas")))
    run = read(redacted(entry, REDACT) for entry in events)
    assert len(run.remarks) == 3


def test_where_not_all_that_an_attempt_changed_is_known_nothing_is_said_to_be_as_before() -> None:
    every = {"failing": ["t::a"], "passing": ["t::b"], "flaky": [], "skipped": []}
    said: dict[str, Any] = {
        "number": 1,
        "scope": "suite",
        "state": "complete",
        "verdict": "regressed",
        "origin": "model",
    }
    events = {"suite": canonical(every), "proposal": b"", "run": b"", "attempt": b"", "deltas": b"{"}
    run = read(Entry(at, 1.0, event, said, payload) for at, (event, payload) in enumerate(events.items()))
    assert dict(run.matrix.folded) == {"p.": 1}


def test_a_diff_stays_a_text() -> None:
    diff = f"+token = '{SECRET}'\n".encode()
    assert redacted(Entry(0, 1.0, "patch", {}, diff), REDACT).payload == b"+token = '[redacted]'\n"
    whole = canonical({"names": ["a", {"b": None, "c": 1.5}]})
    assert json.loads(redacted(Entry(0, 1.0, "suite", {}, whole), REDACT).payload) == json.loads(whole)
