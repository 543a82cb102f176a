"""Signing in and out, cancel and retry, a repository's figures, and what is hidden from whom."""

import re
from dataclasses import replace

import pytest
from fakes_reading import ScriptedReader, row
from fakes_sessions import FakeEndedSessions
from fakes_store import FakeTime
from fakes_wishes import FakeWishes
from fastapi import FastAPI
from pydantic import SecretStr
from starlette.testclient import TestClient

from bot.jobs import State
from bot.pipeline.ports.reading import DayFigures, RepositoryFigures
from bot.pipeline.ports.store import Asked
from bot.web.access import COOKIE, Access
from bot.web.pages.plots import Series, plot, scale
from bot.web.pages.repository import summed
from bot.web.sessions import Attempts, Sessions
from bot.web.site import Site

TOKEN = "a-token-of-an-operator"
HERE = "http://127.0.0.1:8080"
RUNNING, ENDED = row(1), row(2, "owner/secret", ended_at=1100.0, state="unsolved", headline="No attempt passed")
FIGURES = RepositoryFigures(
    "owner/name",
    (
        DayFigures("2026-11-29", ((State.PUBLISHED, 2), (State.UNSOLVED, 1), (State.CANCELLED, 4)), 1.5, 900, (60, 90)),
        DayFigures("2026-11-30", ((State.PUBLISHED, 1), (State.GREEN, 3)), 0.25, 100, (3600,)),
    ),
    open=1,
)


class Visit:
    """A browser at a server with two repositories, one of them hidden."""

    def __init__(self, *, token: bool = True) -> None:
        self.now = FakeTime()
        self.wishes = FakeWishes(self.now)
        self.reader = ScriptedReader([RUNNING, ENDED], figures={"owner/name": FIGURES, "owner/secret": FIGURES})
        self.ended = FakeEndedSessions()
        sessions = Sessions(SecretStr(TOKEN), self.now, self.ended) if token else None
        access = Access("127.0.0.1", "", ("owner/sec*",), sessions, Attempts(self.now, most=3))
        app = FastAPI()
        Site(access, self.reader, self.wishes, "https://github.example", self.now).add_to(app)
        self.browser = TestClient(app, HERE, client=("127.0.0.1", 1), follow_redirects=False)

    def get(self, path: str) -> str:
        return self.browser.get(path).text

    def post(self, path: str, **fields: str) -> tuple[int, str]:
        answer = self.browser.post(path, data=fields, headers={"Origin": HERE})
        return answer.status_code, answer.headers.get("location", "")

    def sign_in(self) -> None:
        assert self.post("/sign-in", token=TOKEN)[0] == 303

    @property
    def csrf(self) -> str:
        found = re.search(r'name="csrf" value="(\w+)"', self.get("/runs"))
        assert found
        return found[1]


@pytest.fixture
def visit() -> Visit:
    return Visit()


def test_whoever_says_the_token_gets_a_strict_cookie_that_no_script_reads(visit: Visit) -> None:
    answer = visit.browser.post("/sign-in", data={"token": TOKEN, "next": "/runs?state=open"}, headers={"Origin": HERE})
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs?state=open")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    assert "Sign out" in visit.get("/runs")


@pytest.mark.parametrize("onward", ["//evil.example", "https://evil.example", "/\\evil.example", "/\nx", ""])
def test_signing_in_leads_to_no_other_site(visit: Visit, onward: str) -> None:
    assert visit.post("/sign-in", token=TOKEN, next=onward) == (303, "/runs")


def test_wrong_tokens_are_counted_and_after_some_none_is_looked_at(visit: Visit) -> None:
    assert [visit.post("/sign-in", token=f"wrong-{number}")[0] for number in range(4)] == [401, 401, 401, 429]
    late = visit.browser.post("/sign-in", data={"token": TOKEN}, headers={"Origin": HERE})
    assert (late.status_code, int(late.headers["retry-after"]) > 0) == (429, True)
    visit.now.seconds += 901
    visit.sign_in()


def test_what_is_no_form_signs_nobody_in(visit: Visit) -> None:
    headers = {"Origin": HERE, "Content-Type": "application/x-www-form-urlencoded"}
    for body in (b"\xff\xfe", b"a=1&" * 99, b"token=" + b"x" * 20_000, f"token={TOKEN}".encode()):
        status = visit.browser.post("/sign-in", content=body, headers=headers).status_code
        assert status == (303 if TOKEN.encode() in body else 401)
        visit.now.seconds += 901
    multipart = visit.browser.post("/sign-in", files={"token": TOKEN.encode()}, headers={"Origin": HERE})
    assert multipart.status_code == 401


