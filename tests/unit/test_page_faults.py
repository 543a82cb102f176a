"""What pages say where a log was changed, the store is away, or something went wrong that nobody expected."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from fakes_reading import ScriptedReader, row
from fakes_runs import write_run
from fakes_store import FakeTime
from fakes_wishes import FakeWishes
from fastapi import FastAPI
from starlette.testclient import TestClient

from bot.adapters.reading import MOST_BYTES, StoredReader
from bot.adapters.run_logs import FileRunLogs
from bot.adapters.store import connect
from bot.errors import LogError, StoreError
from bot.pipeline.logs.runlog import Entry
from bot.pipeline.ports.reading import Filter, RunRow
from bot.pipeline.reading.lines import ChangedLogError, entries
from bot.web.access import Access
from bot.web.pages import words
from bot.web.site import Site

ONE = row(1, "owner/grades")
PATH = words.run_path(ONE.identity)


@dataclass
class Failing(ScriptedReader):
    """Raises what it is given, wherever a log or a list is read."""

    error: Exception = field(default_factory=Exception)

    def entries(self, identity: str, after: int) -> tuple[Entry, ...]:
        del identity, after
        raise self.error

    def artifact(self, identity: str, name: str) -> bytes | None:
        del identity, name
        raise self.error

    def runs(self, wanted: Filter) -> tuple[RunRow, ...]:
        del wanted
        raise self.error


def visit(reader: ScriptedReader) -> TestClient:
    app = FastAPI()
    now = FakeTime()
    Site(Access("127.0.0.1", ""), reader, FakeWishes(now), "https://github.example", now).add_to(app)
    return TestClient(app, "http://127.0.0.1:8080", client=("127.0.0.1", 1), raise_server_exceptions=False)


def changed(tmp_path: Path, at: int) -> ChangedLogError:
    """What reading a log raises whose line `at` was changed."""
    write_run(tmp_path / "log.jsonl")
    lines = list(FileRunLogs(lambda _: tmp_path / "log.jsonl").lines("", 0))
    lines[at] = lines[at].replace(b'"prev":"', b'"prev":"0')
    with pytest.raises(ChangedLogError) as raised:
        entries(lines)
    return raised.value


@pytest.mark.parametrize(
    ("error", "status"), [(LogError("It was changed", "Do this."), 500), (StoreError("It is away", "Do that."), 503)]
)
@pytest.mark.parametrize("path", [f"{PATH}/files/tests.csv", f"{PATH}/output/x", "/runs"])
def test_what_cannot_be_read_is_said_with_its_remedy(path: str, error: LogError | StoreError, status: int) -> None:
    answer = visit(Failing([ONE], error=error)).get(path)
    assert answer.status_code == status
    assert error.cause in answer.text
    assert error.remedy in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_what_nobody_expected_is_a_page_with_the_same_headers() -> None:
    answer = visit(Failing([ONE], error=ZeroDivisionError("a secret"))).get("/runs")
    assert (answer.status_code, "secret" in answer.text) == (500, False)
    assert "went wrong" in answer.text
    headers = visit(ScriptedReader()).get("/runs").headers
    same = {name for name, value in headers.items() if answer.headers.get(name) == value}
    assert set(headers) - same == {"content-length"}


def test_a_changed_log_shows_its_sound_first_lines_and_is_not_followed(tmp_path: Path) -> None:
    error = changed(tmp_path, 60)
    assert len(error.sound) == 60
    text = visit(Failing([ONE], error=error)).get(PATH).text
    assert "Attempt 1" in text
    assert "Line 61 of the run&#39;s log does not verify" in text
    assert "sse-connect" not in text


def test_who_follows_a_log_that_was_changed_is_told_so_and_asks_no_more(tmp_path: Path) -> None:
    text = visit(Failing([ONE], error=changed(tmp_path, 60))).get(f"{PATH}/events").text
    assert 'id="damage" hx-swap-oob="true"' in text
    assert "does not verify" in text
    ended = replace(ONE, ended_at=1100.0)
    assert "event: end" in visit(Failing([ended], error=LogError("It is gone", "Look."))).get(f"{PATH}/events").text


class Sized(FileRunLogs):
    """Logs that say that they are large."""

    def size(self, identity: str, first: int) -> int:
        del identity
        return MOST_BYTES + 1 if first == 0 else 10


def test_a_log_too_large_to_be_shown_is_not_even_read_and_is_downloaded_all_the_same(tmp_path: Path) -> None:
    write_run(tmp_path / "log.jsonl")
    engine = connect(f"sqlite:///{tmp_path}/regreen.sqlite")
    reader = StoredReader(engine, Sized(lambda _: tmp_path / "log.jsonl"), lambda text: text)
    for call in (lambda: reader.entries("run", -1), lambda: reader.artifact("run", "tests.csv")):
        with pytest.raises(LogError, match="more than the 128 MiB"):
            call()
    assert reader.entries("run", 80)[0].number == 81, "what comes after is read"
    whole = (tmp_path / "log.jsonl").read_bytes()
    assert b"".join(reader.log("run")) == reader.artifact("run", "log.jsonl") == whole
    engine.dispose()


def test_a_log_is_handed_out_by_pieces_without_a_line_that_is_half_written(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(b"%d" % number * 300_000 + b"\n" for number in range(10)) + b"half")
    pieces = list(FileRunLogs(lambda _: path).pieces("run"))
    assert len(pieces) > 2
    assert b"".join(pieces) == path.read_bytes().removesuffix(b"half")


def test_a_download_is_the_log_itself() -> None:
    files = {(ONE.identity, "log.jsonl"): b"{}\n"}
    answer = visit(ScriptedReader([ONE], files=files)).get(f"{PATH}/files/log.jsonl")
    assert (answer.status_code, answer.content) == (200, b"{}\n")
    assert "content-length" not in answer.headers
    assert visit(ScriptedReader([ONE])).get(f"{PATH}/files/log.jsonl").status_code == 404
