"""A session of tests as one of our reporters wrote it, cross-checked against the exit code.

Every reporter writes the same lines: `collected` with a count, a `test` for each test, a `collect_error` for each file
that could not be read, and last `finished` with the exit code that is to be expected and the count again. One that runs
canaries, tests that must fail, says before that in `canaries` how many there were, how many were reported as passed,
and how many tests of the suite were although they raised or were never called.
"""

from collections.abc import Collection
from dataclasses import replace
from importlib.resources import files

from sandbox.results import records
from sandbox.results.plan import ended_early, text, unproven
from sandbox.spec import File, RunResult, RunState, TestResult, TestRun

PASSED, FAILED = 0, 1


def guest(name: str) -> File:
    """One of the files that run inside the container."""
    return File(files("sandbox").joinpath(f"guest/{name}").read_bytes())


def parse(
    result: RunResult, nonce: str, empty: Collection[int] = (PASSED, FAILED), *, canaries: bool = False
) -> TestRun:
    """What the container's end and the reporter's file prove together; anything that does not add up is no pass.

    `empty` are the exit codes with which the runner may end when there was no test. With `canaries`, tests count only
    together with such.
    """
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
    return _judged(report, result, empty, canaries=canaries)


class _Report:
    """The reporter's file, whole. Raises `ValueError` when it is no such file."""

    def __init__(self, data: bytes) -> None:
        self.tests: list[TestResult] = []
        self.errors: list[TestResult] = []
        self.collected: int | None = None
        self.canaries = 0
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
            case "canaries" if not self.canaries:
                self.canaries = _canaries(record)
            case "finished":
                self.finished = records.number(record, "exit"), records.number(record, "count")
            case _:
                raise records.ForgeryError("a line that no reporter writes")


def _canaries(record: records.Record) -> int:
    """How many there were. Raises `ValueError` where outcomes are not what they were."""
    if records.number(record, "passed") or records.number(record, "contradicted"):
        raise records.ForgeryError("a test that must fail was reported as passed")
    return records.number(record, "count")


def _judged(report: _Report, result: RunResult, empty: Collection[int], *, canaries: bool) -> TestRun:
    code = result.exit_code
    if report.errors and code != PASSED:
        run = unproven(RunState.COLLECTION_FAILED, result)
        return replace(run, results=tuple(report.errors), collected=report.collected or 0)
    if code not in {PASSED, FAILED, *empty} and not report.tests:
        return unproven(RunState.NO_RESULTS, result)
    if not _consistent(report, code, empty) or (canaries and report.tests and not report.canaries):
        return unproven(RunState.INCONSISTENT, result)
    if not report.tests:
        return unproven(RunState.NO_TESTS, result)
    return TestRun(RunState.COMPLETE, tuple(report.tests), len(report.tests), code, text(result.output), result.seconds)


def _consistent(report: _Report, code: int | None, empty: Collection[int]) -> bool:
    """Whether exit code, collected count and results tell the same story."""
    count = len({test.node_id for test in report.tests})
    red = any(test.outcome.red for test in report.tests)
    expected = ({FAILED} if red else {PASSED}) if report.tests else empty
    return (
        not report.errors
        and code in expected
        and count == len(report.tests) == report.collected
        and report.finished == (code, count)
    )
