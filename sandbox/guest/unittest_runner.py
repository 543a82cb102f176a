"""Runs unittest inside the container in place of `python -m unittest`, and takes its arguments.

It writes one JSON object a line to `<nonce>.jsonl` in the results directory, as the pytest plugin does, and runs
exactly the node ids that `selection.json` beside itself lists (all of them where it has null); it reads that before
code of the repository can run. Nothing that it writes is trusted. It ends with 0, with 1 when something failed, with 5
when there was no test.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import sys
import time
import unittest
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    Told = dict[str, Any]

FRAMES = 16
NAME = 4000
KIND = 200
HERE = Path(__file__).resolve().parent
NONCE = Path(__file__).stem.rpartition("_")[2]
ROOT = str(Path.cwd())
FRAME = re.compile(r'^\s*File "([^"]+)", line (\d+)(?:, in (.+))?$', re.MULTILINE)
PASSED, FAILED, NO_TESTS = 0, 1, 5
__unittest = True  # unittest cuts a trace at the first of its own frames that comes after a stranger's
UNTOLD = "It never ended: unittest did not say that it passed, failed or was skipped."


class Record:
    """The file of results, and what became of each test so far."""

    def __init__(self) -> None:
        """Make the file new, and read what is wanted."""
        self.selection = json.loads((HERE / "selection.json").read_text(encoding="utf-8"))
        self.path = HERE.parent / "results" / (NONCE + ".jsonl")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("", encoding="ascii")
        self.pid = os.getpid()
        module = _beside("unittest_watched")
        self.watched, self.shuffle = module.watched, module.shuffle
        module.observe(self, Recorder)
        self.tests: list[unittest.TestCase] = []
        self.names: dict[int, str] = {}
        self.told: dict[int, Told] = {}
        self.fixtures: list[tuple[str, Told]] = []
        self.errors = 0

    def write(self, kind: str, **fields: Any) -> None:
        """Write a line at once; a forked child writes none."""
        if os.getpid() == self.pid:
            with self.path.open("a", encoding="ascii") as file:
                file.write(json.dumps({"kind": kind, **fields}) + "\n")

    def take(self, suite: Any) -> None:
        """Name every test before any is run; an unreadable module is told at once, and runs no more."""
        wanted = self.selection["node_ids"]
        counts: dict[str, int] = {}
        for test in list(_flat(suite)):
            if type(test).__name__ == "_FailedTest":
                self.errors += 1
                self.write("collect_error", **_unreadable(test))
                continue
            name = _named(_node_id(test))
            counts[name] = counts.get(name, 0) + 1
            name = name if counts[name] == 1 else name + " #" + str(counts[name])
            if wanted is None or name in wanted:
                self.tests.append(test)
                self.names[id(test)] = name
        _keep(suite, set(self.names))
        if self.selection["seed"] is not None:
            self.shuffle(suite, self.selection["seed"])
            self.tests = [test for test in _flat(suite) if id(test) in self.names]
        self.write("collected", count=len(self.tests))

    def mark(self, test: Any, told: Told) -> None:
        """Keep the worst of what is told of a test; what is no test of the suite is a fixture of class or module."""
        if id(test) not in self.names:
            self.fixtures.append((test.id(), told))
        elif self.told.get(id(test), {}).get("outcome") not in {"failed", "error"}:
            self.told[id(test)] = {**told, "seconds": self.told.get(id(test), {}).get("seconds", 0.0)}

    def finish(self) -> int:
        """Write what became of each test; a fixture's failure is its tests', or the last one's that ran."""
        for identity, told in self.fixtures:
            owned = [test for test in self.tests if _owns(identity, test)]
            pending = [test for test in owned if id(test) not in self.told]
            after = identity.startswith("tearDown")
            for test in owned[-1:] if after else pending:
                self.told.pop(id(test), None)
                self.mark(test, {**told, "phase": "teardown" if after else "setup"})
        for test in self.tests:
            if id(test) in self.told:
                self.write("test", id=self.names[id(test)], **self.told[id(test)])
        red = self.errors or any(told["outcome"] in {"failed", "error"} for told in self.told.values())
        code = FAILED if red else PASSED if self.tests else NO_TESTS
        self.write("finished", exit=code, count=len(self.tests))
        return code


class Recorder(unittest.TextTestResult):
    """Prints as unittest does, and keeps what became of each test."""

    record: Record

    def startTest(self, test: Any) -> None:  # noqa: N802 (unittest's name, here and below)
        """Start the clock."""
        self.started = time.monotonic()
        call = getattr(test, "_callTestMethod", None)
        if call is not None:
            test._callTestMethod = lambda method: call(self.record.watched(test, method))  # noqa: SLF001 (no other way)
        super().startTest(test)

    def stopTest(self, test: Any) -> None:  # noqa: N802
        """Stop the clock; a test of which nothing was told never came to its end, and did not pass."""
        super().stopTest(test)
        told = self.record.told.setdefault(id(test), {"outcome": "error", "message": UNTOLD})
        told["seconds"] = time.monotonic() - self.started

    def addSuccess(self, test: Any) -> None:  # noqa: N802
        """The only way to pass."""
        super().addSuccess(test)
        if id(test) not in self.record.told:
            self.record.mark(test, {"outcome": "passed"})

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802
        """Anything but a failed assertion."""
        told = _described(err[1])
        super().addError(test, err)
        self.record.mark(test, {"outcome": "error", **told})

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        """A failed assertion."""
        told = _described(err[1])
        super().addFailure(test, err)
        self.record.mark(test, {"outcome": "failed", **told})

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        """The first subtest that fails tells for its test."""
        told = {} if err is None else _described(err[1])
        super().addSubTest(test, subtest, err)
        if err is not None:
            told["message"] = RAISED.capped(subtest._subDescription() + " " + told["message"])  # noqa: SLF001 (no other way)
            outcome = "failed" if issubclass(err[0], test.failureException) else "error"
            self.record.mark(test, {"outcome": outcome, **told})

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
        """Left out; where a subtest is, its test did not pass as a whole, unless it failed."""
        super().addSkip(test, reason)
        self.record.mark(
            getattr(test, "test_case", test), {"outcome": "skipped", "message": RAISED.capped(str(reason))}
        )

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        """A failure that was expected."""
        super().addExpectedFailure(test, err)
        self.record.mark(test, {"outcome": "xfailed"})

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802
        """Red, as unittest has it."""
        super().addUnexpectedSuccess(test)
        self.record.mark(test, {"outcome": "failed", "message": "It passed, and was expected to fail."})


