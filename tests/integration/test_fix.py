"""The path of a fix over scripted ports: what ends in a pull request, and what must not."""

from dataclasses import replace

import pytest
from fakes_fix import FIFTY, SOURCE, Stage, failed, passed

from bot.errors import ForbiddenError, GitHubUnavailableError
from bot.jobs import State
from bot.pipeline.ports.github import CheckState, IssueFacts
from bot.repair.types import BudgetLimits
from sandbox.spec import File

FIXED = SOURCE.replace(b"> 50", b">= 50")


def test_a_labelled_issue_becomes_one_draft_pull_request_with_the_fix() -> None:
    stage = Stage()
    outcome = stage.run()
    (pull,) = stage.github.pulls
    assert outcome.state is State.PUBLISHED
    assert outcome.pull_request == pull.pull.number
    assert pull.new.draft
    assert pull.new.head == "regreen/issue-7"
    assert "Fixes #7." in pull.new.body
    assert FIFTY in pull.new.body
    commit = stage.github.commits[stage.github.branches["regreen/issue-7"]]
    assert commit.parent == stage.head
    assert commit.tree["grades.py"].data in {FIXED, SOURCE.replace(b"> 50", b"> 49")}


def test_the_status_comment_is_one_and_ends_with_the_pull_request() -> None:
    stage = Stage()
    stage.run()
    assert "**Done**: #8 turns 1 failing test green; nothing broke." in stage.comment
    assert stage.github.calls.count("put_comment") == 3


def test_the_first_word_comes_before_the_repository_is_fetched() -> None:
    stage = Stage()
    stage.sources.error = GitHubUnavailableError("down", "wait")
    stage.run()
    assert stage.github.calls.index("put_comment") < len(stage.github.calls) - 1
    assert [entry["step"] for entry in stage.journal.named("step_started")] == ["admit", "fetch"]


def test_a_second_label_meets_the_open_pull_request_and_opens_no_other() -> None:
    stage = Stage()
    stage.run()
    outcome = stage.run(replace(stage.issue, delivery_id="d9"))
    assert outcome.state is State.REFUSED
    assert len(stage.github.pulls) == 1
    assert "is open already" in stage.comment


def test_after_a_closed_pull_request_a_new_label_starts_on_a_new_branch() -> None:
    stage = Stage()
    stage.github.close_pull(stage.run().pull_request or 0)
    assert stage.run().state is State.PUBLISHED
    assert [pull.new.head for pull in stage.github.pulls] == ["regreen/issue-7", "regreen/issue-7-2"]


def test_a_branch_that_a_stopped_run_left_is_in_nobodys_way() -> None:
    stage = Stage()
    stage.github.branches["regreen/issue-7"] = stage.github.branches["main"]
    assert stage.run().state is State.PUBLISHED
    assert [pull.new.head for pull in stage.github.pulls] == ["regreen/issue-7.2"]


@pytest.mark.parametrize("there", ["regreen", "regreen/issue-7/notes"])
def test_a_branch_whose_name_stands_in_the_way_of_ours_costs_no_fix(there: str) -> None:
    stage = Stage()
    stage.github.add_commit(there, "theirs", {})
    assert stage.run().state is State.PUBLISHED
    (pull,) = stage.github.pulls
    assert pull.new.head == {"regreen": "regreen-issue-7"}.get(there, "regreen/issue-7.2")


def test_somebody_elses_marker_does_not_count_as_ours() -> None:
    stage = Stage()
    stage.run()
    foreign = Stage()
    foreign.github.add_pull("mallory", replace(stage.github.pulls[0].new, head="mallory:patch"))
    assert foreign.run(replace(foreign.issue, asked=True)).state is State.PUBLISHED


def test_a_retry_of_the_same_job_finds_what_it_made() -> None:
    """A crash after the pull request was opened and before that was recorded runs the publishing again."""
    stage = Stage()
    stage.run()
    comments, pulls = len(stage.github.comments[7]), len(stage.github.pulls)
    again = Stage()
    again.github = stage.github
    again.run()
    assert (len(stage.github.comments[7]), len(stage.github.pulls)) == (comments, pulls)


