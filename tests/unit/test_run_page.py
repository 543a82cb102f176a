"""The list of runs and the page of one, as a browser gets them."""

import re
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from fakes_reading import ScriptedReader, row
from fakes_runs import write_run, write_wide_run
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.testclient import TestClient

from bot.adapters.run_logs import FileRunLogs
from bot.errors import LogError
from bot.pipeline.logs.runlog import Entry
from bot.pipeline.ports.reading import RunRow
from bot.pipeline.reading.lines import entries
from bot.pipeline.reading.matrix import MEANINGS
from bot.web.pages import drawing, words
from bot.web.pages.live import Live
from bot.web.pages.rendering import Rendering
from bot.web.pages.routes import page_routes
from bot.web.pages.run import RunPage
from bot.web.pages.visitor import Visitor, anybody

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
ENDED: dict[str, Any] = {
    "state": "published",
    "headline": "Opened pull request #4",
    "ended_at": 1100.0,
    "seconds": 75.0,
}


def logged(tmp_path: Path, *, wide: bool = False) -> tuple[Entry, ...]:
    path = tmp_path / "log.jsonl"
    if wide:
        write_wide_run(path)
    else:
        write_run(path)
    return entries(FileRunLogs(lambda _identity: path).lines("", 0))


def browser(reader: ScriptedReader, visitor: Visitor | None = None) -> TestClient:
    def visiting(_request: Request) -> Visitor:
        return visitor or Visitor()

    rendering = Rendering("https://github.example", lambda: 1000.0)
    return TestClient(Starlette(routes=page_routes(reader, rendering, visiting)))


def shown(one: RunRow, log: tuple[Entry, ...], **files: bytes) -> str:
    reader = ScriptedReader([one], {one.identity: log}, {(one.identity, name): data for name, data in files.items()})
    return browser(reader).get(words.run_path(one.identity)).text


def test_a_run_shows_everything_that_its_log_says(tmp_path: Path) -> None:
    text = shown(row(1, "owner/grades", **ENDED, url="https://github.example/p/4", pull_request=4), logged(tmp_path))
    told = (
        *("Opened pull request #4", "Fifty should pass", "1 min 15 s", 'href="https://github.example/p/4"'),
        *(
            "Attempt 1",
            "Not fixed",
            "fifty is left out",
            "fifty passes, all others stay as they are",
            "Attempt 2",
            "Solved",
        ),
        *("+    if score &gt;= 50:", "tests/test_grades.py::test_fifty", "600 tokens"[:3], "python -m pytest"),
        *("attempt-2.diff", "log.jsonl", "2 other tests pass on the base"),
    )
    assert [one for one in told if one not in text] == []
    assert "sse-connect" not in text, "nothing comes any more"


def test_untrusted_text_is_text(tmp_path: Path) -> None:
    log = logged(tmp_path)
    evil = [replace(entry, fields=dict(entry.fields)) for entry in log]
    for entry in evil:
        for name, value in entry.fields.items():
            if isinstance(value, str) and name in {
                "explanation",
                "reason",
                "failure",
                "detail",
                "step",
                "reply",
                "refusal",
            }:
                entry.fields[name] = value + EVIL  # type: ignore[index]  # a copy of this test's own
    one = row(
        1, "owner/grades", EVIL, sender=EVIL, **ENDED | {"headline": EVIL, "url": "javascript:alert(3)"}, pull_request=4
    )
    text = shown(one, tuple(evil))
    assert "<script>alert" not in text
    assert "<img" not in text
    assert "javascript:" not in text
    assert text.count("&lt;script&gt;alert(1)") > 5
    listed = browser(ScriptedReader([one])).get("/runs", params={"text": EVIL, "repository": EVIL}).text
    assert "<script>alert" not in listed


@pytest.mark.parametrize("path", ["/runs", "/runs/owner%2Fgrades:issue-1:d1", "/runs/nobody"])
def test_no_page_holds_code_or_styles_of_its_own(path: str, tmp_path: Path) -> None:
    reader = ScriptedReader([row(1, "owner/grades")], {"owner/grades:issue-1:d1": logged(tmp_path)})
    text = browser(reader).get(path).text
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:|hx-on|hx-vals|<script(?! src=)", text)


def test_a_run_of_5000_tests_and_10_attempts_is_below_two_megabytes(tmp_path: Path) -> None:
    text = shown(row(1, **ENDED), logged(tmp_path, wide=True))
    assert text.count("<tr>") > 500
    assert len(text.encode()) < 2_000_000


