"""QuixBugs' Python programs, each as a repository of its own, from a checkout of `jkoppel/QuixBugs`.

A repository holds one faulty program, its test file with the cases that it reads, and what both import; neither the
corrected programs nor the other ones. An arm sees the whole test file, and is judged by it as it was published. Some of
the faults never end, so `pytest-timeout`, which the project's own workflow uses too, fails a test that hangs.
"""

from pathlib import Path

from bench.loop.tasks import BenchTask
from bench.subjects import InvalidMeasurementError

from sandbox.spec import File, Tree

REPOSITORY = "bench/quixbugs"
PROGRAMS, TESTS, CASES = "python_programs", "python_testcases", "json_testcases"
CORRECT = "correct_python_programs"
ALWAYS = ("conftest.py", f"{TESTS}/load_testdata.py", f"{TESTS}/node.py")
REQUIREMENTS = b"pytest\npytest-timeout\n"
SECONDS_A_TEST = 5
SLOW = {"levenshtein": 30}
"""The one program that takes seconds when it is right, on a machine with nothing else to do."""


def tasks(source: Path) -> tuple[BenchTask, ...]:
    """Every program that has a test file, by name. Raises `InvalidMeasurementError` for what is no such checkout."""
    names = sorted(path.stem.removeprefix("test_") for path in (source / TESTS).glob("test_*.py"))
    if not names:
        raise InvalidMeasurementError(f"{source} is no checkout of jkoppel/QuixBugs: it has no {TESTS}/test_*.py")
    return tuple(_task(source, name) for name in names)


def _task(source: Path, name: str) -> BenchTask:
    program = f"{PROGRAMS}/{name}.py"
    full = _tests(source, name)
    tree = {**full, program: File(_read(source, program)), "requirements.txt": File(REQUIREMENTS)}
    return BenchTask(
        name=name,
        repository=REPOSITORY,
        tree=tree,
        full=full,
        title=f"{name} gives wrong results",
        text=f"The tests of `{program}` fail. Its docstring says what it is meant to do.",
        fixed={program: _read(source, f"{CORRECT}/{name}.py")},
    )


def _tests(source: Path, name: str) -> Tree:
    cases = f"{CASES}/{name}.json"
    paths = [*ALWAYS, f"{TESTS}/test_{name}.py", *([cases] if (source / cases).is_file() else [])]
    return {**{path: File(_read(source, path)) for path in paths}, "pytest.ini": File(_configuration(name))}


def _configuration(name: str) -> bytes:
    return f"[pytest]\ntestpaths = {TESTS}\ntimeout = {SLOW.get(name, SECONDS_A_TEST)}\n".encode()


def _read(source: Path, path: str) -> bytes:
    try:
        return (source / path).read_bytes()
    except OSError as error:
        raise InvalidMeasurementError(f"The checkout of QuixBugs lacks {path}: {error.strerror}") from None
