"""What each method of each port asks GitHub for: the tokens that it mints, one repository and no permission to spare.

The stand-in refuses what a token does not allow, by GitHub's own table, so that too little fails as well.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from github_worlds import BOT, Keys
from pydantic import SecretStr
from review_worlds import StandInReviewWorld

from bot.adapters.github import (
    InstallationTokens,
    Pace,
    RestBranches,
    RestChecks,
    RestGitHub,
    RestPulls,
    RestThreads,
)
from bot.adapters.github.labels import RestLabels
from bot.demo.stand_in import StandIn
from bot.pipeline.ports.checks import Checks, Suggestion
from bot.pipeline.ports.github import CheckReport, CheckState, FailedJob, GitHub, NewCommit, NewPullRequest
from bot.pipeline.ports.pulls import Pulls
from bot.pipeline.ports.threads import Branches, Threads
from bot.pipeline.reports.labels import Label, Labels
from bot.repair.types import FileChange, Patch
from sandbox.spec import File

MARK = "<!-- regreen:subject=issue-1 -->"
OURS = "regreen/issue-1"
PATCH = Patch((FileChange("a", b"new\n"),))


@pytest.fixture(scope="module")
def keys() -> Keys:
    return Keys.make()


@pytest.fixture(scope="module")
def stand_in(keys: Keys) -> Iterator[StandIn]:
    with StandIn(StandInReviewWorld.config(keys)) as running:
        yield running


@dataclass(frozen=True)
class Scene:
    """A repository with an issue, one of our pull requests with a review on it, and a red suite."""

    world: StandInReviewWorld
    tokens: InstallationTokens
    issue: int
    pull: int
    head: str
    review: int
    thread: int
    suite: int

    @property
    def github(self) -> RestGitHub:
        return RestGitHub(self.tokens, self.world.installation, self.world.full_name, bot_login=BOT, pace=Pace(0.0))

    @property
    def checks(self) -> RestChecks:
        return RestChecks(self.tokens, self.world.installation, self.world.full_name, bot_login=BOT, pace=Pace(0.0))

    @property
    def threads(self) -> RestThreads:
        return RestThreads(self.tokens, self.world.installation, self.world.full_name, bot_login=BOT, pace=Pace(0.0))

    @property
    def branches(self) -> RestBranches:
        return RestBranches(self.tokens, self.world.installation, self.world.full_name, bot_login=BOT, pace=Pace(0.0))

    @property
    def labels(self) -> RestLabels:
        return RestLabels(self.tokens, self.world.installation, self.world.full_name, Pace(0.0))

    @property
    def pulls(self) -> RestPulls:
        return RestPulls(self.tokens, self.world.installation, self.world.full_name, bot_login=BOT, pace=Pace(0.0))


@pytest.fixture
def scene(stand_in: StandIn, keys: Keys) -> Scene:
    world = StandInReviewWorld(stand_in, keys)
    issue = world.open_issue("regreen")
    main = world.push("main", {"a": File(b"old\n")})
    head = world.push(OURS, {"a": File(b"one\ntwo\n")})
    pull = world.github.open_pull_request(NewPullRequest(OURS, "main", "Fix", MARK, draft=False), MARK).number
    review = world.review(pull, "Please change it", {("a", 2): "why?"}, by="ann")
    thread = world.threads.remarks(pull)[0].thread
    suite = world.suite(main, (FailedJob("test", "failure", "E   assert 1 == 2"),))
    tokens = InstallationTokens(world.state.app.id, SecretStr(keys.private), stand_in.api_url, backoff=0.01)
    return Scene(world, tokens, issue, pull, head, review, thread, suite)


def minted(scene: Scene, call: Callable[[Scene], object]) -> set[str]:
    """The permissions of each token that the call had minted, each for the one repository alone."""
    before = set(scene.world.state.tokens)
    call(scene)
    made = [token for value, token in scene.world.state.tokens.items() if value not in before]
    assert all(token.repositories == {scene.world.full_name} for token in made)
    return {_named(dict(token.permissions)) for token in made}


def _named(permissions: dict[str, str]) -> str:
    # every token has it, asked for or not
    beyond = {name: level for name, level in permissions.items() if (name, level) != ("metadata", "read")}
    return " ".join(f"{name}:{level}" for name, level in sorted(beyond.items())) or "metadata:read"


def _fresh(scene: Scene) -> NewPullRequest:
    scene.world.push("regreen/issue-2", {"b": File(b"1")})
    return NewPullRequest("regreen/issue-2", "main", "Fix", "<!-- x -->", draft=True)


METADATA, CODE, ISSUES, PULLS = "metadata:read", "contents:read", "issues:read", "pull_requests:read"
NEEDS: dict[str, tuple[Callable[[Scene], object], set[str]]] = {
    "GitHub.repository": (lambda s: s.github.repository(), {METADATA}),
    "GitHub.permission": (lambda s: s.github.permission("ann"), {METADATA}),
    "GitHub.file": (lambda s: s.github.file("a", "main"), {CODE}),
    "GitHub.issue": (lambda s: s.github.issue(s.issue), {ISSUES}),
    "GitHub.closing": (lambda s: s.github.closing(s.issue), {PULLS}),
    "GitHub.lacking": (lambda s: s.github.lacking(), set()),
    "GitHub.branch_head": (lambda s: s.github.branch_head("main"), {CODE}),
    "GitHub.put_comment": (lambda s: s.github.put_comment(s.issue, MARK, "text"), {"issues:write"}),
    "GitHub.put_check": (
        lambda s: s.github.put_check(CheckReport(s.head, "job", CheckState.IN_PROGRESS, "t", "s")),
        {"checks:write"},
    ),
    "GitHub.failed_jobs": (lambda s: s.github.failed_jobs(s.suite), {"checks:read", "actions:read"}),
    "GitHub.pull_requests": (lambda s: s.github.pull_requests(MARK), {ISSUES, PULLS}),
    "GitHub.commit": (
        lambda s: s.github.commit(NewCommit("regreen/issue-3", s.head, "Fix", PATCH)),
        {CODE, "contents:write"},
    ),
    "GitHub.open_pull_request": (
        lambda s: s.github.open_pull_request(_fresh(s), "<!-- x -->"),
        {ISSUES, "contents:read pull_requests:write"},
    ),
    "GitHub.ask_review": (lambda s: s.github.ask_review(s.pull, ("ann",)), {"pull_requests:write"}),
    "Checks.of_commit": (lambda s: s.checks.of_commit(s.head), {"checks:read", "actions:read", "statuses:read"}),
    "Checks.pull_request": (lambda s: s.checks.pull_request(s.pull), {PULLS, CODE}),
    "Checks.distance": (lambda s: s.checks.distance("main", OURS), {CODE}),
    "Checks.suggest": (
        lambda s: s.checks.suggest(s.pull, s.head, "<!-- y -->", (Suggestion("a", 1, 1, ("two",)),)),
        {PULLS, "pull_requests:write"},
    ),
    "Threads.review": (lambda s: s.threads.review(s.pull, s.review), {PULLS}),
    "Threads.remarks": (lambda s: s.threads.remarks(s.pull), {PULLS}),
    "Threads.answer": (lambda s: s.threads.answer(s.pull, s.thread, "<!-- z -->", "x"), {PULLS, "pull_requests:write"}),
    "Threads.text": (lambda s: s.threads.text(s.pull), {PULLS}),
    "Threads.rewrite": (lambda s: s.threads.rewrite(s.pull, f"{MARK}\nnew"), {PULLS, "pull_requests:write"}),
    "Threads.changed": (lambda s: s.threads.changed(s.pull), {PULLS}),
    "Branches.advance": (
        lambda s: s.branches.advance(NewCommit(OURS, s.head, "Follow up", PATCH)),
        {CODE, "contents:write"},
    ),
    "Branches.merge": (lambda s: s.branches.merge(OURS, "main", "Merge"), {CODE, "contents:write"}),
    "Branches.person": (lambda s: s.branches.person("ann"), {METADATA}),
    "Labels.make": (lambda s: s.labels.make(), {ISSUES, "issues:write"}),
    "Labels.put": (lambda s: s.labels.put(s.issue, Label.WORKING), {ISSUES, "issues:write"}),
    "Pulls.by_number": (lambda s: s.pulls.by_number(s.pull), {PULLS}),
    "Pulls.from_branch": (lambda s: s.pulls.from_branch(OURS), {PULLS}),
}


@pytest.mark.parametrize("method", NEEDS)
def test_a_method_asks_for_what_it_needs_and_for_one_repository(scene: Scene, method: str) -> None:
    call, needed = NEEDS[method]
    assert minted(scene, call) == needed


@pytest.mark.parametrize("port", [GitHub, Checks, Threads, Branches, Labels, Pulls], ids=lambda port: port.__name__)
def test_every_method_of_every_port_is_looked_at(port: type) -> None:
    own = {f"{port.__name__}.{name}" for name in vars(port) if not name.startswith("_")}
    assert own == {name for name in NEEDS if name.startswith(f"{port.__name__}.")}
