"""What an observer sees of a test: the functions that it calls, or what expressions are where a line is reached.

Lies beside a runner of ours, which starts and stops it around each test. One file, standard library only, Python 3.8
and later. It writes JSON lines to `<nonce>.observed.jsonl` in the results directory: for each test
{"id", "called": {path: [first lines]}}, or {"probe": its number, "value": text} each time that the probe's line is
reached. All of them are hints.
"""

from __future__ import annotations

import json
import os
import reprlib
import sys
import threading
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = str(Path.cwd())
FUNCTIONS = 4000
FILES = 20_000
BYTES = 6 << 20
TEXT = 300
# Python 3.12's tools have numbers; these two belong to nobody.
TOOLS = (4, 3)
# The code of functions, unlike that of modules and of classes' bodies.
OPTIMIZED = 1
# Frames of their own before Python 3.12, in which a function's names are not to be seen.
INNER = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


def watch(told: dict[str, Any]) -> Watch:
    """`told` is {"seconds": number, "probes": null for coverage, or [path, line, expression, times] each}."""
    output = Output(HERE.parent / "results" / (HERE.name + ".observed.jsonl"))
    return Calls(output, told["seconds"]) if told["probes"] is None else Probes(told["probes"], output, told["seconds"])


class Watch:
    """Started and stopped around each test, on one machine's clock."""

    def __init__(self, seconds: float) -> None:
        """No test should begin after so many."""
        self.end = time.monotonic() + seconds

    @property
    def over(self) -> bool:
        """Whether the time is."""
        return time.monotonic() > self.end

    def start(self) -> None:
        """Begin to look."""

    def stop(self) -> None:
        """End it."""

    def finish(self, nodeid: str) -> None:
        """Write what was seen of this test, and forget it."""


class Output:
    """Lines of JSON in a file, up to a size."""

    def __init__(self, path: Path) -> None:
        """The file is made new; its directory is made where it is missing."""
        self.path = path
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("", encoding="ascii")
        self.left = BYTES

    def write(self, told: dict[str, Any]) -> None:
        """Write a line at once, so that a crash loses nothing."""
        line = json.dumps(told).encode() + b"\n"
        self.left -= len(line)
        if self.left >= 0:
            with self.path.open("ab") as file:
                file.write(line)


class Paths:
    """From the file names of code objects to paths below the repository, empty for code elsewhere."""

    def __init__(self) -> None:
        """Remembers what it was asked."""
        self.known: dict[str, str] = {}

    def of(self, name: str) -> str:
        """The path; code that was made from text has none."""
        found = self.known.get(name)
        if found is None:
            found = "" if name.startswith("<") else _relative(name)
            if len(self.known) < FILES:
                self.known[name] = found
        return found


class Calls(Watch):
    """Collects the functions that are called, by `sys.monitoring` where there is one, else by a trace of calls."""

    def __init__(self, output: Output, seconds: float) -> None:
        """Takes one of the interpreter's tool numbers for the whole run, if one is free."""
        super().__init__(seconds)
        self.output = output
        self.paths = Paths()
        self.called: set[tuple[str, int]] = set()
        self.tool = self._tool()
        self.before: Any = None

    def start(self) -> None:
        """Begin to collect."""
        if self.tool is None:
            self.before = _trace(self._on_call)
        else:
            monitoring = sys.monitoring  # type: ignore[attr-defined,unused-ignore] # from Python 3.12 on
            # Each function is reported once, and once more for the next test.
            monitoring.restart_events()
            monitoring.set_events(self.tool, monitoring.events.PY_START)

    def stop(self) -> None:
        """End it."""
        if self.tool is None:
            _trace(self.before)
        else:
            sys.monitoring.set_events(self.tool, 0)  # type: ignore[attr-defined,unused-ignore] # from Python 3.12 on

    def finish(self, nodeid: str) -> None:
        """Write what the test called, and forget it."""
        called: dict[str, list[int]] = {}
        for path, line in sorted(self.called):
            called.setdefault(path, []).append(line)
        self.called.clear()
        self.output.write({"id": nodeid, "called": called})

    def _tool(self) -> int | None:
        monitoring = getattr(sys, "monitoring", None)
        if monitoring is None:
            return None
        for tool in TOOLS:
            if monitoring.get_tool(tool) is None:
                monitoring.use_tool_id(tool, "observer")
                monitoring.register_callback(tool, monitoring.events.PY_START, self._on_start)
                return tool
        return None

    def _on_start(self, code: Any, offset: int) -> Any:
        del offset
        self._note(code)
        return sys.monitoring.DISABLE  # type: ignore[attr-defined,unused-ignore] # from Python 3.12 on

    def _on_call(self, frame: Any, event: str, argument: Any) -> None:
        """Trace calls and nothing inside of them: a global trace function that returns none is called for no line."""
        del event, argument
        self._note(frame.f_code)

    def _note(self, code: Any) -> None:
        if not code.co_flags & OPTIMIZED:
            return
        path = self.paths.of(code.co_filename)
        if path and len(self.called) < FUNCTIONS:
            self.called.add((path, code.co_firstlineno))


