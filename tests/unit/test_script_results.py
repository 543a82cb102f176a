import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.results import script
from sandbox.spec import Frame, Outcome, Recipe, RunResult, RunState, TestResult, Verdict

CLOSING = "All tests passed"


def result(output: str, code: int = 0, closing: str | None = CLOSING) -> TestResult:
    recipe = Recipe("script", (), ("python3", "tests.py"), "test", closing_line=closing)
    run = script.parse(recipe, RunResult(Verdict.EXITED, code, output.encode(), output_truncated=False))
    assert (run.state, run.collected, run.exit_code) == (RunState.COMPLETE, 1, code)
    return run.results[0]


def executed(directory: Path, source: str) -> TestResult:
    """What a real interpreter prints for this script, parsed."""
    (directory / "tests.py").write_text(source)
    done = subprocess.run(
        [sys.executable, "tests.py"], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return result(done.stdout.decode(), done.returncode)


def test_passes_with_code_zero_and_the_closing_line_last() -> None:
    assert result("hi\nAll tests passed\n\n") == TestResult("tests.py", Outcome.PASSED)
    assert result("anything", closing=None).outcome is Outcome.PASSED


@pytest.mark.parametrize("output", ["", "All tests passed\nor not", "All tests passed!", "x All tests passed"])
def test_code_zero_without_the_closing_line_last_is_a_failure_that_says_so(output: str) -> None:
    failed = result(output)
    assert failed.outcome is Outcome.FAILED
    assert "last line" in failed.message


def test_the_closing_line_with_another_code_is_a_failure() -> None:
    assert result("All tests passed\n", 1).outcome is Outcome.FAILED


def test_a_failed_assertion_without_a_message_is_told_by_its_source(tmp_path: Path) -> None:
    failed = executed(tmp_path, "def f(x):\n    return x\n\ndef check():\n    assert f(2) == 3\n\ncheck()\n")
    assert (failed.exception, failed.message) == ("AssertionError", "assert f(2) == 3")


def test_exception_message_and_frames_come_from_the_last_traceback(tmp_path: Path) -> None:
    source = (
        "try:\n    1 / 0\nexcept ZeroDivisionError:\n    import traceback; traceback.print_exc()\n"
        "def f():\n    raise KeyError('lost')\nf()\n"
    )
    (tmp_path / "repo").mkdir()
    failed = executed(tmp_path, source)
    assert (failed.exception, failed.message) == ("KeyError", "'lost'")


def test_frames_are_relative_to_the_repository_and_leave_the_library_out() -> None:
    output = (
        "Traceback (most recent call last):\n"
        '  File "/repo/tests.py", line 9, in <module>\n    check()\n    ^^^^^^^\n'
        '  File "/usr/lib/python3.11/json/__init__.py", line 1, in loads\n    x\n'
        '  File "/repo/pkg/a.py", line 4, in check\n    assert value == 3, "wrong"\n'
        "AssertionError: wrong\nand more\n\nunrelated\n"
    )
    failed = result(output, 1)
    assert failed.frames == (Frame("tests.py", 9, "<module>"), Frame("pkg/a.py", 4, "check"))
    assert failed.message == "wrong\nand more"


def test_a_syntax_error_names_its_line(tmp_path: Path) -> None:
    failed = executed(tmp_path, "def f(:\n    pass\n")
    assert failed.exception == "SyntaxError"


def test_a_failure_without_a_traceback_gives_code_and_last_line() -> None:
    failed = result("Segmentation fault\n", 139)
    assert (failed.exception, failed.message) == ("", "It ended with code 139: Segmentation fault")


@pytest.mark.parametrize("verdict", [Verdict.TIMEOUT, Verdict.OOM, Verdict.OUTPUT_LIMIT])
def test_a_killed_script_is_no_result(verdict: Verdict) -> None:
    recipe = Recipe("script", (), ("python3", "tests.py"), "test", closing_line=CLOSING)
    run = script.parse(recipe, RunResult(verdict, None, b"All tests passed", output_truncated=False))
    assert run.state is not RunState.COMPLETE
    assert run.results == ()
