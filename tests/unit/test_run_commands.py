"""Runs in a terminal: found by how their ids begin, told without letting a text steer it, followed to the end."""

import json
from dataclasses import dataclass, field, replace

import pytest
from fakes_reading import ScriptedReader, row
from fakes_wishes import FakeWishes

from bot.commands import run_logs, runs, workers
from bot.commands.wishes import Operator
from bot.errors import NotFoundError, StoreError
from bot.pipeline.logs.runlog import Entry
from bot.pipeline.ports.fleet import Member, Worker
from bot.pipeline.ports.reading import Filter, RunRow
from bot.pipeline.ports.store import Asked

HOSTILE = "\x1b]0;owned\x07\x1b[2Jred\u202etxt\nstate: published"
OPEN = row(1, subject="issue-1", worker="w-1", started_at=1002.0)
ENDED = row(2, subject="issue-2", ended_at=1100.0, state="unsolved", headline=HOSTILE, seconds=72.0, dollars=0.25)
LOG = (
    Entry(0, 1002.0, "step_started", {"step": "repair"}),
    Entry(1, 1003.0, "proposal", {"number": 1, "origin": "model", "explanation": HOSTILE, "paths": ["a.py"]}),
    Entry(2, 1003.0, "attempt", {"number": 1, "verdict": "regressed", "reason": HOSTILE, "deltas": {}}),
    Entry(3, 1004.0, "step_ended", {"step": "repair", "seconds": 2.0}),
    Entry(4, 1005.0, "ended", {"state": "unsolved", "headline": HOSTILE}),
)


def steers(lines: list[str]) -> bool:
    return any(not char.isprintable() for text in lines for char in text)


@pytest.fixture
def reader() -> ScriptedReader:
    return ScriptedReader([OPEN, ENDED], {ENDED.identity: LOG})


def test_a_run_is_found_by_its_id_and_by_how_that_alone_begins(reader: ScriptedReader) -> None:
    assert runs.find(reader, OPEN.identity) == OPEN
    assert runs.find(reader, "owner/name:issue-2") == ENDED
    longer = replace(OPEN, identity=f"{OPEN.identity}0")
    assert runs.find(ScriptedReader([OPEN, longer]), OPEN.identity) == OPEN


@pytest.mark.parametrize("beginning", ["", "nobody", "owner/name:issue-", HOSTILE])
def test_none_and_several_are_errors_which_name_what_there_is(reader: ScriptedReader, beginning: str) -> None:
    with pytest.raises(NotFoundError) as error:
        runs.find(reader, beginning)
    assert not steers(f"{error.value.cause} {error.value.remedy}".splitlines())
    if beginning == "owner/name:issue-":
        assert all(one.identity in error.value.remedy for one in (OPEN, ENDED))


def test_a_list_has_one_line_a_run_newest_first_cut_to_the_terminal(reader: ScriptedReader) -> None:
    shown = runs.listed(reader, Filter(limit=5))
    assert [one["id"] for one in shown.document["runs"]] == [ENDED.identity, OPEN.identity]
    assert [one["state"] for one in shown.document["runs"]] == ["unsolved", "open"]
    assert [text.split()[0] for text in shown.lines] == ["unsolved", "open"]
    assert "1 min 12 s" in shown.lines[0]
    titled = ScriptedReader([replace(OPEN, title="It\x1b crashes"), replace(ENDED, title="It crashes")])
    lines = runs.listed(titled, Filter()).lines
    assert [text.endswith('"It crashes"') for text in lines] == [True, True]
    assert not steers([*shown.lines, *lines])
    assert all(len(text) <= 40 for text in runs.listed(reader, Filter(), 40).lines)
    assert runs.listed(reader, Filter(state="green")).lines == ["No run fits."]
    assert runs.listed(ScriptedReader(), Filter()).lines == ["There were no runs yet."]


def test_one_run_is_shown_with_what_its_log_says(reader: ScriptedReader) -> None:
    shown = runs.shown(reader, ENDED.identity, "https://regreen.test/", diffs=True)
    text = "\n".join(shown.lines)
    assert not steers(shown.lines)
    assert "step:      repair" in text
    assert "attempt 1: regressed" in text
    assert "page:      https://regreen.test/runs/owner%2Fname%3Aissue-2%3Ad2" in text
    assert json.loads(json.dumps(shown.document))["log"]["attempts"][0]["verdict"] == "regressed"


def test_a_lesson_is_told_in_its_own_words_alone() -> None:
    lesson = {"cause": "fifty is left out", "lesson": "Look at both ends.", "stated": True}
    judged = Entry(2, 1003.0, "attempt", {"number": 1, "verdict": "regressed", "deltas": {}, "reflection": lesson})
    shown = runs.shown(ScriptedReader([ENDED], {ENDED.identity: (*LOG[:2], judged)}), ENDED.identity, "", diffs=False)
    assert "    learned: fifty is left out; Look at both ends." in shown.lines


