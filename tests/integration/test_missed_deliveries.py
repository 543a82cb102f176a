"""A label that was put on while the server was down is worked on all the same, once, and only what is missing comes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes_app import FakeApp
from fakes_desk import Around, dispatcher
from fakes_store import FakeRuns
from github_worlds import Keys, StandInWorld
from prometheus_client import CollectorRegistry
from pydantic import SecretStr
from starlette.testclient import TestClient

from bot.adapters.github import RestApp
from bot.adapters.store import SqlInbox, connect, migrate
from bot.demo.stand_in import StandIn
from bot.demo.webhooks import HookDelivery, sign
from bot.engine.inline import InlineEngine
from bot.jobs import Job, JobOutcome, State, job_id
from bot.pipeline.intake.recovery import Recovery
from bot.pipeline.ports.github import Permission
from bot.triggers import Operator
from bot.web.webhook import create_app

SECRET = "a-secret-for-this-test-only"


class Site:
    """A repository of the stand-in, a server that may be down, and a worker."""

    def __init__(self, stand_in: StandIn, keys: Keys, directory: Path) -> None:
        self.world = StandInWorld(stand_in, keys)
        self.world.grant("mona", Permission.WRITE)
        self.hooks = self.world.state.hooks
        url = f"sqlite:///{directory / 'regreen.sqlite'}"
        migrate(url)
        self.database = connect(url)
        self.inbox = SqlInbox(self.database)
        self.ran: list[str] = []
        runs = FakeRuns()

        def run(job: Job) -> JobOutcome:
            self.ran.append(job_id(job))
            return runs.ended(job_id(job), JobOutcome(State.GREEN, "Nothing to fix"))

        around = Around(app=FakeApp())
        self.dispatcher = dispatcher(
            self.inbox, InlineEngine(run), runs, self.world.github, around, Operator(1, "regreen")
        )
        self.recovery = Recovery(RestApp(self.world.tokens), self.inbox, lambda: self.now, first_wait=0.0)
        self.web = TestClient(create_app(self.inbox, (SecretStr(SECRET),), ready=dict, registry=CollectorRegistry()))

    @property
    def now(self) -> float:
        return self.world.state.now().timestamp() + 1

    def label(self) -> None:
        number = self.world.open_issue()
        self.world.state.add_label(self.world.full_name, number, "regreen", by="mona")

    def lose(self) -> None:
        """The server is down: GitHub's log says that nothing got through."""
        for one in tuple(self.hooks.pending):
            self.hooks.drop(one.guid)

    def arrive(self) -> list[HookDelivery]:
        """The server is up: what is under way gets through, and the worker works on it."""
        sent = tuple(self.hooks.pending)
        for one in sent:
            headers = {
                "X-GitHub-Delivery": one.guid,
                "X-GitHub-Event": one.event,
                "X-Hub-Signature-256": sign(SECRET, one.body),
                "Content-Type": "application/json",
            }
            assert self.web.post("/webhook", content=one.body, headers=headers).status_code == 202
        self.hooks.pending.clear()
        while self.dispatcher.step():
            pass
        return list(sent)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    keys = Keys.make()
    with StandIn(StandInWorld.config(keys)) as stand_in:
        site = Site(stand_in, keys, tmp_path)
        yield site
        assert stand_in.violations == []
        site.database.dispose()


def test_what_was_lost_is_asked_for_and_worked_on_once(site: Site) -> None:
    site.label()
    lost = {one.guid for one in site.hooks.pending if one.event == "issues"}
    site.lose()
    assert site.arrive() == []
    assert site.recovery.look().asked == len(lost)
    again = site.arrive()
    assert {one.guid for one in again} == lost
    assert all(one.redelivery for one in again)
    assert len(site.ran) == 1
    assert site.recovery.look().asked == 0


def test_while_the_server_is_still_down_it_is_asked_for_again_later(site: Site) -> None:
    site.label()
    site.lose()
    for _ in range(2):
        assert site.recovery.look().asked > 0
        site.lose()
    site.recovery.look()
    site.arrive()
    assert len(site.ran) == 1


def test_what_arrived_is_never_asked_for(site: Site) -> None:
    site.label()
    for one in site.arrive():
        # the answer got lost on its way to GitHub
        site.hooks.pending.append(one)
        site.hooks.drop(one.guid)
    assert site.recovery.look().asked == 0
    assert len(site.ran) == 1