def test_every_cell_of_the_grid_says_in_a_word_what_its_sign_and_colour_say(tmp_path: Path) -> None:
    # who listens hears no colours, and signs by other names; said by the style sheet, it costs the page nothing
    style = (resources.files("bot.web") / "static" / "regreen.css").read_text(encoding="utf-8")
    said = dict(re.findall(r'\.matrix \.c-(.)::after { content: "([^"]*)"; }', style))
    assert said == {drawing.cell(letter): meaning for letter, meaning in MEANINGS.items()}
    text = shown(row(1, **ENDED), logged(tmp_path, wide=True))
    assert set(re.findall(r'<td class="c-(.)">', text)) <= said.keys()


def test_a_live_page_says_where_the_run_is_to_who_does_not_see_it(tmp_path: Path) -> None:
    log = logged(tmp_path)
    first, second = (at for at, entry in enumerate(log) if entry.event == "attempt" and entry.fields["number"] < 3)
    said = {
        0: "The run waits for its turn.",
        first: "The run works: repair.",
        second + 1: "Attempt 2: Solved.",
        len(log) - 1: "publish.",
    }
    for number, ending in said.items():
        text = shown(row(1), log[:number])
        (status,) = re.findall(r'<div class="hide" role="status"><p id="now">\s*(.*?)\s*</p>', text, re.DOTALL)
        assert status.endswith(ending)
    assert 'role="status"' not in shown(row(1, **ENDED), log), "nothing comes any more"


def test_a_log_that_does_not_verify_is_said_beside_what_the_store_knows() -> None:
    class Damaged(ScriptedReader):
        def entries(self, identity: str, after: int) -> tuple[Entry, ...]:
            del identity, after
            raise LogError("Line 3 of the run's log does not verify", "It was changed.")

    text = browser(Damaged([row(1, **ENDED)])).get(words.run_path("owner/name:issue-1:d1")).text
    assert "Line 3 of the run&#39;s log does not verify" in text
    assert "Opened pull request #4" in text


def test_hidden_runs_are_like_none(tmp_path: Path) -> None:
    one = row(1, "owner/secret")
    reader = ScriptedReader([one], {one.identity: logged(tmp_path)}, {(one.identity, "log.jsonl"): b"{}"})
    away, there = browser(reader, Visitor(hidden=("OWNER/sec*",))), browser(reader)
    path = words.run_path(one.identity)
    for place in (path, f"{path}/events", f"{path}/files/log.jsonl", f"{path}/output/log.jsonl"):
        assert away.get(place).status_code == 404
        assert "secret" not in away.get(place).text
    assert there.get(f"{path}/files/log.jsonl").status_code == 200
    assert "secret" not in away.get("/runs").text
    assert "owner/secret" in there.get("/runs").text


