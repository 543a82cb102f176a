"""`Workspace`: the fake of the loop's tests and the real one behave alike."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest
from fakes_workspace import ScriptedWorkspace

from bot.adapters.workspace import DockerWorkspace
from bot.repair.localisation.observed import Observation, Probe
from bot.repair.ports import Workspace
from bot.repair.types import WHOLE_SUITE, Base, FileChange, Patch, Selection, SourceFile
from sandbox.containers.ahead import Ahead
from sandbox.spec import MIB, File, Limits, Outcome, Recipe, RunState, Tree

ADD, SUB = "tests/test_calc.py::test_add", "tests/test_calc.py::test_sub"
BASE = Base("owner/name", "c0ffee", Recipe("python", (), ("python3", "-m", "pytest"), "test"))
BROKEN = b"def add(a, b):\n    return a - b\n\n\ndef sub(a, b):\n    return a - b\n"
RIGHT = BROKEN.replace(b"a - b", b"a + b", 1)
SWAPPED = BROKEN.replace(b"a - b", b"a + b")
FILES = {
    "calc.py": BROKEN,
    "tests/test_calc.py": (
        b"from calc import add, sub\n\n\ndef test_add():\n    assert add(2, 3) == 5\n\n\n"
        b"def test_sub():\n    assert sub(3, 2) == 1\n"
    ),
}
FIX = Patch((FileChange("calc.py", RIGHT),))
SWAP = Patch((FileChange("calc.py", SWAPPED),))
NOTHING = Patch()


@dataclass(frozen=True)
class Trees:
    files: Tree

    def tree(self, repository: str, commit: str) -> Tree:
        assert (repository, commit) == (BASE.repository, BASE.commit)
        return self.files


def calculated(files: Mapping[str, bytes]) -> Mapping[str, Outcome]:
    """What pytest finds in these trees."""
    code = files["calc.py"]
    green = {ADD: code in {RIGHT, SWAPPED}, SUB: code in {RIGHT, BROKEN}}
    return {node_id: Outcome.PASSED if passes else Outcome.FAILED for node_id, passes in green.items()}


CALLED = {
    ADD: (("calc.py", 1), ("tests/test_calc.py", 4)),
    SUB: (("calc.py", 5), ("tests/test_calc.py", 8)),
}
ANSWERS = (
    Observation(Probe("calc.py", 2, "(a, b)"), ("(2, 3)",)),
    Observation(Probe("calc.py", 2, "sum(x * b for x in [a])"), ("6",)),
    Observation(Probe("calc.py", 2, "a / (b - 3)"), ("ZeroDivisionError: division by zero",)),
    Observation(Probe("calc.py", 6, "a"), ()),
    Observation(Probe("nowhere.py", 2, "a"), ()),
)


def scripted(_: pytest.FixtureRequest) -> Workspace:
    workspace = ScriptedWorkspace(FILES, calculated)
    workspace.called = CALLED
    workspace.values = {(ADD, answer.probe): answer.values for answer in ANSWERS}
    return workspace


def docker(request: pytest.FixtureRequest) -> Workspace:
    trees = Trees({path: File(data) for path, data in FILES.items()})
    engine, image = request.getfixturevalue("engine"), request.getfixturevalue("suite_image")
    limits = Limits(wall_seconds=120, memory=256 * MIB)
    ahead = Ahead(engine, bases=1)
    request.addfinalizer(ahead.close)
    return DockerWorkspace(ahead, trees, lambda _: image, limits, None, 2, lambda: secrets.token_hex(8))


@pytest.fixture(params=[scripted, pytest.param(docker, marks=pytest.mark.engine)])
def workspace(request: pytest.FixtureRequest) -> Workspace:
    make: Callable[[pytest.FixtureRequest], Workspace] = request.param
    return make(request)


def test_runs_the_whole_suite_of_the_base_tree(workspace: Workspace) -> None:
    (run,) = workspace.evaluate(BASE, (NOTHING,), WHOLE_SUITE)
    assert run.state is RunState.COMPLETE, run.output
    assert run.outcomes == {ADD: Outcome.FAILED, SUB: Outcome.PASSED}
    assert (run.collected, [result.node_id for result in run.red]) == (2, [ADD])


def test_runs_each_patch_over_the_base_alone_and_keeps_their_order(workspace: Workspace) -> None:
    runs = workspace.evaluate(BASE, (SWAP, FIX, NOTHING), WHOLE_SUITE)
    assert [tuple(result.node_id for result in run.red) for run in runs] == [(SUB,), (), (ADD,)]


def test_runs_only_the_selected_tests(workspace: Workspace) -> None:
    (run,) = workspace.evaluate(BASE, (FIX,), Selection((ADD,)))
    assert run.outcomes == {ADD: Outcome.PASSED}


def test_a_test_that_is_no_more_is_left_out_of_the_results(workspace: Workspace) -> None:
    (run,) = workspace.evaluate(BASE, (FIX,), Selection((ADD, "tests/test_calc.py::test_gone")))
    assert run.outcomes == {ADD: Outcome.PASSED}


def test_screening_tells_plausible_patches_from_others_in_order(workspace: Workspace) -> None:
    hints = workspace.screen(BASE, (NOTHING, FIX, SWAP, NOTHING), Selection((ADD,)))
    assert [hint.plausible for hint in hints] == [False, True, True, False]


def test_no_patches_need_no_run(workspace: Workspace) -> None:
    assert workspace.evaluate(BASE, (), WHOLE_SUITE) == ()
    assert workspace.screen(BASE, (), WHOLE_SUITE) == ()


def test_reads_the_base_trees_files_and_leaves_missing_ones_out(workspace: Workspace) -> None:
    assert workspace.paths(BASE) == ("calc.py", "tests/test_calc.py")
    assert workspace.read(BASE, ("calc.py", "nowhere.py")) == (SourceFile("calc.py", BROKEN),)


def test_tells_what_each_selected_test_calls(workspace: Workspace) -> None:
    covered = workspace.coverage(BASE, FIX, WHOLE_SUITE)
    assert {one.node_id: one.functions for one in covered} == CALLED
    (only,) = workspace.coverage(BASE, NOTHING, Selection((SUB,)))
    assert (only.node_id, only.functions) == (SUB, CALLED[SUB])


def test_answers_probes_in_their_order_and_bounds_how_many(workspace: Workspace) -> None:
    probes = tuple(answer.probe for answer in ANSWERS)
    assert workspace.trace(BASE, NOTHING, ADD, probes) == ANSWERS
    assert len(workspace.trace(BASE, NOTHING, ADD, probes * 10)) == 10
    assert workspace.trace(BASE, NOTHING, ADD, ()) == ()
