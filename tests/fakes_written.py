"""A small repository whose suite does not know its fault, a runner for it in memory, and what a tester may answer."""

import builtins
import traceback
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from fakes_workspace import run_of

from sandbox.spec import Frame, Outcome, RunState, TestResult, TestRun

SOURCE = b"def grade(score):\n    if score > 50:\n        return 'pass'\n    return 'fail'\n"
TESTS = b"""\
from grades import grade


def test_high():
    assert grade(90) == 'pass'


def test_zero():
    assert grade(0) == 'fail'
"""
FILES = {"grades.py": SOURCE, "tests/test_grades.py": TESTS, "README.md": b"# Grades\n"}
ISSUE = "Fifty points should pass\n`grade(50)` gives 'fail', but from 50 points on it is a pass."
NEW = "tests/test_issue_7.py"
FIFTY = f"{NEW}::test_fifty_passes"


def answer(
    body: str = "    got = grade(50)\n    assert got == 'pass', f\"assert {got!r} == 'pass'\"",
    fails_with: str = "AssertionError: assert 'fail' == 'pass'",
    imports: str = "from grades import grade\n",
) -> str:
    """A tester's answer with one test; as it stands it shows the fault."""
    code = f"{imports}\n\ndef test_fifty_passes():\n{body}\n"
    return f"CAUSE: the limit itself is left out\nFAILS WITH: {fails_with}\n```python\n{code}```\n"


GREEN = answer("    assert grade(90) == 'pass'")
OTHER_VALUE = answer(fails_with="AssertionError: assert 'none' == 'pass'")
NOT_THERE = answer("    marks(50)", "NameError: name 'marks' is not defined")


def running(files: Mapping[str, bytes]) -> TestRun:
    """Run every `tests/test_*.py` against the other modules, as pytest would; the sources are our own test data."""
    modules = {
        path.removesuffix(".py"): data for path, data in files.items() if "/" not in path and path.endswith(".py")
    }
    results: dict[str, Outcome | TestResult] = {}
    for path in sorted(path for path in files if path.startswith("tests/test_")):
        try:
            namespace = _loaded(path, files[path], modules)
        except Exception as error:  # noqa: BLE001 - whatever a module does at import
            red = TestResult(path, Outcome.ERROR, "collect", 0.1, type(error).__name__, str(error))
            return TestRun(RunState.COLLECTION_FAILED, (red,), 0, 2)
        for name, test in namespace.items():
            if name.startswith("test"):
                results[f"{path}::{name}"] = _result(f"{path}::{name}", test)
    return run_of(results)


def _loaded(path: str, source: bytes, modules: Mapping[str, bytes]) -> dict[str, Any]:
    def importer(name: str, *rest: Any) -> Any:
        if name not in modules:
            return builtins.__import__(name, *rest)
        module = ModuleType(name)
        vars(module).update(_loaded(f"{name}.py", modules[name], modules))
        return module

    namespace: dict[str, Any] = {"__builtins__": {**vars(builtins), "__import__": importer}}
    exec(compile(source, path, "exec"), namespace)  # noqa: S102 - our own lines
    return namespace


def _result(node_id: str, test: Any) -> TestResult:
    try:
        test()
    except Exception as error:  # noqa: BLE001 - whatever a test raises
        frames = tuple(_frames(error))
        return TestResult(node_id, Outcome.FAILED, "call", 0.1, type(error).__name__, str(error), frames)
    return TestResult(node_id, Outcome.PASSED)


def _frames(error: Exception) -> Iterator[Frame]:
    for frame in traceback.extract_tb(error.__traceback__):
        if not frame.filename.startswith("/"):
            yield Frame(frame.filename, frame.lineno or 1, frame.name)
