import json
from pathlib import Path

import pytest
from fakes_store import FakeTime

from bot.adapters.journal import FileJournal, read
from bot.errors import LogError
from bot.pipeline.logs.runlog import MAX_TEXT
from bot.repair.types import Verdict

SECRET = "hunter2-and-then-some"


def redact(text: str) -> str:
    return text.replace(SECRET, "[redacted]")


def journal(path: Path) -> FileJournal:
    return FileJournal(path, FakeTime(), redact)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "one.jsonl"


def test_events_are_numbered_timed_and_chained(path: Path) -> None:
    log = journal(path)
    log.append("started", {"task": "issue-7"})
    log.append("judged", {"verdict": Verdict.SOLVED, "ids": ("a", "b"), "raw": b"\xff"})
    first, second = read(path)
    assert (first.number, first.at, first.event, dict(first.fields)) == (0, 1_000.0, "started", {"task": "issue-7"})
    assert dict(second.fields) == {"verdict": "solved", "ids": ["a", "b"], "raw": "_w=="}
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_replay_adds_nothing_until_it_is_past_what_was_written(path: Path) -> None:
    first = journal(path)
    for event in ("started", "proposed"):
        first.append(event, {})
    again = journal(path)
    for event in ("started", "proposed", "judged"):
        again.append(event, {"late": True})
    assert [entry.event for entry in read(path)] == ["started", "proposed", "judged"]
    assert [dict(entry.fields) for entry in read(path)] == [{}, {}, {"late": True}]


def test_a_line_that_a_crash_tore_is_written_anew(path: Path) -> None:
    journal(path).append("started", {})
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"number":1,"prev":"')
    assert len(read(path)) == 1
    again = journal(path)
    again.append("started", {})
    again.append("proposed", {})
    assert [entry.event for entry in read(path)] == ["started", "proposed"]


def test_a_replay_that_takes_another_way_is_an_error(path: Path) -> None:
    journal(path).append("started", {})
    with pytest.raises(LogError, match="started"):
        journal(path).append("stopped", {})


def test_a_changed_a_lost_and_a_swapped_line_do_not_verify(path: Path) -> None:
    log = journal(path)
    for number in range(4):
        log.append("judged", {"number": number})
    lines = path.read_bytes().splitlines(keepends=True)
    changed = [lines[0], lines[1].replace(b'"number":1}', b'"number":9}'), *lines[2:]]
    assert changed != lines
    for damaged in (changed, [lines[0], *lines[2:]], [lines[1], lines[0], *lines[2:]], [b"{}\n", *lines[1:]], [b"7\n"]):
        path.write_bytes(b"".join(damaged))
        with pytest.raises(LogError):
            read(path)


@pytest.mark.parametrize("data", [b"# Regreen\n\nA text.\n", b"{\n}\n", b"\x89PNG\n", b"[1]\n", b'{"event": "x"}\n'])
def test_a_file_of_another_kind_is_not_said_to_be_a_changed_log(path: Path, data: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(data)
    with pytest.raises(LogError, match="is no run log") as caught:
        read(path)
    assert "log.jsonl" in caught.value.remedy


def test_secrets_are_redacted_everywhere_and_before_anything_is_cut(path: Path) -> None:
    long = "x" * (MAX_TEXT - 5) + SECRET
    journal(path).append("proposed", {"a": [{"b": f"is {SECRET}"}], SECRET: 1, "long": long})
    text = path.read_text()
    assert SECRET[:5] not in text
    assert len(json.loads(text)["fields"]["long"]) < MAX_TEXT + 100


def test_what_is_too_much_is_cut_and_says_so(path: Path) -> None:
    deep: list[object] = []
    for _ in range(50):
        deep = [deep]
    journal(path).append(
        "proposed", {"text": "x" * 100_000, "items": list(range(5_000)), "deep": deep, "odd": "\ud800"}
    )
    (entry,) = read(path)
    assert str(entry.fields["text"]).endswith("(80000 characters cut)")
    assert path.stat().st_size < 50_000


def test_no_log_is_an_empty_log(path: Path) -> None:
    assert read(path) == ()


def test_a_payload_is_whole_and_part_of_the_chain(path: Path) -> None:
    whole = b"x" * (10 * MAX_TEXT)
    journal(path).record("called", {"call": "Workspace.evaluate"}, whole)
    (entry,) = read(path)
    assert (entry.event, entry.payload) == ("called", whole)
    assert path.stat().st_size < MAX_TEXT
    path.write_bytes(path.read_bytes().replace(b'"payload":"eJ', b'"payload":"EJ'))
    with pytest.raises(LogError, match="does not verify"):
        read(path)


def test_a_value_that_is_there_already_is_returned(path: Path) -> None:
    assert journal(path).record("opened", {}, b"first") == b"first"
    again = journal(path)
    assert again.record("opened", {}, b"second") == b"first"
    assert again.record("called", {}, b"third") == b"third"


def test_values_that_would_fill_the_memory_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = journal(path)
    for _ in range(3):
        log.record("called", {}, bytes(1 << 20))
    monkeypatch.setattr("bot.adapters.journal.MAX_TOTAL", 2 << 20)
    with pytest.raises(LogError, match="take more than 2 MiB"):
        read(path)


def test_the_head_is_the_digest_of_the_last_line_also_in_a_replay(path: Path) -> None:
    first, again = journal(path), journal(path)
    heads = []
    for event in ("started", "proposed", "judged"):
        first.append(event, {})
        heads.append(first.head)
    assert heads == [entry.digest for entry in read(path)]
    for event, head in zip(("started", "proposed", "judged"), heads, strict=True):
        again.append(event, {})
        assert again.head == head
