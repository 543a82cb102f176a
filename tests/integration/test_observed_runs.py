"""Coverage and traces of suites that nobody trusts, on both runtimes: hints or nothing, never an error."""

import secrets
from collections.abc import Iterator

import pytest

from bot.adapters.workspace import DockerWorkspace
from bot.repair.localisation.observed import Probe
from bot.repair.types import WHOLE_SUITE, Base, FileChange, Patch, Selection
from sandbox.containers.ahead import Ahead
from sandbox.containers.engine import DockerEngine
from sandbox.spec import MIB, File, Limits, Recipe, Tree

pytestmark = pytest.mark.engine

BASE = Base("owner/name", "c0ffee", Recipe("python", (), ("python3", "-m", "pytest"), "test"))
MODULE = b"def twice(x):\n    y = x * 2\n    return y\n"


class Trees:
    def tree(self, repository: str, commit: str) -> Tree:
        del repository, commit
        return {"m.py": File(MODULE), "test_it.py": File(b"import m\ndef test(): assert m.twice(3) == 6\n")}


@pytest.fixture
def workspace(engine: DockerEngine, suite_image: str, runtime: str | None) -> Iterator[DockerWorkspace]:
    limits = Limits(wall_seconds=20, memory=128 * MIB, output_total=4 * MIB, scratch=16 * MIB, tree=16 * MIB)
    ahead = Ahead(engine, bases=1)
    yield DockerWorkspace(ahead, Trees(), lambda _: suite_image, limits, runtime, 2, lambda: secrets.token_hex(8))
    ahead.close()


def suite(source: str) -> Patch:
    return Patch((FileChange("test_it.py", source.encode()),))


def test_calls_and_values_are_told_on_both_runtimes(workspace: DockerWorkspace) -> None:
    (covered,) = workspace.coverage(BASE, Patch(), Selection(("test_it.py::test",)))
    assert (covered.node_id, covered.functions) == ("test_it.py::test", (("m.py", 1), ("test_it.py", 2)))
    probes = Probe("m.py", 3, "(x, y)"), Probe("m.py", 3, "z")
    values = [seen.values for seen in workspace.trace(BASE, Patch(), "test_it.py::test", probes)]
    assert values == [("(3, 6)",), ("NameError: name 'z' is not defined",)]


@pytest.mark.parametrize(
    "source",
    [
        "import missing\n",
        "x = 1\n",
        "import os\nos._exit(0)\n",
        "import shutil\ndef test(): shutil.rmtree('/regreen', ignore_errors=True)\n",
        "def test():\n    a = []\n    while True: a.append(bytearray(10**7))\n",
    ],
)
def test_what_cannot_be_observed_tells_nothing(workspace: DockerWorkspace, source: str) -> None:
    assert workspace.coverage(BASE, suite(source), WHOLE_SUITE) == ()
    told = workspace.trace(BASE, suite(source), "test_it.py::test", (Probe("m.py", 3, "x"),))
    assert not any(seen.values for seen in told)


def test_a_forged_file_names_no_file_outside_of_the_tree(workspace: DockerWorkspace) -> None:
    forged = (
        "import glob, json, m\n"
        "def test():\n"
        "    m.twice(1)\n"
        "    for path in glob.glob('/regreen/results/*.observed.jsonl'):\n"
        "        with open(path, 'a') as file:\n"
        "            told = {'id': 'forged', 'called': {'../x.py': [1], '/etc/passwd': [1], 'm.py': [1]}}\n"
        "            file.write(json.dumps(told) + '\\n' + 'x' * 100 + '\\n')\n"
    )
    covered = {one.node_id: one.functions for one in workspace.coverage(BASE, suite(forged), WHOLE_SUITE)}
    assert covered["forged"] == (("m.py", 1),)
    assert ("m.py", 1) in covered["test_it.py::test"]


def test_a_change_to_what_a_build_was_made_from_is_not_looked_at(workspace: DockerWorkspace) -> None:
    workspace.generated = lambda _: ("m.so",)
    patch = Patch((FileChange("m.c", b"int x;\n"),))
    assert workspace.coverage(BASE, patch, WHOLE_SUITE) == ()
