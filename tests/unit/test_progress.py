"""What a person reads while something is under way: one style, and nothing that steers the terminal."""

import io
import logging
import sys
import time

import pytest
import structlog
from pydantic import SecretStr
from rich.console import Console

from bot import log
from bot.commands.progress import Telling
from bot.progress import Progress
from bot.repair import record
from bot.repair.ports import Json
from bot.repair.types import Attempt, Comparison, Usage, Verdict
from bot.run_progress import RunProgress


class Kept:
    def __init__(self) -> None:
        self.events: list[str] = []

    def append(self, event: str, fields: Json) -> None:
        del fields
        self.events.append(event)


def off_terminal(patience: float | None = None) -> tuple[Progress, io.StringIO]:
    written = io.StringIO()
    return Progress(Console(file=written, highlight=False), patience), written


def test_steps_baseline_and_attempts_are_lines_and_every_event_is_kept() -> None:
    kept, (progress, written) = Kept(), off_terminal()
    journal = Telling(kept, RunProgress(progress))
    journal.append("step_started", {"step": "baseline"})
    journal.append("step_ended", {"step": "baseline", "seconds": 2.04})
    journal.append("baseline", {"failing": ["a", "b"], "passing": 3, "flaky": (), "runs": 3, "targets": ["a"]})
    reason = "x\x1b[2J\n  1 tests pass"
    attempt = Attempt(1, Verdict.REGRESSED, None, Comparison(fixed=("a",)), reason, "", None, Usage(), 0.1)
    record.judged(journal, attempt)
    assert kept.events == ["step_started", "step_ended", "baseline", "attempt"]
    assert written.getvalue().splitlines() == [
        "✓ baseline      2.0 s",
        "  3 tests pass and 2 fail, in 3 runs; to turn green:",
        "    ✗ a",
        "attempt 1: regressed  (1 fixed)",
        "    x 1 tests pass",
    ]


@pytest.mark.parametrize("fields", [{}, {"failing": 3, "deltas": [], "number": "x", "seconds": None, "step": 1}])
def test_a_damaged_line_of_a_log_breaks_nothing(fields: Json) -> None:
    progress, _ = off_terminal()
    run = RunProgress(progress, idle="waiting")
    for event in ("step_started", "step_ended", "baseline", "proposal", "attempt", "stop", "ended", "never heard of"):
        run.entry(event, fields)


def test_off_a_terminal_what_takes_long_is_said_and_what_does_not_is_not() -> None:
    progress, written = off_terminal(patience=0.01)
    with progress.doing("building"):
        while "building …" not in written.getvalue():
            time.sleep(0.01)
    quick, nothing = off_terminal(patience=3600)
    with quick.doing("building"):
        pass
    assert nothing.getvalue() == ""


def test_on_a_terminal_a_spinner_turns_and_leaves_nothing_but_the_lines() -> None:
    written = io.StringIO()
    progress = Progress(Console(file=written, force_terminal=True, highlight=False, width=80))
    with progress.doing("building\x1b]0;x\x07"):
        progress.note("fetching\x1b[31m")
        progress.line("one thing is built")
    assert "one thing is built" in written.getvalue()
    assert "building" in written.getvalue()
    assert "\x1b]0;" not in written.getvalue()
    assert written.getvalue().endswith("\x1b[2K")  # the spinner's line is wiped


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("value", "coloured"), [("", True), ("1", False)])
def test_logs_on_a_terminal_are_coloured_unless_that_is_not_wanted(
    monkeypatch: pytest.MonkeyPatch, value: str, *, coloured: bool
) -> None:
    written = Terminal()
    monkeypatch.setenv("NO_COLOR", value)
    monkeypatch.setattr(sys, "stderr", written)
    log.configure("info", log.redactor(()))
    try:
        structlog.get_logger().warning("something")
    finally:
        structlog.reset_defaults()
        logging.getLogger().handlers.clear()
    assert ("\x1b[" in written.getvalue()) is coloured


def test_what_a_command_logs_is_told_redacted_and_printed_nowhere_else(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[str, str, dict[str, object]]] = []
    log.configure(
        "info",
        log.redactor([SecretStr("sixteen-letters-x")]),
        told=lambda *said: told.append((*said[:2], dict(said[2]))),
    )
    try:
        structlog.get_logger().warning("not_kept", cause="sixteen-letters-x")
        logging.getLogger("library").warning("deprecated")
    finally:
        structlog.reset_defaults()
        logging.getLogger().handlers.clear()
    assert told[0] == ("warning", "not_kept", {"cause": log.MASK})
    assert told[1][:2] == ("warning", "deprecated")
    assert capsys.readouterr().err == ""


def test_no_colour_means_none() -> None:
    written = io.StringIO()
    progress = Progress(Console(file=written, force_terminal=True, no_color=True, highlight=False), None)
    RunProgress(progress).entry("attempt", {"number": 1, "verdict": "regressed"})
    assert "[31m" not in written.getvalue()
    assert "[33m" not in written.getvalue()