def test_signing_out_needs_a_form_of_the_session_and_ends_it_for_good(visit: Visit) -> None:
    visit.sign_in()
    cookie = visit.browser.cookies[COOKIE]
    assert visit.post("/sign-out", csrf="x")[0] == 403
    assert visit.post("/sign-out", csrf=visit.csrf) == (303, "/sign-in")
    visit.browser.cookies.set(COOKIE, cookie)
    assert "Sign out" not in visit.get("/runs")
    assert visit.post("/sign-out", csrf="") == (303, "/sign-in")


def test_who_cannot_be_signed_out_is_told_so_and_may_try_again(visit: Visit) -> None:
    visit.sign_in()
    csrf, find = visit.csrf, visit.ended.has_ended
    visit.ended.broken = True
    assert visit.post("/sign-out", csrf=csrf) == (503, "")
    visit.ended.broken = False
    assert "Sign out" in visit.get("/runs")
    assert visit.post("/sign-out", csrf=csrf) == (303, "/sign-in")
    assert all(map(find, visit.ended.ended))


def test_an_operator_asks_for_a_cancel_and_sees_what_came_of_it(visit: Visit) -> None:
    visit.sign_in()
    status, there = visit.post("/wishes", csrf=visit.csrf, identity=RUNNING.identity, what="cancel")
    assert (status, there) == (303, "/wishes/1")
    (wish,) = visit.wishes.all
    assert (wish.identity, wish.what) == (RUNNING.identity, Asked.CANCEL)
    assert "every 1s" in visit.get(there)
    visit.wishes.done(1, "It was <b>cancelled</b>.")
    shown = visit.get(there)
    assert "It was &lt;b&gt;cancelled&lt;/b&gt;." in shown
    assert "every 1s" not in shown


def test_a_retry_leads_to_the_run_that_it_began(visit: Visit) -> None:
    visit.sign_in()
    _, there = visit.post("/wishes", csrf=visit.csrf, identity=ENDED.identity, what="retry")
    rows = visit.reader.rows
    again = replace(RUNNING, identity="owner/secret:issue-1:wish-1", sequence=3)
    visit.reader.rows = [*rows, again]
    assert "The new run" not in visit.get(there)
    visit.wishes.done(1, "Queued.")
    queued = visit.get(there)
    assert '/runs/owner%2Fsecret%3Aissue-1%3Awish-1">The new run' in queued
    assert "Queued." in queued
    assert "every 3s" in queued
    said = "Its `pull request` is <b>open</b>"
    visit.reader.rows = [*rows, replace(again, state="refused", ended_at=2_000.0, headline=said)]
    over = visit.get(there)
    assert ">Refused<" in over
    assert "Its <code>pull request</code> is &lt;b&gt;open&lt;/b&gt;" in over
    assert "every 3s" not in over
    assert "Queued." not in over


def test_while_its_pull_request_is_open_a_run_has_no_retry_and_that_is_said(visit: Visit) -> None:
    why = "Its pull request #12 is open: review, merge or close that one first."
    there = f"/runs/{ENDED.identity}"
    visit.sign_in()
    assert 'value="retry"' in visit.get(there)
    csrf = visit.csrf
    visit.reader.rows = [RUNNING, replace(ENDED, in_the_way=12)]
    shown = visit.get(there)
    assert ('value="retry"' in shown, why in shown) == (False, True)
    asked = {"csrf": csrf, "identity": ENDED.identity, "what": "retry"}
    late = visit.browser.post("/wishes", data=asked, headers={"Origin": HERE})
    assert (late.status_code, why in late.text, visit.wishes.all) == (409, True, [])
    visit.browser.cookies.clear()
    visit.reader.rows = [replace(RUNNING, in_the_way=12, ended_at=1_100.0)]
    assert why not in visit.get(f"/runs/{RUNNING.identity}")


def test_nobody_else_asks_for_anything(visit: Visit) -> None:
    asked = {"identity": RUNNING.identity, "what": "cancel"}
    assert visit.post("/wishes", csrf="", **asked)[0] == 403
    visit.sign_in()
    csrf = visit.csrf
    assert visit.post("/wishes", csrf="0" * 64, **asked)[0] == 403
    assert visit.post("/wishes", csrf=csrf, identity=RUNNING.identity, what="delete")[0] == 404
    assert visit.post("/wishes", csrf=csrf, identity="nobody", what="cancel")[0] == 404
    assert visit.browser.post("/wishes", data={"csrf": csrf, **asked}).status_code == 403
    assert visit.wishes.all == []
    visit.wishes.ask(RUNNING.identity, Asked.CANCEL, "a shell", 1.0)
    # what is asked for anew each second is not told each time, and a key's place on its links is kept by their ids
    waiting = visit.get("/wishes/1")
    assert "Asked for" in waiting
    assert ('role="alert"' in waiting, 'id="again"' in waiting) == (False, True)
    visit.wishes.done(1, "It was cancelled.")
    assert 'role="alert"' in visit.get("/wishes/1")
    visit.browser.cookies.clear()
    assert "Asked for" not in visit.get("/wishes/1")


