"""A file of results is the workload's: what it can make us hold is bounded."""

import json
import tracemalloc
from typing import Any

import pytest

from sandbox.results import pytest as pytest_results
from sandbox.results import records, screening, script
from sandbox.spec import Recipe, RunResult, RunState, TestRun, Verdict

NONCE = "ab12"


def told(number: int, **fields: Any) -> bytes:
    return (
        json.dumps({"kind": "test", "id": f"t{number}", "outcome": "failed", "seconds": 0, **fields}).encode() + b"\n"
    )


def ended(data: bytes, code: int = 1) -> RunResult:
    sealed = pytest_results.sealed(data, NONCE)
    results = {f"{NONCE}.jsonl": data, f"{pytest_results.public(NONCE)}.jsonl": sealed}
    return RunResult(Verdict.EXITED, code, b"", output_truncated=False, results=results)


def parsed(tests: list[bytes]) -> TestRun:
    count = len(tests)
    first = b'{"kind": "collected", "count": %d}\n' % count
    last = b'{"kind": "canaries", "count": 1, "passed": 0, "contradicted": 0}\n'
    last += b'{"kind": "finished", "exit": 1, "count": %d}\n' % count
    return pytest_results.parse(ended(first + b"".join(tests) + last), NONCE)


WITH_FRAMES = told(0, frames=[["a", 1, "f"]] * 10)


@pytest.mark.parametrize("seconds", ["1" + "0" * 400, "1e400", "-0.1", "NaN", "1" * 5000])
def test_a_duration_that_is_no_float_is_inconsistent_and_no_error_of_ours(seconds: str) -> None:
    line = b'{"kind": "test", "id": "a", "outcome": "failed", "seconds": %b}\n' % seconds.encode()
    assert parsed([line]).state is RunState.INCONSISTENT


@pytest.mark.parametrize("count", ["1" + "0" * 400, "-" + "9" * 20])
def test_a_count_that_no_store_takes_is_inconsistent(count: str) -> None:
    data = b'{"kind": "collect_error", "id": "a"}\n{"kind": "collected", "count": %b}\n' % count.encode()
    assert pytest_results.parse(ended(data, 2), NONCE).state is RunState.INCONSISTENT


def test_the_frames_of_one_result_and_of_all_are_bounded_and_no_result_is_lost() -> None:
    frames = [["a.py", 1, "f"]] * records.MAX_FRAMES
    count = records.MAX_ALL_FRAMES // records.MAX_FRAMES + 50
    run = parsed([told(number, frames=frames) for number in range(count)])
    assert (run.state, len(run.results)) == (RunState.COMPLETE, count)
    assert sum(len(result.frames) for result in run.results) == records.MAX_ALL_FRAMES
    assert run.results[-1].frames == ()
    assert parsed([told(0, frames=[*frames, frames[0]])]).state is RunState.INCONSISTENT
    assert parsed([told(0, frames=[["a.py", 10**30, "f"]])]).state is RunState.INCONSISTENT


@pytest.mark.parametrize(
    "variables",
    [
        [["x", "1"]] * (records.MAX_LOCALS + 1),
        [["x", "1" * (records.MAX_LOCAL + 1)]],
        [["x" * (records.MAX_LOCAL + 1), "1"]],
        [["x", 1]],
        [["x"]],
        {"x": "1"},
        "x",
        None,
    ],
)
def test_variables_that_no_reporter_tells_are_inconsistent(variables: object) -> None:
    assert parsed([told(0, frames=[["a.py", 1, "f", variables]])]).state is RunState.INCONSISTENT


def test_variables_of_frames_are_kept_as_texts() -> None:
    run = parsed([told(0, frames=[["a.py", 1, "f", [["x", "'\0'"]]], ["b.py", 2, "g"]])])
    assert [frame.locals for frame in run.results[0].frames] == [(("x", "'\ufffd'"),), ()]


@pytest.mark.parametrize("extra", [0, 1])
def test_lines_are_bounded(extra: int) -> None:
    # The first line and the last two are not tests.
    run = parsed([told(number) for number in range(records.MAX_RECORDS - 3 + extra)])
    assert run.state is (RunState.INCONSISTENT if extra else RunState.COMPLETE)


@pytest.mark.parametrize(
    "data",
    [
        b"\n" * (1 << 24),
        b"[" + b"[]," * (1 << 20) + b"[]]",
        b'{"kind": "test", "x": [' + b"[]," * (1 << 20) + b"[]]}",
        WITH_FRAMES * (records.MAX_BYTES // len(WITH_FRAMES)),
    ],
)
def test_a_hostile_file_takes_no_more_memory_than_a_few_times_the_bytes_that_are_read_at_all(data: bytes) -> None:
    result = ended(data)
    tracemalloc.start()
    try:
        pytest_results.parse(result, NONCE)
        assert screening.parse(result, 3, NONCE)[0] == screening.NOT_SCREENED
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3 * records.MAX_BYTES


def test_the_frames_of_a_scripts_traceback_are_bounded_and_the_innermost_stay() -> None:
    frames = "".join(f'  File "/repo/a.py", line {number}, in f\n' for number in range(1000))
    output = f"Traceback (most recent call last):\n{frames}ValueError: x\n".encode()
    run = script.parse(Recipe("script", (), ("python", "a.py"), "t"), RunResult(Verdict.EXITED, 1, output, False))  # noqa: FBT003
    assert [frame.line for frame in run.results[0].frames] == list(range(984, 1000))
