"""Stops, answers, pauses and departures as the worker is wired, against the stand-in and its official description."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes_desk import HeldEngine
from github_worlds import BOT, Keys, StandInWorld

from bot.adapters.store import SqlInbox, SqlRuns, SqlUnsaid, connect, migrate
from bot.demo import installation_actions
from bot.demo.stand_in import StandIn
from bot.events import Delivery
from bot.jobs import State
from bot.log import redactor
from bot.pipeline.ports.github import Permission
from bot.repair.team.facts import Facts
from bot.repair.team.roles import Models
from bot.settings import Settings
from bot.wiring.dispatching import build_dispatcher, build_retelling
from bot.wiring.jobs import Jobs


class Site:
    """A repository of the stand-in, the wired dispatcher over it, and a queue in which nothing ends by itself."""

    def __init__(self, stand_in: StandIn, keys: Keys, directory: Path) -> None:
        self.world = StandInWorld(stand_in, keys)
        self.state, self.name = self.world.state, self.world.full_name
        self.world.grant("mona", Permission.WRITE)
        url = f"sqlite:///{directory / 'regreen.sqlite'}"
        migrate(url)
        self.database = connect(url)
        settings = Settings(data_dir=directory, app_id=self.state.app.id, github_api_url=stand_in.api_url)
        jobs = Jobs(settings, self.world.tokens, self.world.pace, self.database, Models(), Facts(), redactor(()))
        self.inbox, self.runs = SqlInbox(self.database), SqlRuns(self.database)
        self.engine = HeldEngine(self.runs)
        self.dispatcher, self.retelling = build_dispatcher(jobs, self.engine), build_retelling(jobs, self.engine)
        self.issue = self.world.open_issue()
        self.work()

    def work(self) -> None:
        """Let what is under way arrive, and be done."""
        while self.state.hooks.pending:
            one = self.state.hooks.pending.pop(0)
            self.inbox.accept(Delivery(one.guid, one.event, one.body))
        while self.dispatcher.step():
            pass

    def label(self) -> None:
        self.state.add_label(self.name, self.issue, "regreen", by="mona")
        self.work()

    def say(self, command: str) -> None:
        self.world.comment(self.issue, command, by="mona")
        self.work()

    def said(self) -> list[str]:
        """Our comments, each without its marker."""
        return [one.body.partition("\n")[2] for one in self.world.comments(self.issue) if one.author == BOT]

    def outcomes(self) -> list[Any]:
        return [run.outcome.state if run.outcome else None for run in reversed(self.runs.recent(9))]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    keys = Keys.make()
    with StandIn(StandInWorld.config(keys)) as stand_in:
        site = Site(stand_in, keys, tmp_path)
        yield site
        assert stand_in.violations == []
        site.database.dispose()


def test_a_run_is_asked_after_paused_and_stopped(site: Site) -> None:
    site.label()
    site.say("/regreen status")
    site.say("/regreen stop")
    asked, stopped, answered = site.said()
    assert "queued or works" in asked
    assert stopped.startswith("**Stopped: ")
    assert answered.startswith("Stopped.")
    assert site.outcomes() == [State.CANCELLED]
    site.say("/regreen pause")
    site.say("/regreen fix")
    assert len(site.engine.jobs) == 1
    site.say("/regreen resume")
    site.say("/regreen fix")
    assert site.outcomes() == [State.CANCELLED, None]


def test_taking_the_label_off_stops_what_the_label_began(site: Site) -> None:
    site.label()
    site.state.remove_label(site.name, site.issue, "regreen", by="mona")
    site.work()
    assert site.outcomes() == [State.CANCELLED]
    assert [text.startswith("**Stopped: the label was taken off**") for text in site.said()] == [True]


def test_a_label_that_arrives_after_it_was_taken_off_begins_nothing(site: Site) -> None:
    site.state.add_label(site.name, site.issue, "regreen", by="mona")
    site.state.remove_label(site.name, site.issue, "regreen", by="mona")
    site.state.hooks.pending.reverse()
    site.work()
    assert site.outcomes() == []
    assert site.said() == []


def test_a_suspended_app_stops_and_says_so_when_it_is_back(site: Site) -> None:
    site.label()
    installation, person = site.state.installations[site.world.installation], site.state.add_user("mona")
    with site.state.lock:
        installation_actions.suspend(site.state, installation, person)
    site.work()
    assert site.outcomes() == [State.CANCELLED]
    assert site.said() == []
    an_hour_on = SqlUnsaid(site.database, lambda: time.time() + 3_600)
    retelling = replace(site.retelling, unsaid=an_hour_on)
    assert retelling.look() == 0
    with site.state.lock:
        installation_actions.unsuspend(site.state, installation, person)
    site.work()
    retelling = replace(site.retelling, unsaid=replace(an_hour_on, now=lambda: time.time() + 36_000))
    assert retelling.look() == 1
    assert [text.startswith("**Stopped: the installation was suspended**") for text in site.said()] == [True]
    site.label()
    assert site.outcomes() == [State.CANCELLED]
