"""Self-Debug over a real trace: the model is scripted, the values are those of a container."""

import secrets
from collections.abc import Iterator

import pytest
from fakes import ScriptedModel

from bot.adapters.workspace import DockerWorkspace
from bot.repair.editing.edits import Rung
from bot.repair.prompting.prompts import Briefing
from bot.repair.prompting.room import Asker, Room
from bot.repair.team.facts import ModelFacts
from bot.repair.team.selfdebug import SelfDebugger
from bot.repair.types import (
    Attempt,
    Base,
    Comparison,
    FileChange,
    Origin,
    Patch,
    Proposal,
    SourceFile,
    Task,
    Usage,
    Verdict,
)
from sandbox.containers.ahead import Ahead
from sandbox.containers.engine import DockerEngine
from sandbox.spec import MIB, File, Limits, Outcome, Recipe, TestResult, Tree

pytestmark = pytest.mark.engine

BASE = Base("owner/name", "c0ffee", Recipe("python", (), ("python3", "-m", "pytest"), "test"))
CART = b"def total(prices):\n    result = 0\n    for price in prices:\n        result -= price\n    return result\n"
TRIED = CART.replace(b"result -= price", b"result = price")
TEST = "test_cart.py::test_total"
RED = TestResult(TEST, Outcome.FAILED, exception="AssertionError", message="assert 2 == 3")
PROPOSAL = Proposal(Patch((FileChange("cart.py", TRIED),)), Origin.MODEL, "", "function")
ATTEMPT = Attempt(1, Verdict.NOT_FIXED, PROPOSAL, Comparison(), "", "", None, Usage(), 0.0, red=(RED,))
FILES = {"cart.py": SourceFile("cart.py", CART)}


class Trees:
    def tree(self, repository: str, commit: str) -> Tree:
        del repository, commit
        test = b"from cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
        return {"cart.py": File(CART), "test_cart.py": File(test)}


@pytest.fixture
def workspace(engine: DockerEngine, suite_image: str) -> Iterator[DockerWorkspace]:
    limits = Limits(wall_seconds=20, memory=128 * MIB, output_total=4 * MIB, scratch=16 * MIB, tree=16 * MIB)
    ahead = Ahead(engine, bases=1)
    yield DockerWorkspace(ahead, Trees(), lambda _: suite_image, limits, None, 2, lambda: secrets.token_hex(8))
    ahead.close()


def test_the_attempts_own_run_contradicts_the_prediction_where_it_goes_wrong(workspace: DockerWorkspace) -> None:
    reply = "PREDICT cart.py:3 | prices | [1, 2]\nPREDICT cart.py:5 | result | 3\n"
    asker = Asker(ScriptedModel([reply]), Room(ModelFacts()))
    briefing = Briefing(Task(BASE, "", "", (TEST,)), (RED,), (), FILES, (ATTEMPT,), Rung.FUNCTION)
    assert SelfDebugger(asker, workspace).observe(briefing) == (
        f"In the run of {TEST}, at cart.py:5, `result` was 2; you predicted 3. 1 earlier prediction came true."
    )
