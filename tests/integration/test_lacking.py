"""What a repository asks for and gets nowhere in the sandbox is said wherever it may explain the outcome."""

from fakes_fix import Stage
from fakes_workspace import ScriptedWorkspace

from bot.jobs import State
from bot.repair.types import Base
from sandbox.spec import Egress, Given, Recipe, RunState, TestRun

SENTENCE = ".github/workflows/ci.yml:4 starts services (redis); there are none in the sandbox."


class Lacking:
    """Prepares an environment that lacks something."""

    def prepare(self, repository: str, commit: str, given: Given) -> Base:
        del given
        recipe = Recipe("python", (), ("python", "-m", "pytest"), "pyproject.toml:1", unmet=(SENTENCE,))
        return Base(repository, commit, recipe)

    def egress(self) -> tuple[Egress, ...]:
        return ()


def test_a_pull_request_says_what_its_runs_lacked() -> None:
    stage = Stage(environments=Lacking())
    assert stage.run().state is State.PUBLISHED
    assert "What the sandbox lacks" in stage.github.pulls[0].new.body
    assert "starts services" in stage.github.pulls[0].new.body


def test_a_failure_that_does_not_show_here_comes_with_what_may_be_why() -> None:
    stage = Stage(environments=Lacking())
    assert stage.run(stage.check("FAILED tests/test_net.py::test_online - OSError")).state is State.NOT_REPRODUCED
    assert "starts services" in stage.github.checks[0].summary


def test_a_suite_that_cannot_be_measured_comes_with_what_may_be_why() -> None:
    workspace = ScriptedWorkspace({}, lambda _: TestRun(RunState.COLLECTION_FAILED))
    stage = Stage(environments=Lacking(), workspace=workspace)
    assert stage.run().state is State.FAILED
    assert "Make the tests importable" in stage.comment
    assert "starts services" in stage.comment


def test_nothing_is_said_where_nothing_lacks() -> None:
    stage = Stage()
    stage.run()
    assert "lacks" not in stage.github.pulls[0].new.body
