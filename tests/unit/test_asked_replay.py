"""A change that people asked for is decided again from the run's log alone, like any other."""

from pathlib import Path

from fakes import FakeClock, ScriptedModel
from fakes_fix import FILES, MODEL_ALONE, RECIPE, grading
from fakes_followup import FIXED, reply
from fakes_workspace import ScriptedWorkspace

from bot import log
from bot.adapters.journal import FileJournal, read
from bot.pipeline.logs.logged import mend_logged
from bot.pipeline.logs.replay import replay
from bot.pipeline.mend import Terms
from bot.pipeline.ports.job import LoopPorts
from bot.pipeline.steps import Steps
from bot.repair.asked import Spot
from bot.repair.team.roles import Models
from bot.repair.types import Base, Baseline, BudgetLimits

BASE = Base("o/r", "c0ffee", RECIPE)


def nothing(baseline: Baseline) -> tuple[str, ...]:
    assert not baseline.failing
    return ()


def test_a_change_without_a_target_comes_to_the_same_from_its_log_alone(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    redact = log.redactor(())
    journal, clock = FileJournal(path, FakeClock(), redact, redact.conceal), FakeClock()
    model = ScriptedModel([reply("def grade(score):", 'def grade(score):\n    """Fifty passes."""')])
    ports = LoopPorts(ScriptedWorkspace(FILES | {"grades.py": FIXED}, grading), Models(model), clock, journal)
    terms = Terms(BudgetLimits(), facts=MODEL_ALONE, spots=(Spot("grades.py", 1),))
    mended = mend_logged(BASE, ("A review", "Document it"), nothing, ports, Steps(clock, journal), terms)
    assert mended.unshown
    assert mended.result is not None
    assert mended.result.solution is not None
    again = replay(read(path))
    assert (again.same, again.difference, again.solution) == (True, "", mended.result.solution.number)
    assert again.replies == 1
