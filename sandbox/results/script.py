"""Runs of a plain script of assertions: one result, believed only with the exit code and the closing line."""

import itertools
import re
from collections.abc import Iterator

from sandbox.results.plan import Plan, ended_early, text
from sandbox.spec import Frame, Outcome, Recipe, RunResult, RunState, TestResult, TestRun

_MESSAGE = 4000
_FRAMES = 16
_HEADING = "Traceback (most recent call last):"
_FRAME = re.compile(r'  File "(?P<path>[^"]+)", line (?P<line>\d{1,7})(?:, in (?P<function>.{1,200}))?$')
_ERROR = re.compile(r"(?P<kind>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?$")


def plan(recipe: Recipe) -> Plan:
    """The recipe's command as it is."""
    return Plan(recipe.test_command)


def parse(recipe: Recipe, result: RunResult) -> TestRun:
    """One result, named after the script. Passed: exit code 0, and the closing line last where there is one."""
    early = ended_early(result)
    if early is not None:
        return early
    output = text(result.output)
    return TestRun(RunState.COMPLETE, (_result(recipe, result, output),), 1, result.exit_code, output, result.seconds)


def _result(recipe: Recipe, result: RunResult, output: str) -> TestResult:
    node_id = recipe.test_command[-1]
    lines = [line.rstrip() for line in output.splitlines()]
    last = next((line for line in reversed(lines) if line), "")
    if result.exit_code == 0:
        if recipe.closing_line is None or last == recipe.closing_line.strip():
            return TestResult(node_id, Outcome.PASSED, seconds=result.seconds)
        message = f"It ended with code 0, but its last line is {last[:200]!r}, not {recipe.closing_line!r}."
        return TestResult(node_id, Outcome.FAILED, seconds=result.seconds, message=message)
    exception, message, frames = _traceback(lines)
    if not exception:
        message = f"It ended with code {result.exit_code}: {last[:500]}"
    return TestResult(node_id, Outcome.FAILED, "call", result.seconds, exception, message, frames)


def _traceback(lines: list[str]) -> tuple[str, str, tuple[Frame, ...]]:
    """Exception, message and frames of the last traceback, as CPython prints it; empty where there is none."""
    start = max((number for number, line in enumerate(lines) if line == _HEADING), default=-1)
    frames: list[Frame] = []
    source = ""
    for number in range(start + 1, len(lines)):
        line = lines[number]
        match, error = _FRAME.match(line), _ERROR.match(line)
        if match:
            frames.append(Frame(match["path"].removeprefix("/repo/"), int(match["line"]), match["function"] or ""))
            source = ""
        elif frames and error:
            message = "\n".join([error["message"] or "", *_paragraph(lines[number + 1 :])]).strip() or source
            inside = tuple(frame for frame in frames if not frame.path.startswith(("/", "<")))
            return error["kind"], message[:_MESSAGE], inside[-_FRAMES:]
        elif frames and not source:
            # An assertion without a message is told by its source line, which stands right below its frame.
            source = line.strip()
    return "", "", ()


def _paragraph(lines: list[str]) -> Iterator[str]:
    return itertools.takewhile(bool, lines)
