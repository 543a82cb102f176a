"""Screens many mutants in one container: pytest is imported once, each mutant runs in a fork. Hints, never verdicts.

Runs as `python screen.py` in /repo, with `screen.json` and the plugin's module beside it. `screen.json`:
{"plugin": module name, "arguments": pytest's, "in_path": whether `python -m` put the directory on the path,
"selection": node ids or null, "seconds_total", "mutants": [{path: null to delete it, else true}, …]}.
Mutant N's files lie below /regreen/mutants/N/. Writes one JSON line for each mutant, in order. A mutant gets a few
times as long as the unchanged tree took.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from _pytest.config import default_plugins

HERE = Path(__file__).resolve().parent
MUTANTS = HERE.parent / "mutants"
ROOT = Path.cwd()
SLOWER = 4
SLACK_SECONDS = 2.0
# Added to pytest's own code, so that code under test that leaves with 0 passes for nothing.
TOLD = 100


def main() -> None:
    """Screen every mutant until the time is over; the rest is reported as not screened."""
    plan = json.loads((HERE / "screen.json").read_text(encoding="utf-8"))
    sys.path[0:1] = [str(HERE), *([str(ROOT)] if plan["in_path"] else [])]
    for name in default_plugins:
        importlib.import_module("_pytest." + name)
    plugin = importlib.import_module(plan["plugin"])
    sys.path.remove(str(HERE))
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    start = time.monotonic()
    end = start + plan["seconds_total"]
    _run(plan, plugin, plan["seconds_total"] / 2)
    each = SLOWER * (time.monotonic() - start) + SLACK_SECONDS
    results = HERE.parent / "results" / (HERE.name + ".jsonl")
    with results.open("w", encoding="ascii", buffering=1) as file:
        for number, changes in enumerate(plan["mutants"]):
            left = min(each, end - time.monotonic())
            detail = _screen(number, changes, plan, plugin, left) if left > 0 else "not screened"
            file.write(json.dumps({"plausible": detail == "passed", "detail": detail}) + "\n")


def _screen(number: int, changes: dict[str, Any], plan: dict[str, Any], plugin: Any, seconds: float) -> str:
    kept = {path: _read(ROOT / path) for path in changes}
    try:
        for path, present in changes.items():
            _write(ROOT / path, _read(MUTANTS / str(number) / path) if present else None)
        return _run(plan, plugin, seconds)
    finally:
        for path, data in kept.items():
            _write(ROOT / path, data)


def _run(plan: dict[str, Any], plugin: Any, seconds: float) -> str:
    child = os.fork()
    if child == 0:
        _be_pytest(plan, plugin)
    end = time.monotonic() + seconds
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            _kill(child)
            code = os.WEXITSTATUS(status) - TOLD if os.WIFEXITED(status) else -1
            return {0: "passed", 1: "failed"}.get(code, f"pytest ended with {code}" if code > 0 else "crashed")
        left = end - time.monotonic()
        if left <= 0:
            _kill(child)
            os.waitpid(child, 0)
            return "timed out"
        signal.sigtimedwait({signal.SIGCHLD}, left)


def _be_pytest(plan: dict[str, Any], plugin: Any) -> None:
    """Run the tests in this fork and leave with pytest's code, whatever the tests left behind."""
    code = 0
    try:
        os.setsid()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        code = TOLD + int(pytest.main(plan["arguments"], plugins=[plugin.Selection(plan["selection"], maxfail=1)]))
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
