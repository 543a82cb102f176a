"""Complaints about too much of something: 1, 2, 3, 4, 13."""

from dataclasses import replace
from pathlib import Path

from fakes_commits import ByCommit
from fakes_fix import FIFTY, FILES, ZERO, Stage, failed, grading
from fakes_followup import OURS, PullStage
from fakes_github import FakeComment, FakeGitHub
from fakes_ledger import MemoryLedger
from fakes_office import OPERATOR, Office

from bot.adapters.store import SqlLedger, connect, migrate
from bot.events import PullRequest as Seen
from bot.events import parse
from bot.jobs import FixCheck, FollowUp, State
from bot.pipeline.ports.github import NewPullRequest, PullRequest
from bot.pipeline.reports.markdown import marker
from bot.pipeline.spending.ledger import Account, Allowance, Grant
from bot.policy import RepoPolicy
from bot.triggers import Ignore, Known, Operator, decide
from sandbox.spec import File, Outcome, TestResult

LOG = f"FAILED {FIFTY} - AssertionError"


class LooksForNothing(FakeGitHub):
    """GitHub as a bot uses it that never looks what it made before."""

    def pull_requests(self, marker: str) -> tuple[PullRequest, ...]:
        del marker
        return ()

    def open_pull_request(self, new: NewPullRequest, marker: str) -> PullRequest:
        del marker
        return self.add_pull(self.bot_login, new)

    def put_comment(self, issue: int, marker: str, body: str, *, soon: bool = False) -> str:
        del marker, soon
        self.comments[issue].append(FakeComment(self.bot_login, body))
        return ""


def careless(stage: Stage) -> Stage:
    """The same stage with a GitHub that looks for nothing."""
    github = LooksForNothing(files={path: File(data) for path, data in FILES.items()})
    github.issues, github.branches, github.commits = stage.github.issues, stage.github.branches, stage.github.commits
    stage.github = github
    return stage


def test_complaint_01_a_second_request_opens_no_second_pull_request() -> None:
    """Remedies: admission looks for ours by its hidden marker and author, and opening one looks again."""
    office, without = Office(Stage()), Office(careless(Stage()))
    for one in (office, without):
        one.label()
        one.label()
        one.comment("/regreen fix")
    assert len(office.github.pulls) == 1
    assert len(without.github.pulls) > 1


def test_complaint_02_the_bot_does_not_trigger_itself() -> None:
    """Remedy: what the App itself sent is let go before anything else is looked at, by its login and its App's id."""
    office = Office(Stage())
    office.comment("/regreen fix", by="regreen[bot]")
    office.label(by="regreen[bot]")
    office.red(by="regreen[bot]", app_id=OPERATOR.app_id)
    assert office.ran == []
    # a policy that lists it makes no difference, and an operator that does not know itself would have run
    listed = Known(RepoPolicy(bots=("regreen[bot]",)), may_write=True)
    events = [parse(delivery) for delivery in office.inbox.deliveries.values()]
    assert all(isinstance(decide(event, "d", OPERATOR, listed), Ignore) for event in events)
    unknowing = [decide(event, "d", Operator(0, "regreen", ""), listed) for event in events]
    assert not any(isinstance(decision, Ignore) for decision in unknowing)


def test_complaint_03_one_comment_is_edited_and_spending_ends(tmp_path: Path) -> None:
    """Remedies: one status comment a subject, edited in place; attempts are counted durably and come to an end."""
    office = Office(Stage(suite=never, ledger=ledger(tmp_path, "all")))
    without = Office(careless(Stage(suite=never, ledger=CountsNothing())))
    for one in (office, without):
        for _ in range(12):
            one.label()
    assert len(office.github.comments[7]) == 1
    assert len(without.github.comments[7]) >= 12
    worked = [outcome for outcome in office.runs.outcomes.values() if outcome.state is not State.REFUSED]
    assert len(worked) == RepoPolicy().max_attempts
    assert "runs were made for this already" in office.github.comments[7][0].body
    assert sum(outcome.state is State.UNSOLVED for outcome in without.runs.outcomes.values()) == 12


def never(_files: object) -> dict[str, TestResult]:
    """A suite that nothing turns green."""
    return {FIFTY: failed(), ZERO: TestResult(ZERO, Outcome.PASSED)}


def ledger(directory: Path, name: str) -> SqlLedger:
    """The real ledger."""
    url = f"sqlite:///{directory}/{name}.sqlite"
    migrate(url)
    return SqlLedger(connect(url))


class CountsNothing(MemoryLedger):
    """A ledger that grants whatever is asked."""

    def reserve(self, identity: str, account: Account, allowance: Allowance) -> Grant:
        del identity, account
        return Grant(allowance.run, 1)


def test_complaint_04_label_ci_and_review_share_one_counter(tmp_path: Path) -> None:
    """Remedy: the ledger counts runs by subject, and red CI and reviews of our pull request carry that subject."""
    allowed = 2 * RepoPolicy().max_attempts
    assert begun(tmp_path, shared=True) == allowed
    # with a counter for each, they add up
    assert begun(tmp_path, shared=False) > allowed


def begun(directory: Path, *, shared: bool) -> int:
    """Red CI on our pull request and a review of it in turns, without a success: how many runs were begun."""
    stage = PullStage(suite=never)
    stage.workspace = ByCommit(never, {stage.start: Outcome.PASSED})
    ledgers = {kind: ledger(directory, "all" if shared else kind.__name__) for kind in (FixCheck, FollowUp)}
    worked = 0
    for number in range(1, 9):
        tree = stage.github.commits[stage.branch].tree
        stage.branch = stage.github.add_commit(OURS, "again", {**tree, "n": File(b"%d" % number)})
        stage.look()
        red = replace(stage.check(LOG, head=stage.branch), branch=OURS, pull_request=stage.number, about="issue-7")
        for job in (red, replace(stage.review("rename it"), delivery_id=f"r{number}", review=0)):
            stage.ledger = ledgers[type(job)]
            worked += stage.run(job).state is not State.REFUSED
    return worked


def test_complaint_13_a_fix_of_a_fix_is_no_pull_request_of_its_own() -> None:
    """Remedy: red CI on our own branch is that subject's next attempt: it goes onto the branch, or it ends."""
    stage = red_pull()
    office = Office(stage)
    mark = marker("subject", "issue-7")
    ours = Seen(stage.number, "regreen[bot]", mark, OURS, stage.branch, "main", is_open=True, is_fork=False)
    office.around.pulls.seen.append(ours)
    office.red(branch=OURS, log=LOG)
    (job,) = office.ran
    assert isinstance(job, FixCheck)
    assert (job.about, job.pull_request) == ("issue-7", stage.number)
    assert [one.new.base for one in stage.github.pulls] == ["main"]
    assert stage.github.commits[stage.github.branches[OURS]].parent == stage.branch
    # the same red check taken as anybody's opens one on top of the other
    stacked = red_pull()
    stacked.check(LOG)
    rules = {".github/regreen.yml": File(b"ci_pull_requests: stack\n")}
    stacked.github.add_commit("main", "policy", {**stacked.github.commits[stacked.start].tree, **rules})
    assert stacked.run(replace(job, about="", head_sha=stacked.branch, asked=True)).state is State.PUBLISHED
    assert [one.new.base for one in stacked.github.pulls] == ["main", OURS]


def red_pull() -> PullStage:
    """A pull request of ours that is red, on a green base."""
    stage = PullStage(source=FILES["grades.py"])
    stage.workspace = ByCommit(grading, {stage.start: Outcome.PASSED})
    return stage