def test_an_artifact_is_given_as_it_is_and_one_that_is_not_there_is_an_error() -> None:
    reader = ScriptedReader([ENDED], files={(ENDED.identity, "attempt-1.diff"): b"\x1b--- a"})
    document, data = runs.artifact(reader, ENDED.identity, "attempt-1.diff")
    assert (data, document["artifact"]) == (b"\x1b--- a", "attempt-1.diff")
    with pytest.raises(NotFoundError):
        runs.artifact(reader, ENDED.identity, "nothing")


def test_a_log_is_told_line_by_line_with_times(reader: ScriptedReader) -> None:
    shown = run_logs.kept(reader, ENDED.identity)
    assert shown.lines[0][:8] == "00:16:42"
    assert any("attempt 1: regressed" in text for text in shown.lines)
    assert not steers(shown.lines)
    assert [one["number"] for one in shown.document["entries"]] == [0, 1, 2, 3, 4]


def test_the_calls_that_a_replay_answers_are_told_where_asked_for_and_in_the_document_always() -> None:
    called = Entry(5, 1_009.0, "called", {"call": "Clock.now"}, b"")
    reader = ScriptedReader([ENDED], {ENDED.identity: (*LOG, called)})
    quiet, whole = (run_logs.kept(reader, ENDED.identity, calls=calls) for calls in (False, True))
    assert quiet.document == whole.document
    assert quiet.document["entries"][-1]["event"] == "called"
    assert [text for text in whole.lines if text not in quiet.lines] == ["00:16:49  called  call=Clock.now"]
    only = ScriptedReader([ENDED], {ENDED.identity: (called,)})
    assert run_logs.kept(only, ENDED.identity).lines == []


@dataclass
class Growing(ScriptedReader):
    """A run that gets a line at each look, and ends; looks that fail are among them."""

    coming: list[Entry] = field(default_factory=list)
    failures: int = 0

    def pause(self, seconds: float) -> None:
        del seconds
        if self.coming:
            entry = self.coming.pop(0)
            self.logs[OPEN.identity] = (*self.logs.get(OPEN.identity, ()), entry)
        else:
            self.rows = [replace(OPEN, ended_at=1200.0, state="unsolved")]

    def run(self, identity: str) -> RunRow | None:
        if self.failures:
            self.failures -= 1
            raise StoreError("down", "wait")
        return super().run(identity)


@pytest.mark.parametrize("failures", [0, 5])
def test_following_ends_with_the_run_and_outlives_a_store_that_is_away_for_a_while(failures: int) -> None:
    said: list[str] = []
    reader = Growing([OPEN], coming=list(LOG))
    following = run_logs.followed(reader, OPEN.identity, said.append, reader.pause)
    first = next(following)
    reader.failures = failures
    assert [first, *following] == list(LOG)
    assert said == ["It waits for its turn …"]


def test_following_gives_up_on_a_store_that_stays_away() -> None:
    reader = Growing([OPEN], {OPEN.identity: LOG[:1]})
    following = run_logs.followed(reader, OPEN.identity, lambda _: None, lambda _: None)
    assert next(following) == LOG[0]
    reader.failures = 10_000
    with pytest.raises(StoreError):
        next(following)


def test_what_was_removed_while_it_was_followed_ends_it() -> None:
    reader = Growing([OPEN], {OPEN.identity: LOG[:1]})
    following = run_logs.followed(reader, OPEN.identity, lambda _: None, lambda _: None)
    assert next(following) == LOG[0]
    reader.rows = []
    assert list(following) == []


@dataclass
class Desk:
    """A worker that sees to wishes while somebody waits."""

    reader: ScriptedReader
    wishes: FakeWishes
    said: str = ""
    becomes: RunRow | None = None
    at: float = 2000.0

    def operator(self, patience: float = 5.0) -> Operator:
        return Operator(self.reader, self.wishes, "root", patience, lambda: self.at, self.pause)

    def pause(self, seconds: float) -> None:
        self.at += seconds
        if self.said:
            self.wishes.done(1, self.said)
            others = [one for one in self.reader.rows if self.becomes and one.identity != self.becomes.identity]
            self.reader.rows = [*others, self.becomes] if self.becomes else self.reader.rows


def test_a_cancelled_run_is_told_as_such(reader: ScriptedReader) -> None:
    gone = replace(OPEN, ended_at=2000.0, state="cancelled")
    shown = Desk(reader, FakeWishes(), "It was cancelled.", gone).operator().ask(OPEN.identity, Asked.CANCEL)
    assert (shown.good, shown.lines) == (True, ["It was cancelled."])
    assert shown.document["run"]["state"] == "cancelled"


def test_a_retry_names_the_new_run(reader: ScriptedReader) -> None:
    anew = row(3, subject="issue-2", identity="owner/name:issue-2:wish-1")
    shown = Desk(reader, FakeWishes(), f"Queued as {anew.identity}.", anew).operator().ask(ENDED.identity, Asked.RETRY)
    assert shown.good
    assert shown.document["run"]["id"] == anew.identity
    assert shown.lines[-1] == f"regreen logs --follow {anew.identity}"


