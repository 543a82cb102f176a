"""Red checks of pull requests from end to end over scripted ports: stacked, pushed, suggested, brought up to date."""

from collections.abc import Mapping
from dataclasses import replace

from fakes_fix import FIFTY, FILES, SOURCE, Stage, grading
from fakes_workspace import ScriptedWorkspace, run_of

from bot.errors import GitHubUnavailableError
from bot.jobs import State
from bot.pipeline.ports.checks import Distance, PullHead
from bot.pipeline.ports.github import IssueFacts, NewPullRequest
from bot.pipeline.reports.markdown import marker
from bot.repair.types import Base, Patch, Selection
from sandbox.spec import File, Outcome, TestRun

LOG = f"FAILED {FIFTY} - AssertionError"
BOUND = {SOURCE.replace(b"> 50", b">= 50"), SOURCE.replace(b"> 50", b"> 49")}
OLD = "be9a"


class Commits(ScriptedWorkspace):
    """The red module on the head, and on other commits what `elsewhere` says of the one test."""

    def __init__(self, elsewhere: Mapping[str, Outcome]) -> None:
        super().__init__(FILES, grading)
        self.elsewhere = elsewhere

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        if base.commit in self.elsewhere:
            return tuple(run_of({FIFTY: self.elsewhere[base.commit]}) for _ in patches)
        return super().evaluate(base, patches, selection)


class Red:
    """A pull request #12 whose head, on `topic`, is red; its base is main, which went on by a commit."""

    def __init__(self, policy: str, *, about: str = "", began: Outcome = Outcome.PASSED) -> None:
        self.stage = Stage()
        github = self.github = self.stage.github
        tree = {path: File(data) for path, data in FILES.items()}
        github.branches["topic"] = github.add_commit("main", "policy", tree)
        self.head = github.add_commit("topic", "work", {**tree, "more.py": File(b"1\n")})
        rules = {".github/regreen.yml": File(policy.encode())}
        now = github.add_commit("main", "went on", {**tree, **rules})
        if about:
            github.issues[11] = IssueFacts(is_open=True, labels=())
            new = NewPullRequest("topic", "main", "t", marker("subject", about), draft=False)
            github.add_pull(github.bot_login, new)
        github.issues[12] = IssueFacts(is_open=True, labels=())
        self.pull = PullHead(12, "topic", self.head, "main", now, fork=False, is_open=True, author="mona")
        self.stage.checks.distances["main", self.head] = Distance(1, 1, OLD)
        self.stage.workspace = Commits({OLD: began, now: Outcome.PASSED})
        self.job = replace(self.stage.check(LOG), branch="topic", head_sha=self.head, pull_request=12, about=about)

    def run(self, *, asked: bool = False) -> State:
        """Run the job to its end, and return how it ended."""
        self.stage.checks.pulls[12] = self.pull
        self.outcome = self.stage.run(replace(self.job, asked=asked))
        return self.outcome.state

    @property
    def comments(self) -> str:
        """All that we wrote below the pull request."""
        return "\n".join(comment.body for comment in self.github.comments[12])

    def tree(self, branch: str) -> bytes:
        """The module on a branch."""
        return self.github.commits[self.github.branches[branch]].tree["grades.py"].data


def test_a_stacked_pull_request_goes_against_the_branch_that_is_red() -> None:
    red = Red("ci_pull_requests: stack\n")
    assert red.run() is State.PUBLISHED
    (pull,) = red.github.pulls
    assert (pull.new.head, pull.new.base) == ("regreen/pull-12", "topic")
    assert f"Turns the red checks of {red.head[:12]} green, for #12." in pull.new.body
    assert red.tree("regreen/pull-12") in BOUND
    assert red.github.branches["topic"] == red.head
    assert red.comments == ""


def test_a_suggestion_is_a_comment_with_the_patch_and_one_suggestion_a_change_and_pushes_nothing() -> None:
    red = Red("ci_pull_requests: suggest\n")
    branches = dict(red.github.branches)
    assert red.run() is State.PUBLISHED
    assert (red.github.pulls, red.github.branches) == ([], branches)
    assert red.outcome.pull_request == 12
    assert "**A fix** for the red checks" in red.comments
    assert "+    if score >" in red.comments
    ((suggestion,),) = red.stage.checks.suggested.values()
    assert (suggestion.path, suggestion.start, suggestion.end) == ("grades.py", 2, 2)
    assert SOURCE.replace(SOURCE.split(b"\n")[1], suggestion.lines[0].encode()) in BOUND
    assert "suggestions on the lines](" in red.comments


def test_a_fix_outside_of_the_pull_requests_diff_is_suggested_as_a_patch_alone() -> None:
    red = Red("ci_pull_requests: suggest\n")
    red.stage.checks.in_diff = False
    assert red.run() is State.PUBLISHED
    assert "with `git apply`" in red.comments
    assert "+    if score >" in red.comments


