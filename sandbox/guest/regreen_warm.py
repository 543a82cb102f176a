"""Screens mutants in forks of a session that has already collected: no start, no import and no collection for each.

The session is a process of its own, forked before any code of the repository was loaded. In a fork of it, what a mutant
changes takes effect by replacing the code of the functions that are alive; whatever that cannot express (module or
class level, a function that already ran while collecting, code that is not found alive) is told as `COLD`, and needs a
fresh import. Hints, never verdicts.
"""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import signal
import sys
import threading
import warnings
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

# Of code that belongs to a function; a module's and a class's body run once, when they are imported.
FUNCTION = 1
COLD = 98
LINES = {"co_linetable" if hasattr(CodeType, "co_linetable") else "co_lnotab": b"", "co_firstlineno": 1}


class Difference(NamedTuple):
    """Two versions of a code: `own` where more than the functions within it differ, `nested` within a function."""

    old: CodeType
    new: CodeType
    own: bool
    nested: bool


class Called:
    """Which functions ran while pytest collected: what they left behind would not be what a mutant's had left."""

    def __init__(self) -> None:
        """Listen from now on, in every thread."""
        self._codes: dict[int, CodeType] = {}
        self._hear = self.hear
        threading.setprofile(self._hear)
        sys.setprofile(self._hear)

    def hear(self, frame: Any, event: str, argument: Any) -> None:
        """Keep what is called."""
        del argument
        if event == "call":
            self._codes[id(frame.f_code)] = frame.f_code

    def stop(self) -> set[tuple[str, str, int]] | None:
        """What was called; `None` where somebody else listened instead."""
        if sys.getprofile() is not self._hear:
            return None
        sys.setprofile(None)
        threading.setprofile(None)
        return {_key(code) for code in self._codes.values()}