def test_a_wish_that_was_not_granted_is_no_success(reader: ScriptedReader) -> None:
    shown = Desk(reader, FakeWishes(), f"Not queued: {HOSTILE}").operator().ask(ENDED.identity, Asked.RETRY)
    assert not shown.good
    assert not steers(shown.lines)


@pytest.mark.parametrize(("identity", "what"), [(ENDED.identity, Asked.CANCEL), (OPEN.identity, Asked.RETRY)])
def test_what_cannot_be_done_is_not_even_asked(reader: ScriptedReader, identity: str, what: Asked) -> None:
    wishes = FakeWishes()
    assert not Desk(reader, wishes).operator().ask(identity, what).good
    assert wishes.all == []


def test_while_its_pull_request_is_open_a_retry_is_not_asked_for_and_that_is_said() -> None:
    wishes = FakeWishes()
    reader = ScriptedReader([replace(ENDED, in_the_way=12)])
    shown = Desk(reader, wishes).operator().ask(ENDED.identity, Asked.RETRY)
    assert not shown.good
    assert shown.lines == ["Its pull request #12 is open: review, merge or close that one first."]
    assert (shown.document["run"]["in_the_way"], wishes.all) == (12, [])


def test_without_a_worker_a_wish_stays_noted(reader: ScriptedReader) -> None:
    wishes = FakeWishes()
    waited = Desk(reader, wishes).operator().ask(OPEN.identity, Asked.CANCEL)
    assert not waited.good
    assert "wish 1" in waited.lines[0]
    assert [one.identity for one in wishes.open(5)] == [OPEN.identity]
    assert Desk(reader, wishes).operator(patience=0).ask(OPEN.identity, Asked.CANCEL).good


def test_workers_are_told_with_what_is_in_their_hands() -> None:
    member = Member("m1-7-abc", "m1\x1b[2J", 7, "v", 4, 30.0)
    alive = Worker(member, 1000.0, 1990.0, 2.0, draining=False, jobs={OPEN.identity: False})
    silent = replace(alive, silent=31.0, jobs={})
    shown = workers.of_many((alive, silent, replace(alive, draining=True)))
    assert shown.good
    assert [one["state"] for one in shown.document["workers"]] == ["works", "silent", "drains"]
    assert any(OPEN.identity in text for text in shown.lines)
    assert not steers(shown.lines)
    assert not workers.of_many((silent,)).good
    assert workers.of_many(()).lines == ["No worker runs."]
    assert (workers.of_one(None, "x").good, workers.of_one(7, "x").good) == (False, True)


@pytest.mark.parametrize(("begun", "said"), [(None, "it ended before it began, cancelled."), (1002.0, "any more")])
def test_of_a_run_without_a_log_it_is_said_whether_there_was_one(begun: float | None, said: str) -> None:
    one = row(4, started_at=begun, ended_at=1100.0, state="cancelled")
    (text,) = run_logs.kept(ScriptedReader([one]), one.identity).lines
    assert said in text


def test_of_a_run_that_is_over_nothing_is_under_way() -> None:
    begun = (LOG[0], replace(LOG[1], fields={"number": 1, "origin": "model"}))
    ended = replace(OPEN, identity="over", ended_at=1100.0, state="cancelled")
    reader = ScriptedReader([OPEN, ended], {OPEN.identity: begun, ended.identity: begun})
    open_text, over_text = ("\n".join(runs.shown(reader, one.identity, "", diffs=False).lines) for one in (OPEN, ended))
    assert ("under way" in open_text, "attempt 1: its tests run" in open_text) == (True, True)
    assert ("not finished" in over_text, "attempt 1: not judged, by model" in over_text) == (True, True)
    assert [said for said in ("under way", "its tests run") if said in over_text] == []


def test_what_a_stopped_run_took_and_cost_is_said_where_it_is_known_and_else_nothing() -> None:
    stopped = row(1, started_at=1010.0, ended_at=1082.0, state="cancelled", dollars=12.5)
    queued = replace(row(2), ended_at=1082.0, state="cancelled")
    known, unknown = (
        "\n".join(runs.shown(ScriptedReader([one]), one.identity, "", diffs=False).lines) for one in (stopped, queued)
    )
    assert ("after 1 min 12 s" in known, "cost:      $12.5000" in known) == (True, True)
    assert [said for said in ("after", "cost", "$", "tokens") if said in unknown] == []
    first, second = runs.listed(ScriptedReader([stopped, queued]), Filter()).lines
    assert ("$" in first, "s  " in first.split("owner")[0][32:]) == (False, False)
    assert ("1 min 12 s" in second, "$12.50" in second) == (True, True)
    assert runs.row(queued)["seconds"] is None
