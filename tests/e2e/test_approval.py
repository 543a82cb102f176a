"""From a label over a test that a person approves to a pull request: webhooks, REST and comments as GitHub has them.

The stand-in is GitHub, the webhook server and the dispatcher are real, jobs run inline; the models are scripted.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes import FakeClock, MemoryJournal, ScriptedModel
from fakes_bad_github import Meanwhile
from fakes_checks import FakeChecks
from fakes_desk import dispatcher
from fakes_fix import ScriptedSources
from fakes_ledger import MemoryLedger
from fakes_store import FakeInbox, FakeRuns
from fakes_threads import FakeBranches, FakeThreads
from fakes_workspace import ScriptedWorkspace
from fakes_written import FILES, ISSUE, answer, running
from github_worlds import BOT, Keys, StandInWorld
from prometheus_client import CollectorRegistry
from pydantic import SecretStr
from starlette.testclient import TestClient

from bot.adapters.reviews import FileReviews
from bot.demo import actions
from bot.demo.actions import Actor
from bot.demo.stand_in import StandIn
from bot.demo.webhooks import sign
from bot.engine.inline import InlineEngine
from bot.jobs import Job, JobOutcome, State, subject
from bot.pipeline.fix import fix
from bot.pipeline.ports.github import Permission
from bot.pipeline.ports.job import FixSettings, Ports
from bot.repair.team.roles import Models
from bot.repair.types import BudgetLimits
from bot.triggers import Operator
from bot.web.webhook import create_app
from sandbox.spec import File

SECRET = "a-secret-for-this-test-only"
TITLE, _, TEXT = ISSUE.partition("\n")


class Install:
    """The App on one repository of the stand-in whose policy wants tests to be approved."""

    def __init__(self, stand_in: StandIn, keys: Keys, directory: Path) -> None:
        self.world = StandInWorld(stand_in, keys)
        tree = {path: File(data) for path, data in FILES.items()}
        self.world.push("main", {**tree, ".github/regreen.yml": File(b"review_tests: true\n")})
        self.world.grant("mona", Permission.WRITE)
        self.directory = directory
        self.ended: list[JobOutcome] = []
        self.tester = ScriptedModel([answer()], "writer")
        self.inbox = FakeInbox()
        app = create_app(self.inbox, (SecretStr(SECRET),), ready=dict, registry=CollectorRegistry())
        self.web = TestClient(app)
        self.runs = FakeRuns()
        self.dispatcher = dispatcher(
            self.inbox, InlineEngine(self.run), self.runs, self.world.github, operator=Operator(1, "regreen")
        )

    def run(self, job: Job) -> JobOutcome:
        ports = Ports(
            github=self.world.github,
            sources=ScriptedSources(),
            environments=Meanwhile(),
            workspace=ScriptedWorkspace(FILES, running),
            models=Models(tester=self.tester),
            clock=FakeClock(),
            journal=MemoryJournal(),
            reviews=FileReviews(self.directory, f"{job.repository} {subject(job)}"),
            checks=FakeChecks(),
            ledger=MemoryLedger(),
            threads=FakeThreads(),
            branches=FakeBranches(),
        )
        self.ended.append(fix(job, ports, FixSettings(BudgetLimits(), draft=False)))
        return self.ended[-1]

    def deliver(self) -> list[str]:
        """Send every webhook that is due through the server, work through the inbox, and say what was decided."""
        hooks = self.world.state.hooks
        for one in hooks.pending:
            headers = {
                "X-GitHub-Delivery": one.guid,
                "X-GitHub-Event": one.event,
                "X-Hub-Signature-256": sign(SECRET, one.body),
                "Content-Type": "application/json",
            }
            assert self.web.post("/webhook", content=one.body, headers=headers).status_code == 202
        sent = [one.guid for one in hooks.pending]
        hooks.pending.clear()
        while self.dispatcher.step():
            pass
        return [self.inbox.decisions[guid][0] for guid in sent if guid in self.inbox.decisions]

    def comment(self, issue: int, body: str, by: str) -> list[str]:
        self.world.comment(issue, body, by)
        return self.deliver()

    def said(self, issue: int) -> str:
        (only,) = [comment.body for comment in self.world.comments(issue) if comment.author == BOT]
        return only


@pytest.fixture
def install(tmp_path: Path) -> Iterator[Install]:
    keys = Keys.make()
    with StandIn(StandInWorld.config(keys)) as stand_in:
        yield Install(stand_in, keys, tmp_path)


def edit_our_comment(world: StandInWorld, issue: int, body: str, by: str) -> None:
    """What anybody who may write to a repository can do to the App's comment."""
    comment = next(one for one in world.repository.issues[issue].comments if one.author.login == BOT)
    with world.state.lock:
        actions.edit_comment(world.state, world.repository, comment, Actor(world.state.add_user(by)), body)


def test_a_fix_waits_for_a_persons_word_and_then_uses_the_very_test_that_was_shown(install: Install) -> None:
    world = install.world
    issue = world.state.open_issue(world.full_name, TITLE, TEXT, labels=("regreen",)).number
    assert "queued" in install.deliver()
    assert [outcome.state for outcome in install.ended] == [State.TEST_SHOWN]
    shown = install.said(issue)
    command = re.search(r"^/regreen approve [0-9a-f]{12}$", shown, re.MULTILINE)
    assert command
    assert "def test_fifty_passes():" in shown
    assert world.pulls() == []

    # The App's own comment, a stranger's word and an edit start nothing.
    install.deliver()
    install.comment(issue, command[0], by="oscar")
    edit_our_comment(world, issue, shown.replace("def test_fifty_passes():", "def test_nothing():"), by="mona")
    install.deliver()
    assert len(install.ended) == 1

    assert "queued" in install.comment(issue, f"{command[0]}\nthe values are right", by="mona")
    assert len(install.ended) == 2
    head = world.github.branch_head(f"regreen/issue-{issue}")
    assert head
    assert b"def test_fifty_passes():" in world.tree(head)[f"tests/test_issue_{issue}.py"].data
    assert world.tree(head)["grades.py"].data != FILES["grades.py"]
    ((author, body, _),) = world.pulls()
    assert author == BOT
    assert "Approved by `mona`" in body
    assert "written by writer" in body
    assert len(install.tester.prompts) == 1

    install.comment(issue, command[0], by="mona")
    assert [outcome.state for outcome in install.ended] == [State.TEST_SHOWN, State.PUBLISHED, State.REFUSED]
    assert "is open already" in install.said(issue)
    assert len(world.pulls()) == 1
