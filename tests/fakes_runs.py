"""Run logs as a real repair writes them, over a scripted workspace and model."""

from dataclasses import replace
from pathlib import Path

from fakes import FakeClock, ScriptedModel
from fakes_fix import FILES, RECIPE, grading
from fakes_workspace import ScriptedWorkspace

from bot import log
from bot.adapters.journal import FileJournal
from bot.pipeline.logs.logged import mend_logged
from bot.pipeline.mend import Terms
from bot.pipeline.ports.job import LoopPorts
from bot.pipeline.steps import Steps
from bot.repair.team.capabilities import assumed
from bot.repair.team.facts import Facts, ModelFacts
from bot.repair.team.roles import Models
from bot.repair.types import Base, Baseline, BudgetLimits

FIX = """\
CAUSE: fifty is left out
PREDICTION: fifty passes, all others stay as they are
grades.py
<<<<<<< SEARCH
    if score > 50:
=======
    if score >= 50:
>>>>>>> REPLACE
"""
WRONG = FIX.replace(">= 50:", "> 51:")


def write_run(path: Path, replies: tuple[str, ...] = (WRONG, FIX), state: str = "published") -> None:
    """A run whose model gives these replies, as the pipeline logs it."""
    facts = Facts(ModelFacts(can=replace(assumed(""), search=False)))
    redact = log.redactor(())
    clock = FakeClock(step=0.25)
    journal = FileJournal(path, clock, redact, redact.conceal)
    ports = LoopPorts(
        ScriptedWorkspace(FILES, grading), Models(coder=ScriptedModel([*replies, *[FIX] * 20])), clock, journal
    )
    steps = Steps(clock, journal)
    for name in ("admit", "fetch", "prepare"):
        with steps.step(name):
            clock.now()
    about = ("Fifty should pass", "A grade of fifty fails, though fifty is enough.")
    base = Base("owner/grades", "c0ffee" * 6 + "c0ff", RECIPE)
    mend_logged(base, about, _failing, ports, steps, Terms(BudgetLimits(), facts=facts))
    with steps.step("publish"):
        clock.now()
    journal.append("ended", {"state": state, "headline": "Opened pull request #1", "stop": "solved"})


def _failing(baseline: Baseline) -> tuple[str, ...]:
    return baseline.failing_ids
