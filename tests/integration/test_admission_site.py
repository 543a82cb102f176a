"""Refusals through the real adapter, against the stand-in: what GitHub answers is understood, and nothing is spent."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from fakes_bad_github import SiteStage
from github_worlds import Keys, StandInWorld

from bot.demo.stand_in import StandIn
from bot.jobs import State
from bot.pipeline.ports.github import NewPullRequest, Permission
from bot.policy import PATH
from sandbox.spec import File


@pytest.fixture(scope="module")
def keys() -> Keys:
    return Keys.make()


@pytest.fixture(scope="module")
def stand_in(keys: Keys) -> Iterator[StandIn]:
    with StandIn(StandInWorld.config(keys)) as running:
        yield running


@pytest.fixture
def stage(stand_in: StandIn, keys: Keys) -> Iterator[SiteStage]:
    seen = len(stand_in.violations)
    yield SiteStage(StandInWorld(stand_in, keys))
    assert stand_in.violations[seen:] == []


def refused(stage: SiteStage) -> str:
    """Run the job, which must end before it costs anything; returns its headline."""
    outcome = stage.run()
    assert outcome.state is State.REFUSED
    assert [entry["step"] for entry in stage.journal.named("step_started")] == ["admit"]
    assert stage.made() == (0, 0, 0) or "pull request of" in outcome.headline
    return outcome.headline


def test_an_archived_repository_takes_no_word_and_costs_nothing(stage: SiteStage) -> None:
    stage.world.state.archive(stage.world.full_name)
    assert "archived" in refused(stage)
    assert stage.comments == []
    assert "the repository is archived" in str(stage.journal.named("status_not_written")[0]["text"])


def test_an_empty_repository_is_told_from_one_that_cannot_be_read(stage: SiteStage) -> None:
    world, state = stage.world, stage.world.state
    name = f"{world.full_name}-empty"
    repository = state.add_repository(name)
    number = state.open_issue(name, "title").number
    world.full_name, world.repository, world.installation = name, repository, state.install(repository).id
    world.github = type(world.github)(world.tokens, world.installation, name, bot_login="regreen[bot]", pace=world.pace)
    stage.number = number
    stage.issue = replace(stage.issue, repository=name, installation_id=world.installation, issue=number)
    assert "there is no commit on `main`" in refused(stage)
    assert "Push one" in stage.comments[0]


def test_who_is_assigned_is_read(stage: SiteStage) -> None:
    stage.world.push("main", {PATH: File(b"skip_assigned: true\n")})
    stage.world.grant("ann", Permission.WRITE)
    stage.world.state.assign(stage.world.full_name, stage.number, "ann")
    assert "`ann`" in refused(stage)


def test_a_persons_pull_request_for_the_issue_is_found(stage: SiteStage) -> None:
    stage.world.push("theirs", {"a": File(b"1")})
    stage.world.grant("ann", Permission.WRITE)
    stage.world.open_pull(NewPullRequest("theirs", "main", "Mine", f"Closes #{stage.number}", draft=False), by="ann")
    assert "a pull request of `ann` closes this issue already" in refused(stage)


def test_a_permission_that_the_installation_does_not_grant_is_named(stage: SiteStage) -> None:
    granted = stage.world.state.installations[stage.world.installation].permissions
    before = dict(granted)
    granted["contents"] = "read"
    try:
        assert "`contents: write`" in refused(stage)
    finally:
        granted.update(before)
    assert "Grant them on the App's page" in stage.comments[0]


def test_a_faulty_policy_file_is_annotated_on_the_default_branchs_head(stage: SiteStage) -> None:
    head = stage.world.push("main", {PATH: File(b"draft: true\nlable: x\n")})
    assert "policy file cannot be used" in refused(stage)
    assert [(path, first) for path, first, _, _ in stage.world.annotations(head)] == [(PATH, 2)]
