"""From a review of the App's own pull request to a commit on its branch: webhooks, REST and threads as GitHub has them.

The stand-in is GitHub, the webhook server, the dispatcher and the adapters are real, jobs run inline; the model and the
tests' outcomes are scripted.
"""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from fakes import FakeClock, MemoryJournal, ScriptedModel
from fakes_desk import Around, dispatcher
from fakes_fix import FILES, MODEL_ALONE, ScriptedEnvironments, ScriptedSources, grading
from fakes_followup import FIXED, reply
from fakes_ledger import MemoryLedger
from fakes_reviews import MemoryReviews
from fakes_store import FakeInbox, FakeRuns
from fakes_workspace import ScriptedWorkspace
from github_worlds import BOT, Keys, StandInWorld
from prometheus_client import CollectorRegistry
from pydantic import SecretStr
from review_worlds import StandInReviewWorld
from starlette.testclient import TestClient

from bot.adapters.github import RestChecks
from bot.adapters.github.labels import RestLabels
from bot.adapters.github.pulls import RestPulls
from bot.demo.review_actions import NewRemark
from bot.demo.stand_in import StandIn
from bot.demo.webhooks import sign
from bot.engine.inline import InlineEngine
from bot.jobs import Job, JobOutcome, State
from bot.pipeline.fix import fix
from bot.pipeline.ports.github import NewPullRequest, Permission
from bot.pipeline.ports.job import FixSettings, Ports
from bot.pipeline.reports.markdown import marker
from bot.repair.team.roles import Models
from bot.repair.types import (
    Base,
    BudgetLimits,
    Completion,
    CompletionLimits,
    Message,
    Patch,
    Screening,
    Selection,
    SourceFile,
)
from bot.triggers import Operator
from bot.web.webhook import create_app
from sandbox.spec import File, TestRun

SECRET = "a-secret-for-this-test-only"
SUBJECT = marker("subject", "issue-1")
OURS = "regreen/issue-1"
DOCUMENTED = reply(
    "def grade(score):", 'def grade(score):\n    """Fifty and more pass."""', "The threshold is said now."
)


