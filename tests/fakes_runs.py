"""Run logs as a real repair writes them, over a scripted workspace and model."""

from dataclasses import replace
from pathlib import Path

from fakes import FakeClock, ScriptedModel
from fakes_fix import FILES, RECIPE, grading
from fakes_workspace import ScriptedWorkspace

from bot import log
from bot.adapters.journal import FileJournal
from bot.codec import canonical
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


def write_wide_run(path: Path, tests: int = 5_000, attempts: int = 10) -> None:
    """A run of many tests and attempts, each of which changes tests of its own: nearly every row is another one."""
    journal = FileJournal(path, FakeClock(step=0.25), log.redactor(()))
    ids = [f"tests/unit/test_module_{at % 97:02}.py::TestWide::test_behaviour_number_{at:05}" for at in range(tests)]
    red = ids[: tests // 10]
    every = {"failing": red, "passing": ids[len(red) :], "flaky": [], "skipped": []}
    counts = {"failing": red[:200], "flaky": [], "passing": tests - len(red), "skipped": 0}
    journal.append("baseline", {"targets": red[:5], **counts})
    journal.record("suite", {}, canonical(every))
    for number in range(1, attempts + 1):
        fixed = [one for at, one in enumerate(red) if at % (number + 1) == 0]
        broken = [one for at, one in enumerate(every["passing"]) if (at * 2_654_435_761 >> number) & 1]
        deltas = {"fixed": fixed, "still_failing": [one for one in red if one not in fixed], "regressed": broken}
        journal.append("proposal", {"number": number, "origin": "model", "explanation": "CAUSE: one\nPREDICTION: two"})
        diff = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-old\n+new\n"
        journal.record("patch", {"number": number, "paths": ["a.py"]}, diff.encode())
        said = {"number": number, "state": "complete", "scope": "suite", "collected": tests, "red": len(broken)}
        journal.append("run", said | {"output": "", "seconds": 12.5})
        shown = {name: found[:200] for name, found in deltas.items()}
        journal.append("attempt", {"number": number, "verdict": "regressed", "reason": "broke", "deltas": shown})
        journal.record("deltas", {"number": number}, canonical(deltas))
    journal.append("ended", {"state": "unsolved", "headline": "No fix: iterations", "stop": "iterations"})
