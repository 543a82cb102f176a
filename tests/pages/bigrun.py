"""The log of a run with 5,000 tests and 10 attempts, as a repair writes it."""

import random
from dataclasses import replace

from fakes import FakeClock
from fakes_workspace import BASE, run_of

from bot import log
from bot.adapters.journal import FileJournal
from bot.adapters.logs import FileLogs
from bot.repair import record
from bot.repair.types import (
    Attempt,
    Baseline,
    Comparison,
    FileChange,
    Origin,
    Patch,
    Proposal,
    Proposed,
    Reflection,
    Task,
    Usage,
    Verdict,
)
from bot.repair.verify import Trial
from bot.settings import Settings
from sandbox.spec import Outcome, TestResult

TESTS, ATTEMPTS = 5_000, 10
FAILING, WAVERING = 60, 900
"""Tests that fail on the base, and tests that some attempt breaks."""
SOURCE = b"".join(b"def rule_%d(value):\n    return value > %d\n\n\n" % (number, number) for number in range(120))


def write_log(settings: Settings, identity: str) -> None:
    """Write it where the reader looks for the run's."""
    path = FileLogs(settings.data_dir / "runs").directory(identity) / "log.jsonl"
    path.parent.mkdir(parents=True)
    journal = FileJournal(path, FakeClock(), log.redactor(()))
    names = tuple(
        f"tests/area_{number % 40:02}/test_rules_{number // 200:02}.py::test_rule_{number:04}[case-{number % 7}]"
        for number in range(TESTS)
    )
    failing, passing = names[:FAILING], names[FAILING:]
    red = tuple(TestResult(name, Outcome.FAILED, "call", 0.1, "AssertionError", "assert False") for name in failing)
    task = Task(BASE, "Sixty rules are off by one", "See the tests.", failing[:20])
    record.started(journal, task, Baseline(3, red, passing, (), (), 41.0))
    dice = random.Random(5)  # noqa: S311 - no secret hangs on it
    for number in range(1, ATTEMPTS + 1):
        _attempt(journal, number, failing, tuple(dice.sample(passing[:WAVERING], 300)), dice)


def _attempt(
    journal: FileJournal, number: int, failing: tuple[str, ...], broken: tuple[str, ...], dice: random.Random
) -> None:
    fixed = tuple(name for name in failing if dice.random() < number / ATTEMPTS)
    still = tuple(name for name in failing if name not in fixed)
    comparison = Comparison(fixed=fixed, still_failing=still, regressed=broken)
    changed = SOURCE.replace(b"value > %d" % number, b"value >= %d" % number)
    patch = Patch((FileChange("rules.py", changed),))
    proposal = Proposal(patch, Origin.MODEL, f"The boundary of rule {number} is left out.", "search_replace")
    usage = Usage(9_000, 400, 0.04)
    record.proposed(journal, number, Proposed(proposal, usage=usage, reply="A long answer. " * 200), 6.0)
    record.patched(journal, number, patch, {"rules.py": SOURCE})
    run = replace(run_of(dict.fromkeys((*still, *broken), Outcome.FAILED)), output="F" * 4_000, collected=TESTS)
    record.ran(journal, number, Trial("suite", run, comparison))
    attempt = Attempt(
        number,
        Verdict.REGRESSED,
        proposal,
        comparison,
        reason=f"{len(broken)} tests that passed fail",
        failure="assert rule_7(7)",
        reflection=Reflection("The other boundary moved as well", "Look at both ends.", stated=False),
        usage=usage,
        seconds=44.0,
        passed=TESTS - len(still) - len(broken),
        total=TESTS,
        round=number,
    )
    record.judged(journal, attempt)
