"""The worked examples of this field, with their scripted replies, on real containers."""

import json
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeClock, MemoryJournal, ScriptedModel

from bot.repair.meter import Meter
from bot.repair.prompting.room import Asker, Room
from bot.repair.rules import Rules, World
from bot.repair.solving.solution import SolutionProposer
from bot.repair.solving.solve import SolveReport, plan, solve
from bot.repair.team.facts import ModelFacts
from bot.repair.types import BudgetLimits
from sandbox.spec import Tree

# The egress proxy of the install phase runs in this process, and pytest comes from a registry.
pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.enable_socket]

EXAMPLES = Path(__file__).parent.parent / "examples"


class OneTree:
    """`Trees` of a single tree."""

    def __init__(self, tree: Tree) -> None:
        self.only = tree

    def tree(self, repository: str, commit: str) -> Tree:
        del repository, commit
        return self.only


def run(name: str, engine_sandbox: Any) -> SolveReport:
    folder = EXAMPLES / name
    what = plan((folder / "task.md").read_text(), (folder / "tests.py").read_text())
    replies = json.loads((folder / "replies.json").read_text())
    meter = Meter(BudgetLimits(), FakeClock())
    world = World(engine_sandbox(OneTree(what.tree)).workspace, FakeClock(), MemoryJournal(), meter)
    return solve(what, SolutionProposer(Asker(ScriptedModel(replies), Room(ModelFacts()))), world, Rules())


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir()))
def test_each_example_ends_exactly_as_it_should(name: str, engine_sandbox: Any) -> None:
    expected = json.loads((EXAMPLES / name / "expected.json").read_text())

    report = run(name, engine_sandbox)

    found = report.as_json()
    assert {key: found[key] for key in expected if key != "report_says"} == {
        key: value for key, value in expected.items() if key != "report_says"
    }
    assert expected.get("report_says", "") in "\n".join(report.lines())