def test_a_green_repository_gets_a_comment_that_says_what_would_help() -> None:
    stage = Stage(suite=lambda _files: {**dict.fromkeys((FIFTY,), passed())})
    outcome = stage.run()
    assert outcome.state is State.GREEN
    assert "all 1 tests pass here in 3 runs" in stage.comment
    assert "Add a test that fails" in stage.comment
    assert stage.github.pulls == []


def test_an_unsolved_run_opens_nothing_and_says_why_it_stopped() -> None:
    stage = Stage(suite=lambda _files: {FIFTY: failed()})
    outcome = stage.run()
    assert outcome.state is State.UNSOLVED
    assert "**No fix.** Stopped with `exhausted`" in stage.comment
    assert stage.github.pulls == []


def test_a_closed_issue_an_archived_repository_and_a_lost_branch_are_refused_before_any_spend() -> None:
    closed, archived, lost = Stage(), Stage(), Stage()
    closed.github.issues[7] = IssueFacts(is_open=False, labels=())
    archived.github.facts = replace(archived.github.facts, archived=True)
    del lost.github.branches["main"]
    for stage, reason in ((closed, "the issue is closed"), (archived, "archived"), (lost, "no commit on `main`")):
        assert stage.run().state is State.REFUSED
        assert reason in stage.comment
        assert stage.journal.named("step_started")[-1]["step"] == "admit"


def test_a_red_check_becomes_a_pull_request_against_its_branch() -> None:
    stage = Stage()
    outcome = stage.run(stage.check(f"FAILED {FIFTY} - AssertionError"))
    (pull,) = stage.github.pulls
    assert outcome.state is State.PUBLISHED
    assert (pull.new.head, pull.new.base) == ("regreen/check-main", "main")
    assert "Fixes #" not in pull.new.body
    assert [check.state for check in stage.github.checks if check.head_sha == stage.head] == [CheckState.SUCCESS]


def test_a_check_whose_failures_do_not_show_here_is_not_reproduced() -> None:
    stage = Stage()
    outcome = stage.run(stage.check("FAILED tests/test_net.py::test_online - OSError"))
    assert outcome.state is State.NOT_REPRODUCED
    assert stage.github.pulls == []
    assert "do not fail in the sandbox; 1 other tests fail here" in stage.github.checks[0].summary


def test_a_check_of_an_overtaken_commit_is_left_to_the_newer_one() -> None:
    stage = Stage()
    job = stage.check("")
    stage.github.add_commit("main", "newer", {"grades.py": File(FIXED)})
    assert stage.run(job).state is State.REFUSED
    assert "moved on" in stage.github.checks[0].summary


def test_a_policy_can_lower_the_budget_and_never_raise_it() -> None:
    lowered, raised = Stage(), Stage(budget=BudgetLimits(iterations=1))
    for stage, iterations in ((lowered, 1), (raised, 50)):
        policy = File(f"budget:\n  iterations: {iterations}\n".encode())
        tree = stage.github.commits[stage.head].tree
        stage.github.add_commit("main", "policy", {**tree, ".github/regreen.yml": policy})
        stage.suite = lambda _files: {FIFTY: failed()}
        stage.run()
        assert len(stage.journal.named("proposal")) <= 1


def test_a_broken_policy_file_is_named_in_the_comment() -> None:
    stage = Stage()
    tree = stage.github.commits[stage.head].tree
    stage.github.add_commit("main", "policy", {**tree, ".github/regreen.yml": File(b"lable: x\n")})
    assert stage.run().state is State.REFUSED
    assert "line 1: lable: there is no such key" in stage.comment


def test_a_fix_that_cannot_be_published_is_kept_in_the_comment() -> None:
    stage = Stage()
    stage.github.failures["commit"] = [ForbiddenError("contents: write is missing", "Grant it to the App.")]
    assert stage.run().state is State.FAILED
    assert "contents: write is missing" in stage.comment
    assert "+    if score >" in stage.comment


def test_a_run_that_fails_late_still_says_what_it_took() -> None:
    stage = Stage()
    stage.github.failures["commit"] = [ForbiddenError("contents: write is missing", "Grant it to the App.")]
    assert stage.run().seconds > 0


def test_a_status_that_cannot_be_written_is_kept_in_the_log() -> None:
    stage = Stage()
    stage.github.failures["put_comment"] = [GitHubUnavailableError("502", "wait")] * 2
    assert stage.run().state is State.FAILED
    (kept,) = stage.journal.named("status_not_written")
    assert "502" in str(kept["text"])