def test_files_are_downloads_and_outputs_are_pieces_of_a_page(tmp_path: Path) -> None:
    one = row(1, "owner/grades")
    files = {(one.identity, "tests.csv"): b"a,b", (one.identity, "attempt-1-run-1.txt"): b"<b>" + b"x" * 60_000}
    page = browser(ScriptedReader([one], {one.identity: logged(tmp_path)}, files))
    path = words.run_path(one.identity)
    answer = page.get(f"{path}/files/tests.csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="tests.csv"'
    assert answer.headers["content-type"].startswith("text/csv")
    output = page.get(f"{path}/output/attempt-1-run-1.txt").text
    assert "10,003 characters before this are left out" in output
    assert "<b>" not in output
    assert page.get(f"{path}/files/else.txt").status_code == 404


def test_a_list_has_filters_and_pages() -> None:
    page = browser(ScriptedReader([row(at, sender="mona" if at % 2 else "octocat") for at in range(1, 121)]))
    first = page.get("/runs", params={"text": "mona"}).text
    assert first.count("<li>") == 50
    older = re.search(r'href="(/runs\?[^"]+)" rel="next"', first)
    assert older
    assert page.get(older[1].replace("&amp;", "&")).text.count("<li>") == 10
    assert "No run fits." in page.get("/runs", params={"state": "failed"}).text
    assert page.get("/runs", params={"state": "no such", "before": "9" * 99}).text.count("<li>") == 50


class Growing(ScriptedReader):
    """Each look shows some more lines; after the last one the run has ended."""

    shown = 30

    def entries(self, identity: str, after: int) -> tuple[Entry, ...]:
        self.shown += 7
        found = super().entries(identity, after)
        return tuple(entry for entry in found if entry.number < self.shown)

    def run(self, identity: str) -> RunRow | None:
        one = super().run(identity)
        return replace(one, ended_at=1100.0, state="published") if one and self.shown > 110 else one


def stream(text: str) -> list[dict[str, str]]:
    """Events by the names of their lines."""
    found = []
    for block in text.replace("\r\n", "\n").split("\n\n"):
        fields: dict[str, str] = {}
        for line in block.split("\n"):
            name, _, value = line.partition(": ")
            fields[name] = f"{fields[name]}\n{value}" if name in fields else value
        found.append(fields)
    return [one for one in found if "event" in one]


def live(reader: ScriptedReader, most: int = 4) -> TestClient:
    rendering = Rendering("", lambda: 1000.0)
    page = RunPage(reader, rendering, anybody, Live(reader, rendering, most, look_seconds=0.001, most_seconds=10.0))
    return TestClient(Starlette(routes=page.routes()))


def test_a_live_page_gets_what_changed_until_the_run_ends(tmp_path: Path) -> None:
    one = row(1, "owner/grades")
    path = words.run_path(one.identity)
    log = logged(tmp_path)
    reader = Growing([one], {one.identity: log})
    assert 'sse-connect="/runs/owner%2Fgrades%3Aissue-1%3Ad1/events?after=' in live(reader).get(path).text
    events = stream(live(reader).get(f"{path}/events", params={"after": 36}).text)
    assert [event["event"] for event in events[-2:]] == ["part", "end"]
    parts = [event["data"] for event in events if event["event"] == "part"]
    for number in range(1, 5):
        slot = f'id="slot-{number}" hx-swap-oob="true"'
        assert sum(slot in part for part in parts) == 1, "an attempt comes into its slot once"
    assert "Solved" in "".join(parts)
    assert "Pull request" in parts[-1]
    ids = [int(event["id"]) for event in events]
    assert (ids == sorted(ids), ids[-1]) == (True, log[-1].number)


def test_a_page_that_lost_the_connection_is_told_what_came_since(tmp_path: Path) -> None:
    one = row(1, "owner/grades", **ENDED)
    log = logged(tmp_path)
    page = live(ScriptedReader([one], {one.identity: log}))
    path = f"{words.run_path(one.identity)}/events"
    early = stream(page.get(path, params={"after": 0}, headers={"Last-Event-ID": "40"}).text)
    late = stream(page.get(path, params={"after": 0}, headers={"Last-Event-ID": str(log[-1].number)}).text)
    assert "attempt-2" in early[0]["data"]
    assert "attempt-2" not in late[0]["data"]
    assert [event["event"] for event in late] == ["part", "end"]


def test_more_listeners_than_there_is_room_for_are_sent_away(tmp_path: Path) -> None:
    one = row(1, "owner/grades")
    answer = live(ScriptedReader([one], {one.identity: logged(tmp_path)}), most=0).get(
        f"{words.run_path(one.identity)}/events"
    )
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")


def test_what_a_stopped_run_took_and_cost_is_said_where_it_is_known_and_else_nothing() -> None:
    over = {"state": "cancelled", "ended_at": 1100.0}
    assert figures(row(1, **over, started_at=1040.0, dollars=12.5)) == {"Took": "1 min", "Cost": "$12.50"}
    assert figures(row(1, **over)) == {"Took": "\N{EN DASH}"}
    assert figures(row(1, **over, seconds=75.0)) == {"Took": "1 min 15 s", "Tokens": "0", "Cost": "$0.00"}, "it said so"


def figures(one: RunRow) -> dict[str, str]:
    return dict(re.findall(r"<dt>(Took|Cost|Tokens)</dt><dd>([^<]*)", shown(one, ())))


@pytest.mark.parametrize(("ended", "said"), [({}, "Tests run"), (ENDED | {"state": "cancelled"}, "Not judged")])
def test_an_attempt_without_a_verdict_has_one_to_come_while_its_run_goes_on(ended: dict[str, Any], said: str) -> None:
    proposal = Entry(0, 1.0, "proposal", {"number": 1, "origin": "model"})
    text = shown(row(1, **ended), (proposal,))
    assert [one for one in ("Tests run", "Not judged") if one in text] == [said]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.04, "0.0 s"), (9.96, "10.0 s"), (59.4, "59 s"), (60, "1 min"), (3_725, "1 h 2 min"), (90_000, "1 d 1 h")],
)
def test_durations_are_said_with_two_units_at_most(seconds: float, said: str) -> None:
    assert words.duration(seconds) == said


def test_only_addresses_of_the_web_are_links() -> None:
    assert words.web_link("https://a.example/b") == "https://a.example/b"
    assert [words.web_link(one) for one in ("javascript:x", "data:,x", "//a.example", "")] == [""] * 4
