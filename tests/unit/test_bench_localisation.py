"""How the measurement of localisation ranks one fault."""

from dataclasses import replace

from bench.localisation import ranked
from bench.loop.found import Stage
from fakes import FakeClock, MemoryJournal
from fakes_bench import TASK
from fakes_fix import FILES, grading
from fakes_workspace import BASE, ScriptedWorkspace

from bot.pipeline.mend import Terms
from bot.pipeline.ports.job import LoopPorts
from bot.repair.team.roles import Models
from bot.repair.types import BudgetLimits

FIXED = FILES["grades.py"].replace(b"> 50", b">= 50")


def test_the_faulty_function_is_ranked_with_calls_observed_and_without() -> None:
    workspace = ScriptedWorkspace(FILES, grading)
    stage = Stage(BASE, LoopPorts(workspace, Models(), FakeClock(), MemoryJournal()), Terms(BudgetLimits()))
    assert FILES["grades.py"] != FIXED
    found = ranked(stage, replace(TASK, fixed={"grades.py": FIXED}))
    assert found == {"observed": 1, "read": 1}
    assert [name for name, _ in workspace.looks] == ["coverage"]
