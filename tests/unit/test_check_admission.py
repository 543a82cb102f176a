"""Red checks that start nothing, and where those that do go."""

from dataclasses import replace

import pytest
from fakes_checks import suite
from fakes_fix import Stage

from bot.jobs import FixCheck
from bot.pipeline.admission import Admission, Case, Refusal, Way, admit
from bot.pipeline.governance import policyfile
from bot.pipeline.ports.checks import CommitChecks, Distance, PullHead
from bot.pipeline.ports.github import NewPullRequest
from bot.pipeline.reports.markdown import marker
from sandbox.spec import File

FORK = "f" * 40


class Gate:
    """A stage with a red pull request #12 from `topic`, and what admission says of a job on it."""

    def __init__(self, policy: str = "ci_pull_requests: stack\n") -> None:
        self.stage = Stage()
        github = self.stage.github
        github.add_commit("main", "policy", {".github/regreen.yml": File(policy.encode())})
        self.head = github.add_commit("topic", "work", {"a": File(b"1")})
        self.pull = PullHead(12, "topic", self.head, "main", "ba5e", fork=False, is_open=True, author="mona")
        self.stage.checks.distances["main", self.head] = Distance(1, 2, "be9a")

    def job(self, *, about: str = "", asked: bool = False) -> FixCheck:
        return replace(
            self.stage.check(""), branch="topic", head_sha=self.head, pull_request=12, about=about, asked=asked
        )

    def admit(self, job: FixCheck) -> Admission | Refusal:
        self.stage.checks.pulls[12] = self.pull
        github = self.stage.github
        return admit(Case(job, github, policyfile.read(github), self.stage.checks))

    def refused(self, job: FixCheck) -> str:
        refusal = self.admit(job)
        assert isinstance(refusal, Refusal)
        assert refusal.remedy
        return refusal.reason

    def admitted(self, job: FixCheck) -> Admission:
        admission = self.admit(job)
        assert isinstance(admission, Admission)
        return admission


def test_by_policy_a_pull_requests_red_check_gets_a_stacked_pull_request_against_its_branch() -> None:
    gate = Gate()
    found = gate.admitted(gate.job())
    assert (found.way, found.base_branch, found.fix_branch) == (Way.PULL_REQUEST, "topic", "regreen/pull-12")
    assert found.against
    assert (found.base_commit, found.against.distance.behind) == (gate.head, 2)


def test_by_policy_it_gets_a_suggestion() -> None:
    gate = Gate("ci_pull_requests: suggest\n")
    assert gate.admitted(gate.job()).way is Way.SUGGEST


def test_by_default_it_gets_nothing_unless_somebody_asks_and_then_a_suggestion() -> None:
    gate = Gate("")
    assert "`ci_pull_requests: off`" in gate.refused(gate.job())
    assert gate.admitted(gate.job(asked=True)).way is Way.SUGGEST


def test_a_forks_head_is_worked_on_only_when_somebody_asks_and_never_pushed_to() -> None:
    gate = Gate()
    gate.head = FORK
    gate.pull = replace(gate.pull, fork=True, head_sha=FORK, head_branch="main")
    assert "from a fork" in gate.refused(gate.job())
    found = gate.admitted(gate.job(asked=True))
    assert (found.way, found.base_commit) == (Way.SUGGEST, FORK)


def test_one_of_our_own_branches_goes_on_itself_and_nothing_is_stacked_on_it() -> None:
    gate = Gate()
    github, mark = gate.stage.github, marker("subject", "issue-7")
    github.issues[11] = github.issues[7]
    github.add_pull(github.bot_login, NewPullRequest("topic", "main", "t", mark, draft=False))
    found = gate.admitted(gate.job(about="issue-7"))
    assert (found.way, found.base_branch, found.fix_branch) == (Way.PUSH, "topic", "topic")


def test_a_pull_request_that_only_says_to_be_ours_is_not_pushed_to() -> None:
    gate = Gate()
    github, mark = gate.stage.github, marker("subject", "issue-7")
    github.issues[11] = github.issues[7]
    github.add_pull("mallory", NewPullRequest("topic", "main", "t", mark, draft=False))
    assert "no open one of Regreen's" in gate.refused(gate.job(about="issue-7"))
    github.add_pull(github.bot_login, NewPullRequest("regreen/issue-7", "main", "t", mark, draft=False))
    assert "no open one of Regreen's" in gate.refused(gate.job(about="issue-7"))


def test_a_stacked_pull_request_that_stands_is_not_opened_again() -> None:
    gate = Gate()
    new = NewPullRequest("regreen/pull-12", "topic", "t", marker("subject", "pull-12"), draft=False)
    gate.stage.github.add_pull(gate.stage.github.bot_login, new)
    assert "open already" in gate.refused(gate.job())


def test_a_pull_request_that_is_closed_or_went_on_is_left_alone() -> None:
    gate = Gate()
    gate.pull = replace(gate.pull, is_open=False)
    assert "#12 is closed" in gate.refused(gate.job(asked=True))
    gate.pull = replace(gate.pull, is_open=True, head_sha="b" * 40)
    assert "moved on to bbbbbbbbbbbb" in gate.refused(gate.job(asked=True))


@pytest.mark.parametrize("number", [0, 12])
def test_a_commit_whose_checks_ran_again_and_ended_well_needs_nothing(number: int) -> None:
    gate = Gate()
    job = replace(gate.job(), pull_request=number)
    gate.stage.checks.commits[gate.head] = CommitChecks((suite(conclusion="success"),))
    assert "not red any more" in gate.refused(job)
    gate.stage.checks.commits[gate.head] = CommitChecks((suite(8, conclusion="success"), suite(9, "in_progress")))
    assert gate.admitted(job).base_commit == gate.head
    gate.stage.checks.commits[gate.head] = CommitChecks((suite(8, conclusion="success"), suite(9)))
    assert gate.admitted(job).base_commit == gate.head
