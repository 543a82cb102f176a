import json
from typing import Any

import pytest

from sandbox.results import pytest as pytest_results
from sandbox.spec import Frame, Outcome, Recipe, RunResult, RunState, TestResult, TestRun, Verdict

NONCE = "ab12"
NAME = pytest_results.public(NONCE)
PASS = {"kind": "test", "id": "t.py::a", "outcome": "passed", "phase": "call", "seconds": 0.5}
FAIL = {
    **PASS,
    "id": "t.py::b",
    "outcome": "failed",
    "exception": "KeyError",
    "message": "k",
    "frames": [["m.py", 3, "f"]],
}


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


CANARIES = {"kind": "canaries", "count": 1, "passed": 0, "contradicted": 0}


def session(
    *tests: dict[str, Any], code: int, collected: int | None = None, canaries: tuple[dict[str, Any], ...] = (CANARIES,)
) -> bytes:
    count = len(tests) if collected is None else collected
    end = {"kind": "finished", "exit": code, "count": count}
    return lines({"kind": "collected", "count": count}, *tests, *canaries, end)


def parsed(data: bytes | None, code: int | None = 0, verdict: Verdict = Verdict.EXITED, nonce: str = NONCE) -> TestRun:
    """Sealed with `nonce`."""
    sealed = data and pytest_results.sealed(data, nonce)
    results = {} if sealed is None else {f"{NAME}.jsonl": sealed, "junit.xml": b"<forged/>"}
    return pytest_results.parse(RunResult(verdict, code, b"log\0\xff", output_truncated=False, results=results), NONCE)


def test_a_session_that_adds_up_is_complete() -> None:
    run = parsed(session(PASS, FAIL, code=1), 1)
    assert (run.state, run.collected, run.exit_code, run.output) == (RunState.COMPLETE, 2, 1, "log\ufffd\ufffd")
    assert run.results[1] == TestResult(
        "t.py::b", Outcome.FAILED, "call", 0.5, "KeyError", "k", (Frame("m.py", 3, "f"),)
    )


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (session(PASS, FAIL, code=0), 0),
        (session(PASS, code=1), 1),
        (session(PASS, code=0), 1),
        (session(PASS, code=1), 0),
        (session(PASS, code=0, collected=2), 0),
        (session(PASS, PASS, code=0), 0),
        (session(PASS, code=2), 2),
        (session(PASS, code=3), 3),
        (session(PASS, code=0), 137),
        (session(PASS, code=0), None),
        (session(code=0), 0),
        (lines({"kind": "collected", "count": 1}, PASS, CANARIES), 0),
        (lines(PASS, CANARIES, {"kind": "finished", "exit": 0, "count": 1}), 0),
        (session(PASS, code=0) + lines(PASS), 0),
        (session(PASS, code=0) + lines({"kind": "finished", "exit": 0, "count": 1}), 0),
        (lines({"kind": "collect_error", "id": "t.py"}) + session(PASS, code=0), 0),
        (session(PASS, code=0, canaries=()), 0),
        (session(PASS, code=0, canaries=({**CANARIES, "count": 0},)), 0),
        (session(PASS, code=0, canaries=({**CANARIES, "passed": 1},)), 0),
        (session(PASS, code=0, canaries=({**CANARIES, "contradicted": 1},)), 0),
        (session(PASS, code=0, canaries=(CANARIES, CANARIES)), 0),
    ],
)
def test_a_session_that_does_not_add_up_is_inconsistent(data: bytes, code: int | None) -> None:
    run = parsed(data, code)
    assert (run.state, run.results) == (RunState.INCONSISTENT, ())


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"kind": 1}',
        b'{"kind": "verdict"}',
        b"[" * 100_000,
        lines({**PASS, "seconds": "fast"}),
        lines({**PASS, "seconds": float("nan")}),
        lines({**PASS, "seconds": -1}),
        lines({**PASS, "outcome": "green"}),
        lines({**PASS, "id": "x" * 20_000}),
        lines({**PASS, "message": "x" * 20_000}),
        lines({**PASS, "frames": [["m.py", "3", "f"]]}),
        lines({**PASS, "frames": [["m.py", 3, "f"]] * 1000}),
        lines({"kind": "collected", "count": True}),
        lines({"kind": "collected", "count": "1"}),
    ],
)
def test_a_line_that_the_plugin_does_not_write_is_inconsistent(line: bytes) -> None:
    assert parsed(line + b"\n" + session(PASS, code=0)).state is RunState.INCONSISTENT


def test_text_that_no_store_takes_is_replaced() -> None:
    run = parsed(session({**PASS, "message": "a\0b\ud800"}, code=0))
    assert run.results[0].message == "a\ufffdb?"


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4, 5, 137])
def test_no_file_is_no_results_whatever_the_exit_code(code: int) -> None:
    assert parsed(None, code).state is RunState.NO_RESULTS
    assert parsed(b"", code).state is RunState.NO_RESULTS


def test_nothing_collected_is_no_tests() -> None:
    assert parsed(session(code=5), 5).state is RunState.NO_TESTS


def test_collection_errors_are_results_of_their_own() -> None:
    error = {"kind": "collect_error", "id": "t.py", "exception": "ImportError", "message": "no x", "frames": []}
    run = parsed(lines(error, {"kind": "collected", "count": 4}, {"kind": "finished", "exit": 2, "count": 4}), 2)
    assert (run.state, run.collected) == (RunState.COLLECTION_FAILED, 4)
    assert run.results == (TestResult("t.py", Outcome.ERROR, "collect", 0.0, "ImportError", "no x"),)


@pytest.mark.parametrize(
    ("verdict", "state"),
    [
        (Verdict.TIMEOUT, RunState.TIMEOUT),
        (Verdict.OUTPUT_LIMIT, RunState.OUTPUT_LIMIT),
        (Verdict.RESULT_LIMIT, RunState.INCONSISTENT),
        (Verdict.OOM, RunState.OOM),
    ],
)
def test_a_killed_container_is_never_a_pass_even_with_green_results(verdict: Verdict, state: RunState) -> None:
    run = parsed(session(PASS, code=0), 0, verdict)
    assert (run.state, run.results) == (state, ())


def test_results_count_only_under_the_seal_of_their_nonce_which_no_name_shows() -> None:
    data = session(PASS, code=0)
    assert parsed(data).state is RunState.COMPLETE
    assert parsed(data, nonce="another").state is RunState.INCONSISTENT
    results = {f"{NAME}.jsonl": data}
    unsealed = RunResult(Verdict.EXITED, 0, b"", output_truncated=False, results=results)
    assert pytest_results.parse(unsealed, NONCE).state is RunState.INCONSISTENT
    plan = pytest_results.plan(Recipe("python", (), ("pytest",), "test"), (), NONCE)
    assert not [word for word in (*plan.command, *plan.tree) if NONCE in word]