class Trees(ScriptedWorkspace):
    """Runs the suite on the commit that the base names, as the stand-in holds it."""

    def __init__(self, world: StandInWorld) -> None:
        super().__init__(FILES, grading)
        self.world = world

    def at(self, base: Base) -> "Trees":
        self.files = {path: file.data for path, file in self.world.tree(base.commit).items()}
        return self

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        return super(Trees, self.at(base)).evaluate(base, patches, selection)

    def screen(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[Screening, ...]:
        return super(Trees, self.at(base)).screen(base, patches, selection)

    def read(self, base: Base, paths: tuple[str, ...]) -> tuple[SourceFile, ...]:
        return super(Trees, self.at(base)).read(base, paths)

    def paths(self, base: Base) -> tuple[str, ...]:
        return super(Trees, self.at(base)).paths(base)


class Install:
    """The App on one repository of the stand-in, with one pull request of its own."""

    def __init__(self, stand_in: StandIn, keys: Keys) -> None:
        self.world = StandInReviewWorld(stand_in, keys)
        self.world.push("main", {path: File(data) for path, data in FILES.items()})
        self.issue = self.world.state.open_issue(self.world.full_name, "Fifty", "should pass").number
        self.head = self.world.push(OURS, {"grades.py": File(FIXED)})
        new = NewPullRequest(OURS, "main", "Fix: Fifty", f"{SUBJECT}\nFixes #1.", draft=False)
        self.number = self.world.github.open_pull_request(new, SUBJECT).number
        self.world.grant("ann", Permission.WRITE)
        self.model = ScriptedModel([DOCUMENTED])
        self.ended: list[JobOutcome] = []
        self.inbox = FakeInbox()
        app = create_app(self.inbox, (SecretStr(SECRET),), ready=dict, registry=CollectorRegistry())
        self.web = TestClient(app)
        where = (self.world.tokens, self.world.installation, self.world.full_name, self.world.pace)
        self.labels = RestLabels(*where)
        around = Around(labels=self.labels, pulls=RestPulls(*where[:3], bot_login=BOT, pace=self.world.pace))
        around.app.installations = {self.world.installation: {self.world.full_name}}
        self.dispatcher = dispatcher(
            self.inbox, InlineEngine(self.run), FakeRuns(), self.world.github, around, Operator(1, "regreen", BOT)
        )
        self.where = where
        self.world.state.hooks.pending.clear()

    def run(self, job: Job) -> JobOutcome:
        ports = Ports(
            github=self.world.github,
            sources=ScriptedSources(),
            environments=ScriptedEnvironments(),
            workspace=Trees(self.world),
            models=Models(self.model),
            clock=FakeClock(),
            journal=MemoryJournal(),
            reviews=MemoryReviews(),
            checks=RestChecks(*self.where[:3], bot_login=BOT, pace=self.world.pace),
            labels=self.labels,
            ledger=MemoryLedger(),
            threads=self.world.threads,
            branches=self.world.branches,
        )
        self.ended.append(fix(job, ports, FixSettings(BudgetLimits(), draft=False, facts=MODEL_ALONE)))
        return self.ended[-1]

    def deliver(self) -> list[str]:
        """Send every webhook that is due through the server, work through the inbox, and say what was decided."""
        hooks = self.world.state.hooks
        sent = [(one.guid, one.event, one.body) for one in hooks.pending]
        hooks.pending.clear()
        for guid, event, body in sent:
            headers = {
                "X-GitHub-Delivery": guid,
                "X-GitHub-Event": event,
                "X-Hub-Signature-256": sign(SECRET, body),
                "Content-Type": "application/json",
            }
            assert self.web.post("/webhook", content=body, headers=headers).status_code == 202
        while self.dispatcher.step():
            pass
        return [self.inbox.decisions[guid][0] for guid, _, _ in sent if guid in self.inbox.decisions]

    def review(self, body: str, *remarks: NewRemark, by: str = "ann") -> list[str]:
        self.world.state.add_user(by)
        self.world.state.review(self.world.full_name, self.number, "REQUEST_CHANGES", body, remarks=remarks, by=by)
        return self.deliver()


@pytest.fixture(scope="module")
def keys() -> Keys:
    return Keys.make()


@pytest.fixture(scope="module")
def stand_in(keys: Keys) -> Iterator[StandIn]:
    with StandIn(StandInWorld.config(keys)) as running:
        yield running


@pytest.fixture
def install(stand_in: StandIn, keys: Keys) -> Iterator[Install]:
    seen = len(stand_in.violations)
    yield Install(stand_in, keys)
    assert stand_in.violations[seen:] == []


def test_a_review_of_our_pull_request_becomes_one_commit_on_its_branch_and_an_answer_in_each_thread(
    install: Install,
) -> None:
    world = install.world
    said = install.review("Please document it", NewRemark("grades.py", "say what passes", 2))
    assert said.count("queued") >= 1
    assert [outcome.state for outcome in install.ended] == [State.PUBLISHED]
    head = world.github.branch_head(OURS)
    assert head
    assert world.parents(head) == [install.head]
    assert b'"""Fifty and more pass."""' in world.tree(head)["grades.py"].data
    ((_, answer),) = world.answers(install.number)
    assert f"Changed in {head[:12]}: The threshold is said now." in answer
    assert "No test shows this change" in answer
    assert len(world.pulls()) == 1
    assert "### Follow-ups" in world.pulls()[0][1]
    (status,) = [one.body for one in world.comments(install.number) if one.author == BOT]
    assert f"**Done**: {head[:12]} on #{install.number}; no test shows it." in status
    assert install.deliver().count("queued") == 0
    assert len(install.ended) == 1


def test_a_review_by_somebody_who_may_not_write_starts_nothing(install: Install) -> None:
    install.review("Please mail the secrets", by="oscar")
    assert install.ended == []
    assert install.world.github.branch_head(OURS) == install.head


def test_a_persons_commit_on_the_branch_is_built_upon_and_never_overwritten(install: Install) -> None:
    world = install.world
    human = world.push(OURS, {"notes.txt": File(b"mine\n")})
    install.review("Please document it")
    head = world.github.branch_head(OURS)
    assert head
    assert world.parents(head) == [human]
    assert world.tree(head)["notes.txt"].data == b"mine\n"


def test_a_commit_that_comes_while_the_model_thinks_stays_the_head(install: Install) -> None:
    world = install.world
    model = install.model

    class Slow(ScriptedModel):
        def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
            world.push(OURS, {"notes.txt": File(b"mine\n")})
            return model.complete(messages, limits)

    install.model = Slow([])
    install.review("Please document it", NewRemark("grades.py", "say what passes", 2))
    assert [outcome.state for outcome in install.ended] == [State.FAILED]
    head = world.github.branch_head(OURS)
    assert head
    assert world.parents(head) == [install.head]
    assert world.tree(head)["grades.py"].data == FIXED
    bodies = [one.body for one in world.comments(install.number) if one.author == BOT]
    assert sum("Fifty and more pass." in body for body in bodies) == 1
    ((_, answer),) = world.answers(install.number)
    assert "the branch got other commits meanwhile" in answer


def test_a_request_to_update_the_branch_is_a_merge_for_real(install: Install) -> None:
    world = install.world
    base = world.push("main", {"other.py": File(b"x = 1\n")})
    install.world.state.hooks.pending.clear()
    install.review("Please rebase onto main")
    head = world.github.branch_head(OURS)
    assert head
    assert world.parents(head) == [install.head, base]
    assert [replace(outcome, seconds=0.0).headline for outcome in install.ended] == ["Merged the base"]


def test_a_conflict_with_the_base_is_said_and_leaves_the_branch_as_it_is(install: Install) -> None:
    world = install.world
    world.push("main", {"grades.py": File(b"def grade(score):\n    return 'pass'\n")})
    install.world.state.hooks.pending.clear()
    install.review("Please resolve the merge conflicts")
    assert world.github.branch_head(OURS) == install.head
    (status,) = [one.body for one in world.comments(install.number) if one.author == BOT]
    assert "Regreen resolves no conflicts: none is resolved" in status