class Probes(Watch):
    """Evaluates expressions in the frames that reach their lines, before the line runs."""

    def __init__(self, probes: list[Any], output: Output, seconds: float) -> None:
        """Each of `probes` is path, line, expression and how many times it is to be answered."""
        super().__init__(seconds)
        self.output = output
        self.paths = Paths()
        self.at: dict[tuple[str, int], list[int]] = {}
        self.left = [hits for _, _, _, hits in probes]
        self.expressions = [expression for _, _, expression, _ in probes]
        for number, (path, line, _, _) in enumerate(probes):
            self.at.setdefault((path, line), []).append(number)
        self.files = {path for path, _ in self.at}
        self.text = reprlib.Repr()
        self.text.maxstring = self.text.maxother = self.text.maxlong = TEXT
        self.text.maxlist = self.text.maxtuple = self.text.maxdict = self.text.maxset = 20
        self.before: Any = None

    def start(self) -> None:
        """Begin to look."""
        self.before = _trace(self._on_call)

    def stop(self) -> None:
        """End it."""
        _trace(self.before)

    def _on_call(self, frame: Any, event: str, argument: Any) -> Any:
        del event, argument
        code = frame.f_code
        wanted = code.co_name not in INNER and self.paths.of(code.co_filename) in self.files and any(self.left)
        return self._in_frame if wanted else None

    def _in_frame(self, frame: Any, event: str, argument: Any) -> Any:
        del argument
        if event == "line":
            for number in self.at.get((self.paths.of(frame.f_code.co_filename), frame.f_lineno), ()):
                if self.left[number] > 0:
                    self.left[number] -= 1
                    self.output.write({"probe": number, "value": self._value(self.expressions[number], frame)})
        return self._in_frame

    def _value(self, expression: str, frame: Any) -> str:
        """A short text, also of what it raises: an error in here would be one in the test."""
        try:
            # One name space, since a comprehension in the expression sees only the outer one.
            return self.text.repr(eval(expression, {**frame.f_globals, **frame.f_locals}))[:TEXT]
        except BaseException as error:  # noqa: BLE001 (whatever a stranger's expression raises is the answer)
            return _error(error)


def _error(error: BaseException) -> str:
    try:
        return (type(error).__name__ + ": " + str(error))[:TEXT]
    except BaseException:  # noqa: BLE001 (its text may be a stranger's code, too)
        return type(error).__name__[:TEXT]


def _trace(function: Any) -> Any:
    """Set this function in this thread and in those that begin; gives the one that was there."""
    before = sys.gettrace()
    threading.settrace(function)
    sys.settrace(function)
    return before


def _relative(name: str) -> str:
    """The path below the repository; empty for code elsewhere."""
    path = os.path.abspath(name)  # noqa: PTH100 (a link inside the repository stays what its frame calls it)
    return path[len(ROOT) + 1 :] if path.startswith(ROOT + os.sep) else ""
