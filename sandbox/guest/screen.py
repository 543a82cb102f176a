"""Screens many mutants in one container. Hints, never verdicts.

Runs as `python screen.py` in /repo, with `screen.json`, the plugin's module and `regreen_warm.py` beside it.
`screen.json`: {"plugin": module name, "arguments": pytest's, "in_path": whether `python -m` put the directory on the
path, "selection": node ids or null, "seconds_total", "mutants": [{path: null to delete it, else [start, end, base64]:
what replaces these bytes of the file, of nothing where there is none}, …]}. Writes one JSON line for each mutant, in
order.

A mutant runs in a fork of a session that has collected (`regreen_warm`), or where that cannot be, in a fork of this
process, which has pytest imported and nothing of the repository. It gets a few times as long as the unchanged tree.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from _pytest.config import default_plugins

HERE = Path(__file__).resolve().parent
ROOT = Path.cwd()
# Holds the id of the test that runs first.
FIRST = HERE / "first"
SLOWER = 4
SLACK_SECONDS = 2.0
CPU_SLACK_SECONDS = 0.5
# Where the unchanged tree hangs, nothing tells how long a mutant takes.
BASE_SECONDS = 20.0
HUNG_CPU_SECONDS = 2.0
SESSIONS = 3
# The number of the unchanged tree.
CONTROL = -1
# Added to pytest's own code, so that code under test that leaves with 0 passes for nothing.
TOLD = 100
# Nobody reads why a test fails here: without these the files of the tests are parsed for that, over and over.
BRIEF = ("--assert=plain", "--tb=native")


class Files:
    """The tree's files that mutants change, and how to change them."""

    def __init__(self, mutants: list[dict[str, Any]]) -> None:
        """Keep the contents before anything runs."""
        self.mutants = mutants
        self.base = {path: _read(ROOT / path) for path in {path for mutant in mutants for path in mutant}}

    def change(self, number: int) -> None:
        """Write a mutant."""
        for path, edit in self.mutants[number].items():
            data = self.base[path] or b""
            _write(ROOT / path, edit and data[: edit[0]] + base64.b64decode(edit[2]) + data[edit[1] :])

    def restore(self, number: int) -> None:
        """Write what was there."""
        for path in self.mutants[number]:
            _write(ROOT / path, self.base[path])


class Warm:
    """A session that has collected, in a process of its own; asked by number, it answers with a line."""

    def __init__(self, plan: dict[str, Any], plugin: Any, files: Files) -> None:
        """Start one; it collects before it answers."""
        self.module = importlib.import_module("regreen_warm")
        self.files = files
        ask, self.ask = os.pipe()
        self.answers, answer = os.pipe()
        self.cpu_seconds = HUNG_CPU_SECONDS
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.ask)
            os.close(self.answers)
            session = self.module.Session(ROOT, files.base, lambda told: self._serve(told, ask, answer), TOLD, FIRST)
            _be_pytest(plan, plugin, [session])
        os.close(ask)
        os.close(answer)

    def run(self, number: int, seconds: float) -> str | None:
        """What became of a mutant, or of the unchanged tree; `None` where it needs a process of its own."""
        try:
            os.write(self.ask, b"%d %f\n" % (number, seconds))
            end, told = time.monotonic() + seconds + SLACK_SECONDS, b""
            while not told.endswith(b"\n"):
                if not select.select([self.answers], [], [], max(0.0, end - time.monotonic()))[0]:
                    raise TimeoutError
                piece = os.read(self.answers, 4096)
                if not piece:
                    raise EOFError  # noqa: TRY301 (as one that is gone)
                told += piece
        except (OSError, EOFError):
            self.close()
            return None
        detail = told.decode("ascii", "replace").strip()
        return None if detail == "cold" else detail

    def close(self) -> None:
        """End it."""
        if self.pid:
            _kill(self.pid)
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            os.close(self.ask)
            os.close(self.answers)
        self.pid = 0

    def _serve(self, session: Any, ask: int, answer: int) -> None:
        """Answer one question after the other, each in a fork; only forks return from here."""
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        for line in os.fdopen(ask, closefd=False):
            number, seconds = int(line.split()[0]), float(line.split()[1])
            paths = list(self.files.mutants[number]) if number >= 0 else []
            session.prepare(paths)
            before = self.module.used()
            child = self.module.forked()
            if child == 0:
                os.close(ask)
                os.close(answer)
                self._be_fork(session, paths, seconds, control=number < 0)
                return
            detail = _awaited(child, seconds)
            if number < 0 and detail != "timed out":
                self.cpu_seconds = SLOWER * (self.module.used() - before) + CPU_SLACK_SECONDS
                session.pytest_collection_modifyitems(session.session.items)
            os.write(answer, detail.encode() + b"\n")
        os._exit(0)

    def _be_fork(self, session: Any, paths: list[str], seconds: float, *, control: bool) -> None:
        os.setsid()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        if not session.apply(paths):
            os._exit(self.module.COLD)
        if control:
            # How long a mutant takes that passes is told by all tests, not by the first that fails.
            session.session.config.option.maxfail = 0
            session.is_control = True
        self.module.limited(seconds if control else self.cpu_seconds)


