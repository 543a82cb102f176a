"""Hostile suites on a real engine: each ends as a run with a state, never as a pass or an exception."""

import secrets
from collections.abc import Iterator

import pytest

from bot.adapters.workspace import DockerWorkspace
from bot.repair.types import WHOLE_SUITE, Base, FileChange, Patch, Selection
from sandbox.containers.ahead import Ahead
from sandbox.containers.engine import DockerEngine
from sandbox.results import screening
from sandbox.spec import MIB, File, Limits, Outcome, Recipe, RunState, Tree

pytestmark = pytest.mark.engine

BASE = Base("owner/name", "c0ffee", Recipe("python", (), ("python3", "-m", "pytest"), "test"))
SLOW = "def test():\n    import time\n    time.sleep(1)\n    import m\n    assert m.x\n"


class Trees:
    def tree(self, repository: str, commit: str) -> Tree:
        del repository, commit
        return {"m.py": File(b"x = 0\n"), "test_it.py": File(b"def test(): pass\n")}


@pytest.fixture
def workspace(engine: DockerEngine, suite_image: str) -> Iterator[DockerWorkspace]:
    limits = Limits(wall_seconds=15, memory=96 * MIB, output_total=4 * MIB, scratch=16 * MIB, tree=16 * MIB)
    ahead = Ahead(engine, bases=1)
    yield DockerWorkspace(ahead, Trees(), lambda _: suite_image, limits, None, 2, lambda: secrets.token_hex(8))
    ahead.close()


def suite(source: str) -> Patch:
    return Patch((FileChange("test_it.py", source.encode()),))


@pytest.mark.parametrize(
    ("source", "state"),
    [
        ("def test():\n    while True: pass\n", RunState.TIMEOUT),
        ("import os\ndef test():\n    while True: os.write(2, b'x' * 65536)\n", RunState.OUTPUT_LIMIT),
        ("def test():\n    a = []\n    while True: a.append(bytearray(10**7))\n", RunState.OOM),
        ("import os\nos._exit(0)\n", RunState.NO_RESULTS),
        ("import missing\n", RunState.COLLECTION_FAILED),
        ("x = 1\n", RunState.NO_TESTS),
        ("import os, signal\ndef test(): os.kill(os.getpid(), signal.SIGKILL)\n", RunState.NO_RESULTS),
        ("import shutil\ndef test(): shutil.rmtree('/regreen', ignore_errors=True)\n", RunState.NO_RESULTS),
    ],
)
def test_a_hostile_suite_is_never_a_pass(workspace: DockerWorkspace, source: str, state: RunState) -> None:
    (run,) = workspace.evaluate(BASE, (suite(source),), WHOLE_SUITE)
    assert run.state is state
    assert Outcome.PASSED not in run.outcomes.values()


def test_nothing_that_a_run_plants_reaches_the_next(workspace: DockerWorkspace) -> None:
    plant = "def test():\n    for d in ('/repo', '/tmp', '/regreen'):\n        open(d + '/planted', 'w').close()\n"
    look = "import glob\ndef test():\n    assert not glob.glob('/*/planted')\n"
    runs = workspace.evaluate(BASE, (suite(plant), suite(look), suite(look)), WHOLE_SUITE)
    assert [(run.state, run.red) for run in runs] == [(RunState.COMPLETE, ())] * 3


def test_screening_survives_hangs_and_crashes_and_restores_the_tree(workspace: DockerWorkspace) -> None:
    good = suite("def test():\n    assert open('m.py').read() == 'x = 0\\n'\n")
    patches = (
        good,
        suite("import os\ndef test(): os._exit(0)\n"),
        suite("while True: pass\n"),
        Patch((FileChange("m.py", None), FileChange("new.py", b""))),
        suite("def test():\n    import os\n    assert not os.path.exists('new.py')\n"),
        good,
    )
    hints = workspace.screen(BASE, patches, Selection(("test_it.py::test",)))
    assert [hint.plausible for hint in hints] == [True, False, False, True, True, True]
    assert hints[2].detail == "timed out"


def test_screening_stops_at_its_deadline_and_says_what_was_left_out(workspace: DockerWorkspace) -> None:
    hints = workspace.screen(BASE, (suite(SLOW),) * 30, WHOLE_SUITE)
    assert hints[0].detail == "failed"
    assert (hints[-1].plausible, hints[-1].detail) == screening.NOT_SCREENED
