"""From red CI on a pull request to what people find there: webhooks, REST and logs as GitHub has them.

The stand-in is GitHub, the dispatcher is real, jobs run inline; the repository's tests are scripted.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

import pytest
from fakes import FakeClock, MemoryJournal
from fakes_app import FakeApp
from fakes_bad_github import Meanwhile
from fakes_desk import Around, dispatcher
from fakes_fix import FIFTY, FILES, SOURCE, ScriptedSources, grading
from fakes_ledger import MemoryLedger
from fakes_reviews import MemoryReviews
from fakes_store import FakeInbox, FakeRuns
from fakes_workspace import ScriptedWorkspace, heeding
from github_worlds import BOT, Keys
from review_worlds import StandInReviewWorld

from bot.adapters.github import RestChecks, RestPulls
from bot.demo.stand_in import StandIn
from bot.engine.inline import InlineEngine
from bot.events import Delivery
from bot.jobs import Job, JobOutcome, State
from bot.pipeline.fix import fix
from bot.pipeline.intake import settle
from bot.pipeline.ports.github import NewPullRequest, Permission
from bot.pipeline.ports.job import FixSettings, Ports
from bot.repair.team.roles import Models
from bot.repair.types import Base, BudgetLimits
from bot.triggers import Operator
from sandbox.spec import File

if TYPE_CHECKING:
    from bot.repair.ports import Workspace

LOG = f"collected 3 items\nFAILED {FIFTY} - AssertionError: assert 'fail' == 'pass'\n"
RIGHT = SOURCE.replace(b"> 50", b">= 50")
OPERATOR = Operator(1, "regreen", BOT)


class ByCommit:
    """A workspace for each commit, with the files that the stand-in has there."""

    def __init__(self, world: StandInReviewWorld) -> None:
        self._world = world

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(base: Base, *arguments: Any) -> Any:
            files = {path: file.data for path, file in self._world.tree(base.commit).items()}
            return getattr(ScriptedWorkspace(files, heeding(FILES, grading)), name)(base, *arguments)

        return call


class Project:
    """A green repository on the stand-in; a pull request of mona's breaks one line."""

    def __init__(self, stand_in: StandIn, keys: Keys, policy: str) -> None:
        world = self.world = StandInReviewWorld(stand_in, keys)
        tree = {path: File(data) for path, data in FILES.items()}
        rules = {".github/regreen.yml": File(policy.encode())}
        world.push("main", {**tree, "grades.py": File(RIGHT), **rules})
        world.grant("mona", Permission.WRITE)
        self.head = world.push("topic", {"grades.py": File(SOURCE)})
        self.number = world.open_pull(NewPullRequest("topic", "main", "Mine", "b", draft=False), by="mona")
        self.inbox, self.runs, self.ended = FakeInbox(), FakeRuns(), list[JobOutcome]()
        where = (world.tokens, world.installation, world.full_name)
        self.checks = RestChecks(*where, bot_login=BOT, pace=world.pace)
        around = Around(
            pulls=RestPulls(*where, bot_login=BOT, pace=world.pace),
            app=FakeApp(installations={world.installation: {world.full_name}}),
            wait=lambda job: settle.wait(job, self.checks, world.state.now().timestamp()),
        )
        engine = InlineEngine(self.run)
        self.dispatcher = dispatcher(self.inbox, engine, self.runs, world.github, around, OPERATOR)
        world.state.hooks.pending.clear()

    def run(self, job: Job) -> JobOutcome:
        """Run a job to its end."""
        ports = Ports(
            github=self.world.github,
            sources=ScriptedSources(),
            environments=Meanwhile(),
            workspace=cast("Workspace", ByCommit(self.world)),
            models=Models(),
            clock=FakeClock(),
            journal=MemoryJournal(),
            reviews=MemoryReviews(),
            checks=self.checks,
            ledger=MemoryLedger(),
            threads=self.world.threads,
            branches=self.world.branches,
        )
        self.ended.append(fix(job, ports, FixSettings(BudgetLimits(), draft=False)))
        return self.ended[-1]

    def deliver(self, seconds: float = 0.0) -> list[str]:
        """Let some time pass, bring every webhook, and say what was decided of each that was."""
        self.inbox.now.seconds += seconds
        hooks = self.world.state.hooks
        for one in hooks.pending:
            self.inbox.accept(Delivery(one.guid, one.event, one.body))
        hooks.pending.clear()
        before = set(self.inbox.decisions)
        while self.dispatcher.step():
            pass
        return [said for guid, (said, _) in self.inbox.decisions.items() if guid not in before]

    def fails(self, workflow: str, log: str = LOG, sha: str = "", branch: str | None = "topic") -> None:
        """A workflow ends red on the pull request's head."""
        state, name = self.world.state, self.world.full_name
        jobs = [(f"{workflow} job", "failure", log)]
        state.complete_suite(name, sha or self.head, "failure", jobs, branch=branch, source=workflow)

    @property
    def comments(self) -> str:
        return "\n".join(one.body for one in self.world.comments(self.number) if one.author == BOT)


