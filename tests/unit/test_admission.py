"""Refusals: each before anything is spent, with a reason and with what would change it."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from fakes_fix import FILES, Stage

from bot.jobs import FixCheck, FixIssue, Job, State
from bot.pipeline.ports.github import IssueFacts, NewPullRequest, Permission
from bot.pipeline.reports.markdown import marker
from sandbox.spec import File

SPENDING = {"fetch", "prepare", "baseline", "targets", "reproduce", "repair", "publish"}


def said(stage: Stage) -> str:
    return stage.comment if stage.github.comments[7] else stage.github.checks[0].summary


def refused(stage: Stage, job: Job | None = None) -> str:
    """Run the job, which must end before it costs anything; returns what GitHub shows."""
    outcome = stage.run(job)
    assert outcome.state is State.REFUSED
    assert not SPENDING & {entry["step"] for entry in stage.journal.named("step_started")}
    assert "commit" not in stage.github.calls
    assert "fetching" not in " ".join(comment.body for comment in stage.github.comments[7])
    assert outcome.headline.startswith(("Not started: ", "Nicht begonnen: "))
    return said(stage)


def policy(stage: Stage, text: str, **others: bytes) -> None:
    files = {path: File(data) for path, data in FILES.items()}
    files |= {path.replace("__", "."): File(data) for path, data in others.items()}
    stage.github.add_commit("main", "policy", {**files, ".github/regreen.yml": File(text.encode())})


def archived(stage: Stage) -> None:
    stage.github.facts = replace(stage.github.facts, archived=True)


def disabled(stage: Stage) -> None:
    stage.github.facts = replace(stage.github.facts, disabled=True)


def empty(stage: Stage) -> None:
    del stage.github.branches["main"]


def closed(stage: Stage) -> None:
    stage.github.issues[7] = IssueFacts(is_open=False, labels=())


def ungranted(stage: Stage) -> None:
    stage.github.ungranted = ("contents: write", "statuses: read")


def claimed(stage: Stage) -> None:
    stage.github.permissions["ann"] = Permission.WRITE
    stage.github.add_pull("ann", NewPullRequest("ann:fix", "main", "Mine", "Fixes #7", draft=False))


def assigned(stage: Stage) -> None:
    policy(stage, "skip_assigned: true\n")
    stage.github.issues[7] = IssueFacts(is_open=True, labels=(), assignees=("ann", "bob"))


@pytest.mark.parametrize(
    ("arrange", "reason", "remedy"),
    [
        (archived, "the repository is archived", "Unarchive it"),
        (disabled, "the repository is disabled", "Ask GitHub"),
        (empty, "there is no commit on `main`: the repository is empty", "Push one"),
        (closed, "the issue is closed", "Reopen it"),
        (ungranted, "the App lacks permissions: `contents: write`.", "Grant them"),
        (claimed, "a pull request of `ann` closes this issue already", "Merge or close that one"),
        (assigned, "`ann`, `bob`", "Take them off the issue"),
    ],
)
def test_is_refused_before_any_spend(arrange: Callable[[Stage], None], reason: str, remedy: str) -> None:
    stage = Stage()
    arrange(stage)
    text = refused(stage)
    assert reason in text
    assert remedy in text


def test_refusals_speak_the_policys_language() -> None:
    stage = Stage()
    policy(stage, "language: de\n")
    closed(stage)
    assert "**Nicht begonnen**: das Issue ist geschlossen" in refused(stage)


def test_who_is_assigned_may_ask_for_a_fix_of_their_own_issue() -> None:
    stage = Stage()
    assigned(stage)
    assert stage.run(replace(stage.issue, sender="Ann")).state is State.PUBLISHED


def test_assignments_mean_nothing_unless_the_policy_says_so() -> None:
    stage = Stage()
    stage.github.issues[7] = IssueFacts(is_open=True, labels=(), assignees=("ann",))
    assert stage.run().state is State.PUBLISHED


def test_who_asks_by_a_command_gets_a_run_beside_a_persons_pull_request() -> None:
    stage = Stage()
    claimed(stage)
    assert stage.run(replace(stage.issue, asked=True)).state is State.PUBLISHED


def test_a_strangers_pull_request_that_closes_all_issues_keeps_nobody_from_a_fix() -> None:
    stage = Stage()
    claimed(stage)
    stage.github.permissions["ann"] = Permission.READ
    assert stage.run().state is State.PUBLISHED


def test_red_checks_of_a_fork_are_left_to_upstream_unless_somebody_asks() -> None:
    asked, unasked = Stage(), Stage()
    for stage in (asked, unasked):
        stage.github.facts = replace(stage.github.facts, fork=True)
    assert "the repository is a fork" in refused(unasked, unasked.check("log"))
    assert asked.run(replace(asked.check("FAILED x"), asked=True)).state is not State.REFUSED


def earlier(stage: Stage, subject: str, *, merged: bool = False) -> None:
    body = f"{marker('subject', subject)}\nBefore."
    made = stage.github.add_pull(stage.github.bot_login, NewPullRequest("regreen/x", "main", "Fix", body, draft=False))
    stage.github.close_pull(made.number, merged=merged)


def test_a_pull_request_that_a_person_closed_means_no_until_somebody_asks() -> None:
    stage = Stage()
    earlier(stage, "check-main")
    job = stage.check("FAILED x")
    text = refused(stage, job)
    assert "a person closed our last pull request" in text
    assert "/regreen retry" in text
    assert stage.run(replace(job, asked=True)).state is not State.REFUSED


def test_a_bots_label_is_no_person_asking_again_and_a_persons_is() -> None:
    stage = Stage()
    earlier(stage, "issue-7")
    assert "a person closed" in refused(stage, replace(stage.issue, sender="labeler[bot]"))
    assert stage.run().state is State.PUBLISHED


def test_a_pull_request_that_was_merged_stands_in_nobodys_way() -> None:
    stage = Stage()
    earlier(stage, "check-main", merged=True)
    assert stage.run(stage.check("FAILED x")).state is not State.REFUSED


def about(stage: Stage, body: str) -> FixIssue:
    return replace(stage.issue, title="It is broken", body=body)


@pytest.mark.parametrize(
    "body", ["The job in .github/workflows/ci.yml is slow", "`./.circleci/config.yml` and .gitlab-ci.yml are wrong"]
)
def test_an_issue_about_workflows_alone_is_refused_before_any_spend(body: str) -> None:
    stage = Stage()
    text = refused(stage, about(stage, body))
    assert "may not be changed by Regreen: `." in text
    assert "workflows are people's work" in text


def test_an_issue_about_what_the_policy_protects_is_refused_before_any_spend() -> None:
    stage = Stage()
    policy(stage, "protected: ['migrations/**']\n")
    assert "`migrations/0001.py`" in refused(stage, about(stage, "Wrong default in migrations/0001.py"))


@pytest.mark.parametrize(
    ("file", "data", "path", "reason"),
    [
        ("__gitmodules", b'[submodule "x"]\n\tpath = vendor/x\n\turl = u\n', "vendor/x/a.py", "lies in a submodule"),
        ("__gitattributes", b"*.bin filter=lfs diff=lfs -text\n", "models/a.bin", "is kept in Git LFS"),
    ],
)
def test_an_issue_about_what_is_kept_elsewhere_is_refused(file: str, data: bytes, path: str, reason: str) -> None:
    stage = Stage()
    policy(stage, "", **{file: data})
    text = refused(stage, about(stage, f"`{path}` is wrong"))
    assert reason in text
    assert f"`{path}`" in text


def test_one_file_that_may_be_changed_is_enough_to_go_on() -> None:
    stage = Stage()
    body = "It fails in .github/workflows/ci.yml because of grades.py; see https://ci.test/.github/workflows/x.yml"
    assert stage.run(about(stage, body)).state is State.PUBLISHED


def test_a_red_check_needs_the_permission_to_say_so() -> None:
    stage = Stage()
    stage.github.ungranted = ("checks: write", "issues: write")
    text = refused(stage, stage.check("FAILED x"))
    assert "`checks: write`" in text
    assert "issues" not in text


def test_a_check_of_a_branch_that_is_gone_is_refused() -> None:
    stage = Stage()
    job: FixCheck = replace(stage.check("x"), branch="feature")
    assert "the branch `feature` is gone" in refused(stage, job)