class Runner(unittest.TextTestRunner):
    """unittest's own, that goes on after the first failure."""

    resultclass = Recorder  # type: ignore[assignment]  # its stub wants a callable

    def run(self, test: Any) -> Any:
        """Name the tests, run them."""
        self.failfast = False
        Recorder.record.take(test)
        return super().run(test)


def _flat(suite: Any) -> Iterator[Any]:
    if isinstance(suite, unittest.BaseTestSuite):
        for part in suite:
            yield from _flat(part)
    elif suite is not None:
        yield suite


def _keep(suite: Any, wanted: set[int]) -> None:
    """Leave out what is not wanted, and keep the suites, which may have set-ups of their own."""
    if isinstance(suite, unittest.BaseTestSuite):
        parts = list(suite)
        kept: list[Any] = [part for part in parts if isinstance(part, unittest.BaseTestSuite) or id(part) in wanted]
        suite._tests = kept  # noqa: SLF001 (no other way)
        for part in parts:
            _keep(part, wanted)


def _node_id(test: Any) -> str:
    """`path::Class::method`, as pytest would call it; unittest's own name where there is no such file."""
    doctest = getattr(test, "_dt_test", None)
    module = sys.modules.get(type(test).__module__)
    path = RAISED.relative(str(getattr(doctest, "filename", None) or getattr(module, "__file__", None) or ""))
    method = getattr(test, "_testMethodName", None)
    if doctest is not None or not path or method is None:
        return path + "::" + str(test.id()) if path else str(test.id())
    return "::".join([path, *type(test).__qualname__.split("."), str(method)])


def _named(name: str) -> str:
    """A name in which ` #` is escaped, so that a number after it is ours, and which is short, yet its own."""
    name = re.sub(r" (\\*#)", r" \\\1", name)
    return name if len(name) <= NAME else name[:NAME] + "~" + hashlib.sha256(ascii(name).encode()).hexdigest()[:16]


def _owns(identity: str, test: Any) -> bool:
    """Whether a fixture that failed, as `setUpClass (module.Class)`, is one of a test's class or module."""
    name = identity.partition("(")[2].rstrip(")")
    return name in {type(test).__module__ + "." + type(test).__qualname__, type(test).__module__}


def _unreadable(test: Any) -> Told:
    """What unittest says of a module that it could not import; the traceback is in the message only."""
    error = getattr(test, "_exception", None)
    message = str(error)
    name = str(getattr(test, "_testMethodName", ""))
    tail = name.replace(".", os.sep) + ".py"
    places = Path.cwd().rglob("*" + Path(tail).name)
    found = min((path for path in places if str(path).endswith(tail)), default=None)
    kind = message.strip().splitlines()[-1].partition(":")[0] if message.strip() else ""
    found_frames = [(RAISED.relative(hit[0])[:NAME], int(hit[1]), hit[2][:KIND]) for hit in FRAME.findall(message)]
    return {
        "id": _named(RAISED.relative(str(found)) if found else name),
        "exception": kind[:KIND] if kind.replace(".", "").isidentifier() else type(error).__name__[:KIND],
        "message": RAISED.capped(message),
        "frames": [frame for frame in found_frames if frame[0]][-FRAMES:],
    }


def _described(error: BaseException) -> Told:
    """Type, message and in-repository frames of an exception and of what it came from."""
    frames = [[path[:NAME], line, name[:KIND]] for path, line, name, _ in RAISED.frames(error)]
    return {"exception": type(error).__name__[:KIND], "message": RAISED.message(error), "frames": frames}


def _beside(name: str) -> Any:
    """A module that lies beside this one, past whatever the repository calls so."""
    spec: Any = importlib.util.spec_from_file_location("regreen_" + name, HERE / (name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RAISED = _beside("python_raised")


def _open(path: str | None) -> None:
    """Search the working directory and PYTHONPATH as the command would have done from the start."""
    os.environ.pop("PYTHONPATH", None)
    added = [] if getattr(sys.flags, "safe_path", False) or sys.flags.isolated else [ROOT]
    if path:
        os.environ["PYTHONPATH"] = path
        own = [] if sys.flags.ignore_environment else path.split(os.pathsep)
        added += [os.path.abspath(place) for place in own]  # noqa: PTH100 (as the interpreter does)
    sys.path[:] = dict.fromkeys([*added, *(place for place in sys.path if os.path.realpath(place) != str(HERE))])


def main() -> int:
    """What `python -m unittest` does, with our runner."""
    Recorder.record = Record()
    _open(Recorder.record.selection["path"])
    unittest.main(module=None, argv=["python -m unittest", *sys.argv[1:]], testRunner=Runner, exit=False)
    return Recorder.record.finish()


if __name__ == "__main__":
    sys.exit(main())