def main() -> None:
    """Screen every mutant until the time is over; the rest is reported as not screened."""
    plan = json.loads((HERE / "screen.json").read_text(encoding="utf-8"))
    sys.path[0:1] = [str(HERE), *([str(ROOT)] if plan["in_path"] else [])]
    for name in default_plugins:
        importlib.import_module("_pytest." + name)
    plugin = importlib.import_module(plan["plugin"])
    importlib.import_module("regreen_warm")
    sys.path.remove(str(HERE))
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    Screening(plan, plugin).run()


class Screening:
    """One screening of all mutants."""

    def __init__(self, plan: dict[str, Any], plugin: Any) -> None:
        """Learn how long the unchanged tree takes, and what becomes of it."""
        self.plan, self.plugin = plan, plugin
        self.module = importlib.import_module("regreen_warm")
        start, before = time.monotonic(), self.module.used()
        self.end = start + plan["seconds_total"]
        self.files = Files(plan["mutants"])
        self.cpu_seconds = BASE_SECONDS
        self.unchanged = self._cold(min(plan["seconds_total"] / 2, BASE_SECONDS))
        self.each, self.cpu_seconds = BASE_SECONDS, HUNG_CPU_SECONDS + SLACK_SECONDS
        if self.unchanged != "timed out":
            self.each = SLOWER * (time.monotonic() - start) + SLACK_SECONDS
            self.cpu_seconds = SLOWER * (self.module.used() - before) + CPU_SLACK_SECONDS
        self.sessions = SESSIONS
        self.warm: Warm | None = None

    def run(self) -> None:
        """Write one line for each mutant."""
        results = HERE.parent / "results" / (HERE.name + ".jsonl")
        with results.open("w", encoding="ascii", buffering=1) as file:
            for number in range(len(self.files.mutants)):
                detail = self._screen(number)
                file.write(json.dumps({"plausible": detail == "passed", "detail": detail}) + "\n")
        if self.warm:
            self.warm.close()

    def _screen(self, number: int) -> str:
        left = self.end - time.monotonic()
        if left <= 0:
            return "not screened"
        session = self._session()
        try:
            self.files.change(number)
            told = session.run(number, min(self.each, left)) if session else None
            if session and not session.pid:
                # What ends its parent is not to have this process as one.
                return "crashed"
            return told or self._cold(max(0.0, min(self.each, self.end - time.monotonic())))
        finally:
            self.files.restore(number)

    def _session(self) -> Warm | None:
        """The session that runs, or another one; none where the unchanged tree does not fare the same in it."""
        if (self.warm is None or not self.warm.pid) and self.sessions:
            self.sessions -= 1
            self.warm = Warm(self.plan, self.plugin, self.files)
            seconds = max(0.0, min(self.each, self.end - time.monotonic()))
            if self.warm.run(CONTROL, seconds) != self.unchanged:
                self.warm.close()
                self.sessions = 0
        return self.warm if self.warm and self.warm.pid else None

    def _cold(self, seconds: float) -> str:
        child = os.fork()
        if child == 0:
            self.module.limited(self.cpu_seconds)
            _be_pytest(self.plan, self.plugin, [self.module.Ending(TOLD, FIRST)])
        return _awaited(child, seconds)


def _awaited(child: int, seconds: float) -> str:
    end = time.monotonic() + seconds
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            _kill(child)
            return _ending(status)
        left = end - time.monotonic()
        if left <= 0:
            _kill(child)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "timed out"
        signal.sigtimedwait({signal.SIGCHLD}, left)


def _ending(status: int) -> str:
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF:
        return "timed out"
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1
    named = {98: "cold", TOLD: "passed", TOLD + 1: "failed"}
    return named.get(code, f"pytest ended with {code - TOLD}" if code > TOLD else "crashed")


def _be_pytest(plan: dict[str, Any], plugin: Any, plugins: list[Any]) -> None:
    """Run the tests in this fork and leave with pytest's code, whatever the tests left behind."""
    code = 0
    try:
        os.setsid()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        plugins.append(plugin.Selection(plan["selection"], maxfail=1))
        code = TOLD + int(pytest.main([*BRIEF, *plan["arguments"]], plugins=plugins))
    finally:
        os._exit(code)


def _kill(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _write(path: Path, data: bytes | None) -> None:
    """Put the content in place without its old mode being lost; `None` removes the file."""
    if data is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


if __name__ == "__main__":
    main()
