"""What a policy changes about what people see: the language, who is asked for a review."""

import pytest
from fakes_fix import FIFTY, FILES, Stage, failed, passed

from bot.errors import ForbiddenError
from bot.jobs import State
from bot.pipeline.ports.github import Permission
from bot.policy import PATH
from sandbox.spec import File


def ruled(policy: str, stage: Stage | None = None) -> Stage:
    stage = stage or Stage()
    files = {path: File(data) for path, data in FILES.items()}
    stage.head = stage.github.add_commit("main", "policy", {**files, PATH: File(policy.encode())})
    return stage


def test_a_fix_is_told_in_the_policys_language() -> None:
    stage = ruled("language: de\n")
    outcome = stage.run()
    body = stage.github.pulls[0].new.body
    assert outcome.headline.startswith("Pull Request #")
    assert "macht 1 roten Test grün" in stage.comment
    for heading in ("### Ursache und Lösung", "### Tests vorher und nachher", "### Aufwand", "Behoben:"):
        assert f"\n{heading}\n" in body
    assert "### Cause and fix" not in body


@pytest.mark.parametrize(
    ("stage", "state", "words"),
    [
        (Stage(suite=lambda _files: {FIFTY: failed()}), State.UNSOLVED, "### Was helfen würde"),
        (Stage(suite=lambda _files: {FIFTY: passed()}), State.GREEN, "**Noch nichts zu beheben**: alle 1 Tests"),
    ],
)
def test_an_end_without_a_fix_is_told_in_it_too(stage: Stage, state: State, words: str) -> None:
    assert ruled("language: de\n", stage).run().state is state
    assert words in stage.comment


def test_reviewers_that_the_policy_names_are_asked_and_one_who_cannot_be_hinders_nothing() -> None:
    stage = ruled("reviewers: [ann, ghost]\n")
    stage.github.permissions["ann"] = Permission.WRITE
    outcome = stage.run()
    assert outcome.state is State.PUBLISHED
    assert stage.github.reviewers[outcome.pull_request or 0] == ["ann"]
    assert stage.journal.named("reviewers_not_asked")[0]["refused"] == ["ghost"]


def test_a_pull_request_stands_though_nobody_could_be_asked_to_review_it() -> None:
    stage = ruled("reviewers: [ann]\n")
    stage.github.failures["ask_review"] = [ForbiddenError("no", "grant")]
    assert stage.run().state is State.PUBLISHED


@pytest.mark.parametrize(
    ("policy", "trailers"),
    [
        ("", []),
        ("co_authors: true\n", ["Co-authored-by"]),
        ("co_authors: true\nsign_off: true\n", ["Co-authored-by", "Signed-off-by"]),
    ],
)
def test_commits_end_with_the_trailers_that_the_policy_wants(policy: str, trailers: list[str]) -> None:
    stage = ruled(policy)
    stage.run()
    message = stage.github.commits[stage.github.branches["regreen/issue-7"]].message
    assert "Fixes #7" in message
    last = message.rpartition("\n\n")[2]
    assert [line.partition(":")[0] for line in last.splitlines() if "-by:" in line] == trailers


def test_a_branch_that_a_run_left_without_a_pull_request_is_used_again_or_left_alone() -> None:
    same, other = Stage(), Stage()
    same.github.failures["open_pull_request"] = [ForbiddenError("no", "grant")]
    same.run()
    assert same.run().state is State.PUBLISHED
    assert [pull.new.head for pull in same.github.pulls] == ["regreen/issue-7"]
    left = other.github.add_commit("regreen/issue-7", "left", {"other": File(b"1")})
    assert other.run().state is State.PUBLISHED
    assert [pull.new.head for pull in other.github.pulls] == ["regreen/issue-7.2"]
    assert other.github.branches["regreen/issue-7"] == left
