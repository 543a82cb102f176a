"""Runs of pytest 6 to 9, reported by our plugin and cross-checked against the exit code."""

import json
from dataclasses import replace
from importlib.resources import files

from sandbox.results import records
from sandbox.results.plan import MOUNT, Plan, ended_early, text, unproven
from sandbox.spec import File, Recipe, RunResult, RunState, TestResult, TestRun

PASSED, FAILED, NOTHING_COLLECTED = 0, 1, 5


def plan(recipe: Recipe, node_ids: tuple[str, ...], nonce: str) -> Plan:
    """The recipe's command with our plugin; the node ids go in a file, so that any number of them fits."""
    home = f"/{MOUNT}/{nonce}"
    # A recipe that sets PYTHONPATH itself keeps it.
    command = [
        word.replace("PYTHONPATH=", f"PYTHONPATH={home}:", 1) if word.startswith("PYTHONPATH=") else word
        for word in recipe.test_command
    ]
    return Plan(
        ("env", f"PYTHONPATH={home}", *command, "-p", module(nonce)),
        {**plugin(nonce), f"{nonce}/selection.json": File(json.dumps(node_ids or None).encode())},
    )


def module(nonce: str) -> str:
    """The plugin's module name."""
    return f"regreen_{nonce}"


def plugin(nonce: str) -> dict[str, File]:
    """The plugin's file."""
    source = files("sandbox").joinpath("guest/pytest_plugin.py").read_bytes()
    return {f"{nonce}/{module(nonce)}.py": File(source)}


def parse(result: RunResult, nonce: str) -> TestRun:
    """What the container's end and the plugin's file prove together; anything that does not add up is no pass."""
    early = ended_early(result)
    if early is not None:
        return early
    data = result.results.get(f"{nonce}.jsonl", b"")
    if not data:
        return unproven(RunState.NO_RESULTS, result)
    try:
        report = _Report(data)
    except ValueError:
        return unproven(RunState.INCONSISTENT, result)
    return _judged(report, result)


class _Report:
    """The plugin's file, whole. Raises `ValueError` when it is no such file."""

    def __init__(self, data: bytes) -> None:
        self.tests: list[TestResult] = []
        self.errors: list[TestResult] = []
        self.collected: int | None = None
        self.finished: tuple[int, int] | None = None
        for record in records.records(data):
            self._take(record)

    def _take(self, record: records.Record) -> None:
        match record["kind"]:
            case _ if self.finished is not None:
                raise records.ForgeryError("the file goes on after its end")
            case "test":
                self.tests.append(records.test_result(record))
            case "collect_error":
                self.errors.append(records.collection_error(record))
            case "collected" if self.collected is None:
                self.collected = records.number(record, "count")
            case "finished":
                self.finished = records.number(record, "exit"), records.number(record, "count")
            case _:
                raise records.ForgeryError("a line that the plugin does not write")


def _judged(report: _Report, result: RunResult) -> TestRun:
    code = result.exit_code
    if report.errors and code != PASSED:
        run = unproven(RunState.COLLECTION_FAILED, result)
        return replace(run, results=tuple(report.errors), collected=report.collected or 0)
    if code not in {PASSED, FAILED, NOTHING_COLLECTED} and not report.tests:
        return unproven(RunState.NO_RESULTS, result)
    if not _consistent(report, code):
        return unproven(RunState.INCONSISTENT, result)
    if not report.tests:
        return unproven(RunState.NO_TESTS, result)
    return TestRun(RunState.COMPLETE, tuple(report.tests), len(report.tests), code, text(result.output), result.seconds)


def _consistent(report: _Report, code: int | None) -> bool:
    """Whether exit code, collected count and results tell the same story."""
    count = len({test.node_id for test in report.tests})
    red = any(test.outcome.red for test in report.tests)
    expected = (FAILED if red else PASSED) if report.tests else NOTHING_COLLECTED
    return (
        not report.errors
        and code == expected
        and count == len(report.tests) == report.collected
        and report.finished == (code, count)
    )