@pytest.fixture(scope="module")
def keys() -> Keys:
    return Keys.make()


@pytest.fixture(scope="module")
def stand_in(keys: Keys) -> Iterator[StandIn]:
    with StandIn(StandInReviewWorld.config(keys)) as running:
        yield running


def test_one_stacked_pull_request_for_all_that_is_red_once_the_commit_has_settled(
    stand_in: StandIn, keys: Keys
) -> None:
    project = Project(stand_in, keys, "ci_pull_requests: stack\n")
    world = project.world
    world.state.begin_suite(world.full_name, project.head, ["tests job"], branch="topic", source="tests")
    project.fails("lint", "E501 line too long\n")
    project.deliver()
    assert project.deliver(settle.SHORTEST_WAIT) == []
    assert project.ended == []
    project.fails("tests")
    project.deliver()
    said = project.deliver(settle.LONGEST_WAIT)
    assert [outcome.state for outcome in project.ended] == [State.PUBLISHED]
    assert "queued" in said
    ours = [pull for pull in world.state.pulls(world.full_name) if pull.author.login == BOT]
    assert [(one.pull.head, one.pull.base) for one in ours if one.pull] == [(f"regreen/pull-{project.number}", "topic")]
    assert world.github.branch_head("topic") == project.head
    project.fails("tests")
    project.deliver()
    project.deliver(settle.LONGEST_WAIT)
    assert len(project.ended) == 1


def test_a_suggestion_stands_on_the_line_and_nothing_is_pushed(stand_in: StandIn, keys: Keys) -> None:
    project = Project(stand_in, keys, "ci_pull_requests: suggest\n")
    project.fails("tests")
    project.deliver()
    assert [outcome.state for outcome in project.ended] == [State.PUBLISHED]
    pull = project.world.repository.issues[project.number].pull
    assert pull
    (remark,) = pull.remarks
    assert (remark.path, remark.line) == ("grades.py", 2)
    assert remark.body.startswith("```suggestion\n    if score >")
    assert "**A fix** for the red checks" in project.comments
    assert len(project.world.pulls()) == 1
    assert sorted(project.world.repository.git.refs()) == ["refs/heads/main", "refs/heads/topic"]


def test_a_forks_red_check_waits_for_a_maintainers_word(stand_in: StandIn, keys: Keys) -> None:
    project = Project(stand_in, keys, "ci_pull_requests: stack\n")
    world, state = project.world, project.world.state
    fork = state.fork(world.full_name, "oscar")
    head = state.commit(fork.full_name, "topic", {"more.py": "1\n"}, "more")
    number = world.open_pull(NewPullRequest("oscar:topic", "main", "Theirs", "b", draft=False), by="oscar")
    project.number = number
    project.fails("tests", sha=head, branch=None)
    project.deliver()
    world.comment(number, "/regreen fix", by="oscar")
    project.deliver()
    assert project.ended == []
    world.comment(number, "/regreen fix", by="mona")
    assert "queued" in project.deliver()
    assert [outcome.state for outcome in project.ended] == [State.PUBLISHED]
    assert "+    if score >" in project.comments
    assert not [pull for pull in state.pulls(world.full_name) if pull.author.login == BOT]
    assert fork.git.refs()["refs/heads/topic"] == head


def test_a_workflow_that_ends_well_when_it_is_run_again_meanwhile_is_left_alone(stand_in: StandIn, keys: Keys) -> None:
    project = Project(stand_in, keys, "ci_pull_requests: stack\n")
    project.fails("tests")
    state, name = project.world.state, project.world.full_name
    state.complete_suite(name, project.head, "success", [("tests job", "success", "")], branch="topic", source="tests")
    assert "the checks of the commit are not red any more" in project.deliver()
    assert project.ended == []
    project.fails("tests")
    assert "queued" in project.deliver()
    assert [outcome.state for outcome in project.ended] == [State.PUBLISHED]