def test_a_retry_of_a_suggestion_writes_nothing_twice() -> None:
    red = Red("ci_pull_requests: suggest\n")
    red.run()
    red.stage.journal.events.clear()
    red.run()
    assert len(red.github.comments[12]) == 1
    assert len(red.stage.checks.suggested) == 1


def test_a_fork_gets_a_suggestion_once_a_maintainer_asked_and_the_answer_stands_below_it() -> None:
    red = Red("ci_pull_requests: stack\n")
    red.pull = replace(red.pull, fork=True)
    assert red.run() is State.REFUSED
    assert red.run(asked=True) is State.PUBLISHED
    assert red.github.pulls == []
    assert "**A fix** for the red checks" in red.comments
    assert "**Done**: a comment on #12" in red.comments


def test_a_fix_of_our_own_branch_is_pushed_onto_it_and_nothing_is_stacked() -> None:
    red = Red("", about="issue-7")
    assert red.run() is State.PUBLISHED
    assert len(red.github.pulls) == 1
    commit = red.github.commits[red.github.branches["topic"]]
    assert commit.parent == red.head
    assert red.tree("topic") in BOUND
    assert "**Pushed**" in red.comments
    assert red.github.checks[-1].head_sha == red.github.branches["topic"]


def test_a_commit_that_somebody_pushed_meanwhile_is_left_alone_and_the_patch_is_shown() -> None:
    red = Red("", about="issue-7")
    pushed: list[str] = []
    red.stage.branches.meanwhile = lambda: pushed.append(red.github.add_commit("topic", "mine", {"x": File(b"1")}))
    assert red.run() is State.FAILED
    assert red.github.branches["topic"] == pushed[0]
    assert "**Not pushed**" in red.comments
    assert "+    if score >" in red.comments


def refuse(red: Red, kind: str) -> None:
    """Let GitHub take no comment of a kind."""
    put = red.github.put_comment

    def refusing(issue: int, marker: str, body: str, *, soon: bool = False) -> str:
        if f"regreen:{kind}=" in marker:
            raise GitHubUnavailableError("502", "Wait.")
        return put(issue, marker, body, soon=soon)

    red.github.put_comment = refusing  # type: ignore[method-assign]  # a failure of one kind of call


def test_a_fix_that_was_pushed_counts_as_pushed_when_its_comment_is_not_taken() -> None:
    red = Red("", about="issue-7")
    refuse(red, "fixed")
    assert red.run() is State.PUBLISHED
    assert red.tree("topic") in BOUND
    assert "tests | before | after" in "\n".join(check.summary for check in red.github.checks)


def test_a_patch_whose_comment_is_not_taken_stands_in_the_check() -> None:
    red = Red("", about="issue-7")
    refuse(red, "patch")
    red.stage.branches.meanwhile = lambda: red.github.add_commit("topic", "mine", {"x": File(b"1")})
    assert red.run() is State.FAILED
    assert "got other commits" in red.outcome.headline
    assert "+    if score >" in red.github.checks[0].summary


def test_a_merge_whose_answer_was_lost_counts_as_made() -> None:
    red = Red("update_stale_base: true\n", about="issue-7", began=Outcome.FAILED)
    merge = red.stage.branches.merge
    red.stage.branches.merge = lambda *asked: merge(*asked) and merge(*asked)  # type: ignore[method-assign]  # sent twice
    assert red.run() is State.GREEN
    assert red.outcome.headline == "Brought the branch up to date"


def test_our_own_branch_that_is_red_only_because_its_base_is_old_is_brought_up_by_policy() -> None:
    red = Red("update_stale_base: true\n", about="issue-7", began=Outcome.FAILED)
    assert red.run() is State.GREEN
    assert red.outcome.headline == "Brought the branch up to date"
    assert red.github.commits[red.github.branches["topic"]].second == red.github.branches["main"]


def test_without_the_policy_or_on_anybodys_branch_a_stale_base_is_said_and_nothing_is_merged() -> None:
    for red in (
        Red("", about="issue-7", began=Outcome.FAILED),
        Red("update_stale_base: true\nci_pull_requests: stack\n", began=Outcome.FAILED),
    ):
        assert red.run() is State.GREEN
        assert red.github.branches["topic"] == red.head
        assert "red only because the branch's base is old" in red.github.checks[0].summary
        assert red.stage.branches.calls == []


def test_red_checks_of_our_own_branch_count_as_attempts_of_its_subject() -> None:
    red = Red("max_attempts: 1\n", about="issue-7")
    assert red.run() is State.PUBLISHED
    head = red.github.branches["topic"]
    red.pull, red.job = replace(red.pull, head_sha=head), replace(red.job, delivery_id="d3", head_sha=head)
    assert red.run() is State.REFUSED
    assert red.github.branches["topic"] == head
    assert "attempt" in red.github.checks[-1].summary