def test_without_a_token_nobody_signs_in(visit: Visit) -> None:
    visit = Visit(token=False)
    assert "Sign in" not in visit.get("/runs")
    assert visit.post("/sign-in", token="")[0] == 401
    assert visit.post("/wishes", csrf="", identity=RUNNING.identity, what="cancel")[0] == 403


def test_hidden_repositories_are_in_no_list_and_have_no_page_until_somebody_signs_in(visit: Visit) -> None:
    paths = "/runs", "/repositories"
    assert all("secret" not in visit.get(path) for path in paths)
    assert "owner/name" in visit.get("/repositories")
    assert [visit.browser.get(f"/repositories/owner/{name}").status_code for name in ("name", "secret")] == [200, 404]
    for path in ("/repositories/owner/{}", "/repositories/owner/{}/more", "/runs/owner/{}:issue-9:d/files/log.jsonl"):
        there, nowhere = (visit.browser.get(path.format(name)) for name in ("secret", "never"))
        assert there.status_code == nowhere.status_code == 404
        assert there.text.replace("secret", "never") == nowhere.text, "one cannot be told from the other"
    visit.sign_in()
    assert all("secret" in visit.get(path) for path in paths)
    assert visit.browser.get("/repositories/owner/secret").status_code == 200


def test_a_repository_page_says_what_became_of_its_runs(visit: Visit) -> None:
    shown = visit.get("/repositories/owner/name?days=7")
    for said in (
        "<dt>Published</dt><dd>3 of 4 runs, 75 %",
        "<dt>Time to publish</dt>",
        "1 min 30 s",
        "$1.75",
        "1,000 tokens",
        "<td>2</td>",
    ):
        assert said in shown, said
    assert visit.browser.get("/repositories/owner/nothing").status_code == 404
    assert 'aria-current="true">30 days' in visit.get("/repositories/owner/name?days=-1")
    assert "pull requests" not in shown.lower(), "a run that goes on with one is published, too"
    assert shown.count("<svg viewBox") == 3
    assert ">4<" in shown
    assert ">60 min<" in shown


def test_whoever_asks_for_nothing_that_is_there_is_told_in_the_form_that_they_read(visit: Visit) -> None:
    person = visit.browser.get("/nothing/here", headers={"Accept": "text/html"})
    assert (person.status_code, "<h1>Not here</h1>" in person.text) == (404, True)
    assert visit.browser.get("/nothing/here").json() == {"detail": "Not Found"}


def test_what_was_not_tried_counts_neither_as_success_nor_as_failure() -> None:
    total = summed(FIGURES)
    assert (total.ended, total.tried, total.published, total.typical, total.slow) == (11, 4, 3, 90, 3600)
    assert summed(RepositoryFigures("a/b", ())).share is None


def test_bars_are_stacked_on_the_ground_and_end_below_the_top() -> None:
    drawn = plot(["2026-11-29", "2026-11-30"], [Series("a", "x", [1, 0]), Series("b", "y", [3, 2])], str)
    first, above, second = drawn.bars
    assert (first.kind, above.kind, second.kind) == ("a", "b", "b")
    assert above.y + above.height == pytest.approx(first.y, abs=0.2)
    assert first.y + first.height == pytest.approx(second.y + second.height, abs=0.2)
    assert above.height == pytest.approx(3 * first.height, abs=0.5)
    assert min(bar.y for bar in drawn.bars) >= min(y for y, _ in drawn.ticks) - 0.1


@pytest.mark.parametrize(
    ("value", "end", "parts"), [(0, 1, 4), (1, 1, 4), (1.01, 2, 4), (3, 4, 4), (4.5, 6, 3), (9, 10, 5), (0.03, 0.04, 4)]
)
def test_a_scale_ends_at_a_round_number_and_has_round_parts(value: float, end: float, parts: int) -> None:
    assert scale(value) == (pytest.approx(end), parts)
    assert scale(value, 20) == (20, 4)
    assert plot([], [Series("a", "", [])], str).bars == ()
