"""A whole job while GitHub fails: nothing is made twice, nothing found is lost, and the comment says what happened."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes_bad import KeptJournal, assert_said, assert_whole, seen
from fakes_bad_github import SiteStage
from github_worlds import Keys, StandInWorld

from bot.demo.faults import Effect, Fault
from bot.demo.stand_in import StandIn
from bot.jobs import State

ALWAYS = 99


@pytest.fixture(scope="module")
def keys() -> Keys:
    return Keys.make()


@pytest.fixture(scope="module")
def stand_in(keys: Keys) -> Iterator[StandIn]:
    with StandIn(StandInWorld.config(keys)) as running:
        yield running


@pytest.fixture
def stage(stand_in: StandIn, keys: Keys) -> Iterator[SiteStage]:
    world = StandInWorld(stand_in, keys)
    permissions = stand_in.state.installations[world.installation].permissions
    granted = dict(permissions)
    yield SiteStage(world)
    permissions.update(granted)
    stand_in.state.faults.clear()


def strike(stage: SiteStage, fault: Fault) -> None:
    stage.world.state.inject(fault)


CREATIONS = {
    "comment": "/issues/1/comments$",
    "file": "/git/blobs$",
    "tree": "/git/trees$",
    "commit": "/git/commits$",
    "branch": "/git/refs$",
    "pull request": "/pulls$",
}


@pytest.mark.parametrize("path", CREATIONS.values(), ids=CREATIONS)
@pytest.mark.parametrize("after_effect", [False, True], ids=["without effect", "with effect"])
def test_a_creation_that_ended_in_doubt_leaves_exactly_one_of_each(
    stage: SiteStage, path: str, *, after_effect: bool
) -> None:
    strike(stage, Fault("POST", path, after_effect=after_effect))
    outcome = stage.run()
    assert stage.made() == (1, 1, 1)
    assert_said(stage.comments, "turns 1 failing test green", f"#{outcome.pull_request}")
    assert_whole(stage.journal.events, outcome, State.PUBLISHED, attempts=len(stage.journal.named("proposal")))


@pytest.mark.parametrize("after_effect", [False, True], ids=["without effect", "with effect"])
def test_a_check_run_whose_creation_ended_in_doubt_is_one(stage: SiteStage, *, after_effect: bool) -> None:
    strike(stage, Fault("POST", "/check-runs$", after_effect=after_effect))
    outcome = stage.run(stage.check())
    assert stage.made() == (1, 1, 1)
    assert_said(stage.summaries, "turns 1 failing test green", f"#{outcome.pull_request}")


AFTER = 3000
PUBLISHING = {
    "502": (Fault("POST", "/pulls$", times=ALWAYS), "GitHub answered 502 while opening the pull", "Ask again later"),
    "403": (
        Fault("POST", "/pulls$", status=403, headers={"X-Accepted-GitHub-Permissions": "pull_requests=write"}),
        "GitHub forbade opening the pull request",
        "Grant the App the permission pull_requests=write",
    ),
    "404": (
        Fault("POST", "/pulls$", status=404),
        "GitHub knows no such thing while opening the pull",
        "the App is installed",
    ),
    "422": (Fault("POST", "/pulls$", status=422), "GitHub refused opening the pull request (422)", "See the reason"),
    "primary limit": (
        Fault("POST", "/pulls$", Effect.PRIMARY_LIMIT, seconds=AFTER),
        "GitHub's rate limit was exhausted while opening the pull request; it resets at 20",
        "Ask again later",
    ),
    "secondary limit": (
        Fault("POST", "/pulls$", Effect.SECONDARY_LIMIT, seconds=AFTER),
        f"GitHub's rate limit was exhausted while opening the pull request; it asks to wait {AFTER} s",
        "Ask again later",
    ),
    "commit forbidden": (
        Fault("POST", "/git/blobs$", status=403, headers={"X-Accepted-GitHub-Permissions": "contents=write"}),
        "GitHub forbade writing a file",
        "Grant the App the permission contents=write",
    ),
}


@pytest.mark.parametrize(("fault", "cause", "remedy"), PUBLISHING.values(), ids=PUBLISHING)
def test_a_fix_that_github_does_not_take_stands_in_the_comment(
    stage: SiteStage, fault: Fault, cause: str, remedy: str
) -> None:
    strike(stage, fault)
    outcome = stage.run()
    text = assert_said(stage.comments, f"a fix was found but not published: {cause}", remedy)
    assert "+    if score >" in text
    assert max(stage.world.waits, default=0) < AFTER
    assert stage.made()[2] == 0
    assert_whole(stage.journal.events, outcome, State.FAILED, attempts=len(stage.journal.named("proposal")))


def test_what_a_failed_publishing_left_is_used_by_the_next_label(stage: SiteStage) -> None:
    strike(stage, Fault("POST", "/pulls$", status=403))
    stage.run()
    assert stage.made() == (1, 1, 0)
    assert stage.run().state is State.PUBLISHED
    assert stage.made() == (1, 1, 1)
    assert_said(stage.comments, "turns 1 failing test green", "nothing broke")


MISSING = {
    "pull_requests": (
        State.REFUSED,
        "the App lacks permissions: `pull_requests: write`",
        "Grant them on the App's page",
    ),
    "contents": (State.FAILED, "minting a token", "accept it in the installation's settings"),
}


@pytest.mark.parametrize(("name", "expected"), MISSING.items(), ids=MISSING)
def test_a_permission_that_the_installation_lacks_is_named(
    stage: SiteStage, name: str, expected: tuple[State, str, str]
) -> None:
    state, *said = expected
    del stage.world.state.installations[stage.world.installation].permissions[name]
    outcome = stage.run()
    assert_said(stage.comments, *said)
    assert_whole(stage.journal.events, outcome, state)


@pytest.mark.parametrize("status", [404, 410])
def test_an_issue_that_goes_in_the_middle_takes_nothing_else_with_it(stage: SiteStage, status: int) -> None:
    stage.meanwhile.act = lambda: strike(stage, Fault("*", "/issues/1(/|$)", status=status, times=ALWAYS))
    outcome = stage.run()
    assert stage.made() == (1, 1, 1)
    (kept,) = stage.journal.named("status_not_written")
    assert "GitHub knows no such thing while reading the comments" in str(kept["cause"])
    assert "turns 1 failing test green" in str(kept["text"])
    assert_whole(stage.journal.events, outcome, State.PUBLISHED, attempts=len(stage.journal.named("proposal")))


def test_a_comment_that_can_never_be_written_stands_in_the_run_log(stage: SiteStage) -> None:
    strike(stage, Fault("POST", "/comments$", times=ALWAYS))
    outcome = stage.run()
    (kept,) = stage.journal.named("status_not_written")
    assert seen(str(kept["text"])).startswith("**Could not finish**: GitHub answered 502 while writing the comment")
    assert (stage.comments, stage.made()) == ([], (0, 0, 0))
    assert_whole(stage.journal.events, outcome, State.FAILED)


def test_a_repository_that_cannot_be_read_is_said_so_below_the_issue(stage: SiteStage) -> None:
    strike(stage, Fault("GET", f"{stage.world.full_name}$", status=404))
    outcome = stage.run()
    assert_said(stage.comments, "no such thing while reading the repository", "that the App is installed")
    assert_whole(stage.journal.events, outcome, State.FAILED)


def test_an_exhausted_limit_on_a_read_names_its_reset(stage: SiteStage) -> None:
    strike(stage, Fault("GET", f"{stage.world.full_name}$", Effect.PRIMARY_LIMIT, seconds=AFTER))
    outcome = stage.run()
    assert_said(
        stage.comments, "rate limit was exhausted while reading the repository; it resets at", "Ask again later"
    )
    assert_whole(stage.journal.events, outcome, State.FAILED)


def test_a_short_secondary_limit_is_waited_for(stage: SiteStage) -> None:
    strike(stage, Fault("POST", "/comments$", Effect.SECONDARY_LIMIT, seconds=7))
    outcome = stage.run()
    assert 7.0 in stage.world.waits
    assert stage.made() == (1, 1, 1)
    assert_said(stage.comments, "turns 1 failing test green", f"#{outcome.pull_request}")


def test_a_branch_that_was_deleted_before_the_run_is_said_and_nothing_is_started(stage: SiteStage) -> None:
    stage.world.state.delete_branch(stage.world.full_name, "main")
    outcome = stage.run()
    assert_said(stage.comments, "there is no commit on `main`", "Push one")
    assert_whole(stage.journal.events, outcome, State.REFUSED)


def test_a_branch_that_is_deleted_during_the_run_leaves_the_fix_in_the_comment(stage: SiteStage) -> None:
    stage.meanwhile.act = lambda: stage.world.state.delete_branch(stage.world.full_name, "main")
    outcome = stage.run()
    text = assert_said(stage.comments, "the branch main was deleted meanwhile", "Restore it, then put the label on")
    assert "+    if score >" in text
    assert stage.made() == (0, 0, 0)
    assert_whole(stage.journal.events, outcome, State.FAILED, attempts=len(stage.journal.named("proposal")))


def test_a_red_check_whose_branch_goes_is_told_in_its_check_run(stage: SiteStage) -> None:
    job = stage.check()
    stage.world.state.delete_branch(stage.world.full_name, "main")
    outcome = stage.run(job)
    assert_said(stage.summaries, "the branch `main` is gone", "unless it was deleted by mistake")
    assert_whole(stage.journal.events, outcome, State.REFUSED)


def test_job_logs_that_may_not_be_read_are_told_in_the_check_run(stage: SiteStage) -> None:
    del stage.world.state.installations[stage.world.installation].permissions["actions"]
    outcome = stage.run(stage.check())
    assert_said(stage.summaries, "minting a token", "Grant the App actions: read")
    assert_whole(stage.journal.events, outcome, State.FAILED)


FETCHING = {
    "502": (502, "Git could not bring owner/r", "Ask again later; nothing was lost"),
    "403": (403, "may not be read", "Grant the App the permission contents: read"),
    "404": (404, "There is no repository owner/r", "that the App is installed on it"),
}


@pytest.mark.parametrize(("status", "cause", "remedy"), FETCHING.values(), ids=FETCHING)
def test_a_fetch_that_github_refuses_is_quoted_without_the_token(
    stage: SiteStage, tmp_path: Path, status: int, cause: str, remedy: str
) -> None:
    stage.sources = stage.mirrors(tmp_path)
    strike(stage, Fault("GET", "/info/refs$", status=status, times=ALWAYS))
    outcome = stage.run()
    text = assert_said(stage.comments, cause, remedy)
    assert not [token for token in stage.world.state.tokens if token in text]
    assert_whole(stage.journal.events, outcome, State.FAILED)


def test_no_token_and_no_key_is_in_any_comment_or_log(
    stage: SiteStage,
    keys: Keys,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    stage.journal = KeptJournal(tmp_path / "log.jsonl")
    for fault in (
        Fault("POST", "/access_tokens$"),
        Fault("GET", f"{stage.world.full_name}$"),
        Fault("POST", "/comments$", after_effect=True),
        Fault("POST", "/git/refs$", Effect.DROP),
        Fault("POST", "/pulls$", times=ALWAYS),
    ):
        strike(stage, fault)
    stage.run()
    out, err = capfd.readouterr()
    written = "\n".join([*stage.comments, (tmp_path / "log.jsonl").read_text(), caplog.text, out, err])
    assert "a fix was found but not published" in written
    tokens = list(stage.world.state.tokens)
    assert tokens
    assert not [token for token in tokens if token in written]
    assert keys.private.splitlines()[1] not in written
    assert "eyJ" not in written
