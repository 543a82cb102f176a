"""A written test on a real engine: what its runner says of a failure is what a prediction is held against."""

import secrets
from collections.abc import Iterator, Mapping

import pytest
from fakes import MemoryJournal, ScriptedModel
from fakes_trees import OneTree
from test_other_languages import NODE_TEST, Prepare, manifest, prepare

from bot.adapters.workspace import DockerWorkspace
from bot.repair.measuring.baseline import measure
from bot.repair.ports import Workspace
from bot.repair.prompting.room import Asker, Room
from bot.repair.reproduction.placing import look
from bot.repair.reproduction.reproduce import Reproduction, reproduce
from bot.repair.team.facts import ModelFacts
from bot.repair.team.tester import Tester
from bot.repair.types import Base
from sandbox.containers.ahead import Ahead
from sandbox.containers.engine import DockerEngine
from sandbox.spec import MIB, Limits, Recipe

__all__ = ("prepare",)  # a fixture

pytestmark = pytest.mark.engine

PYTHON = Base("owner/name", "c0ffee", Recipe("python", (), ("python3", "-m", "pytest"), "test"))
ISSUE = "Fifty points should pass\n`grade(50)` gives 'fail'; from 50 points on it is a pass."
FILES = {
    "grades.py": "def grade(score):\n    if score > 50:\n        return 'pass'\n    return 'fail'\n",
    "tests/test_grades.py": "from grades import grade\n\n\ndef test_high():\n    assert grade(90) == 'pass'\n",
    "pytest.ini": "[pytest]\npythonpath = .\n",
}
HEAD = "from grades import grade\n\n\ndef test_fifty():\n"


def answer(code: str, fails_with: str, language: str = "python") -> str:
    return f"CAUSE: a limit\nFAILS WITH: {fails_with}\n```{language}\n{code}```\n"


def reproduced(workspace: Workspace, base: Base, issue: str, *answers: str) -> Reproduction:
    baseline = measure(workspace, base)
    ground = look(workspace, base, baseline, issue, "issue_7")
    assert ground
    tester = Tester(Asker(ScriptedModel(answers), Room(ModelFacts())))
    return reproduce(workspace, MemoryJournal(), baseline, ground, tester, issue)


@pytest.fixture
def python(engine: DockerEngine, suite_image: str) -> Iterator[Workspace]:
    limits = Limits(wall_seconds=60, memory=128 * MIB, scratch=16 * MIB, tree=16 * MIB)
    ahead = Ahead(engine, bases=1)
    trees = OneTree(FILES)
    yield DockerWorkspace(ahead, trees, lambda _: suite_image, limits, None, 2, lambda: secrets.token_hex(8))
    ahead.close()


def test_pytests_words_are_what_was_predicted(python: Workspace) -> None:
    found = reproduced(
        python,
        PYTHON,
        ISSUE,
        answer(f"{HEAD}    import missing_thing\n", "ModuleNotFoundError: No module named 'missing_thing'"),
        answer(
            f"{HEAD[:-19]}def test_it(ghost):\n    assert grade(50) == 'pass'\n",
            "AssertionError: assert 'fail' == 'pass'",
        ),
        answer(f"{HEAD}    assert grade(50) == 'pass'\n", "AssertionError: assert 'fail' == 'pass'"),
    )
    assert found.targets == ("tests/test_issue_7.py::test_fifty",)
    assert "not there" in found.tried[0]
    assert "fails in setup" in found.tried[1]


ADD = "export function add(a, b) {\n  return a - b;\n}\nexport const sub = (a, b) => a - b;\n"
GREEN_NODE = NODE_TEST.replace("assert.equal(add(2, 3), 5)", "assert.equal(add(2, 0), 2)")
NEW_NODE = (
    "import { it } from 'node:test';\nimport assert from 'node:assert';\nimport { add } from './calc.mjs';\n"
    "it('adds what is not zero', () => assert.equal(add(2, 3), 5));\n"
)
GREEN_GO = """\
package calc

import "testing"

func TestZero(t *testing.T) {
	if Add(2, 0) != 2 {
		t.Fatal("no")
	}
}
"""
GO_FILES = {
    "go.mod": "module example.test/calc\n\ngo 1.19\n",
    "calc.go": "package calc\n\nfunc Add(a, b int) int {\n\treturn a - b\n}\n",
    "calc_test.go": GREEN_GO,
}
NEW_GO = (
    'package calc\n\nimport "testing"\n\nfunc TestAddsWhatIsNotZero(t *testing.T) {\n'
    '\tif got := Add(2, 3); got != 5 {\n\t\tt.Errorf("got %d, want 5", got)\n\t}\n}\n'
)
OTHERS: Mapping[str, tuple[Mapping[str, str], str, str]] = {
    "node-test": (
        {"package.json": manifest("node --test"), "calc.mjs": ADD, "calc.test.mjs": GREEN_NODE},
        answer(NEW_NODE, "AssertionError: -1 !== 5", "js"),
        "issue_7.test.mjs::adds what is not zero",
    ),
    "go": (GO_FILES, answer(NEW_GO, "got -1, want 5", "go"), "issue_7_test.go::TestAddsWhatIsNotZero"),
}


@pytest.mark.slow
@pytest.mark.enable_socket
@pytest.mark.parametrize("ecosystem", OTHERS)
def test_other_runners_words_are_too(prepare: Prepare, ecosystem: str) -> None:
    files, reply, target = OTHERS[ecosystem]
    sandbox, base = prepare(dict(files))
    assert base.recipe.ecosystem == ecosystem
    found = reproduced(sandbox.workspace, base, "add(2, 3) in calc gives -1, not 5", reply, reply, reply)
    assert found.targets == (target,), found.tried