class Ending:
    """The plugin that leaves once the tests have run: nobody reads what a session says when it ends.

    The test that failed soonest in the unchanged tree runs first: most mutants mend nothing, and end with it.
    """

    def __init__(self, told: int, first: Path) -> None:
        """`told` is added to pytest's code; the file `first` holds that test's id, once it is known."""
        self.told = told
        self.first = first

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Put that test in front; the others stay in their order."""
        try:
            soonest = os.fsdecode(self.first.read_bytes())
        except OSError:
            return
        items.sort(key=lambda item: item.nodeid != soonest)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> Iterator[None]:
        """Leave with what pytest would return by now."""
        self.begin(session)
        outcome: Any = yield
        self.over()
        if outcome.excinfo is None or issubclass(outcome.excinfo[0], session.Failed):
            failed = bool(session.testsfailed or outcome.excinfo)
            os._exit(self.told + (1 if failed else 0 if session.testscollected else 5))
        os._exit(self.told + (2 if issubclass(outcome.excinfo[0], session.Interrupted) else 3))

    def begin(self, session: Any) -> None:
        """Nothing is done before the tests run."""

    def over(self) -> None:
        """Nothing is done when they have run."""


class Session(Ending):
    """The plugin that serves forks once the tests are collected."""

    def __init__(
        self, root: Path, base: dict[str, bytes | None], serve: Callable[[Session], None], told: int, first: Path
    ) -> None:
        """`base` are the unchanged files; `serve` returns in forks only, which exit with `told` plus pytest's code."""
        super().__init__(told, first)
        self.root = root
        self.base = base
        self.serve = serve
        self.called = Called()
        self.ran: set[tuple[str, str, int]] = set()
        self.functions: dict[str, list[FunctionType]] = {}
        self.old: dict[str, CodeType] = {}
        self.is_control = False
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep how long each test took, and which failed."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed.add(report.nodeid)

    def over(self) -> None:
        """Say which test of the unchanged tree failed soonest."""
        if self.is_control and self.failed:
            with contextlib.suppress(OSError):
                self.first.write_bytes(os.fsencode(min(self.failed, key=lambda name: self.seconds[name])))

    def begin(self, session: Any) -> None:
        """Serve where forks can be what a fresh session would be."""
        ran = self.called.stop()
        if session.testsfailed or not session.items or ran is None or threading.active_count() > 1:
            os._exit(COLD)
        self.ran = ran
        for thing in gc.get_objects():
            if type(thing) is FunctionType:
                name = os.path.realpath(thing.__code__.co_filename)
                self.functions.setdefault(name, []).append(thing)
        self.session = session
        self.loaded = {os.path.realpath(name) for name in map(_file, list(sys.modules.values())) if name}
        if hasattr(gc, "freeze"):
            gc.freeze()
        self.serve(self)

    def prepare(self, paths: list[str]) -> None:
        """Compile the unchanged versions once, for all forks to come."""
        for path in paths:
            data = self.base.get(path)
            if path not in self.old and data is not None and path.endswith(".py"):
                self.old[path] = _compiled(data, self.root / path)

    def apply(self, paths: list[str]) -> bool:
        """Whether this fork now is what a fresh session would be with the files as they are on disk."""
        try:
            return all(self._apply(path) for path in paths)
        except SyntaxError:
            return False

    def _apply(self, path: str) -> bool:
        file = os.path.realpath(str(self.root / path))
        live = self.functions.get(file, [])
        if path.endswith(".py") and not live and file not in self.loaded:
            return True
        if path not in self.old or not os.path.exists(file):  # noqa: PTH110 (a string already)
            return False
        with open(file, "rb") as stream:  # noqa: PTH123 (likewise)
            new = _compiled(stream.read(), self.root / path)
        named: dict[tuple[str, int], list[FunctionType]] = {}
        for function in live:
            named.setdefault(_key(function.__code__)[1:], []).append(function)
        return all(self._swap(one, named) for one in differences(self.old[path], new, nested=False))

    def _swap(self, one: Difference, named: dict[tuple[str, int], list[FunctionType]]) -> bool:
        old, new = one.old, one.new
        if not old.co_flags & FUNCTION:
            return not one.own
        found = [function for function in named.get(_key(old)[1:], []) if function.__code__ == old]
        known = found or one.nested
        ran = any(_key(function.__code__) in self.ran for function in found) or _key(old) in self.ran
        if (one.own and (not known or ran)) or old.co_freevars != new.co_freevars:
            return False
        for function in found:
            function.__code__ = new
        return True


def differences(old: CodeType, new: CodeType, *, nested: bool) -> Iterator[Difference]:
    """Where two versions differ, the innermost first; lines that merely moved are no difference."""
    inner, changed = _codes(old), _codes(new)
    if [code.co_name for code in inner] != [code.co_name for code in changed] or _bare(old) != _bare(new):
        yield Difference(old, new, own=True, nested=nested)
        return
    within = nested or bool(old.co_flags & FUNCTION)
    found = [one for pair in zip(inner, changed) for one in differences(*pair, nested=within)]  # noqa: B905 (3.8)
    yield from found
    if found:
        yield Difference(old, new, own=False, nested=nested)


def limited(cpu_seconds: float) -> None:
    """End this process once it has used this much: a loop without end, but not a machine that is busy."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)


def used() -> float:
    """Processor seconds of all forks that have ended."""
    told = resource.getrusage(resource.RUSAGE_CHILDREN)
    return told.ru_utime + told.ru_stime


def forked() -> int:
    """Fork without the warning that some interpreters have for libraries with threads of their own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return os.fork()


def _codes(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _bare(code: CodeType) -> CodeType:
    constants = tuple(None if isinstance(constant, CodeType) else constant for constant in code.co_consts)
    return code.replace(co_consts=constants, **LINES)  # type: ignore[arg-type]  # names depend on the version


def _compiled(data: bytes, path: Path) -> CodeType:
    code: CodeType = compile(data, str(path), "exec", dont_inherit=True)
    return code


def _key(code: CodeType) -> tuple[str, str, int]:
    return os.path.realpath(code.co_filename), code.co_name, code.co_firstlineno


def _file(module: Any) -> str:
    name = getattr(module, "__file__", None)
    return name if isinstance(name, str) else ""
