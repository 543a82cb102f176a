"""The demo's own processes: started with a log each, found again by pid, and stopped by it."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.settings import Settings

STOP_SECONDS = 15.0


class DemoError(Exception):
    """The demo did not do what it promises; the text says why."""


@dataclass(frozen=True, slots=True)
class Child:
    """One process and where it logs."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def tail(self, lines: int = 12) -> str:
        """The end of its log."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


@dataclass(slots=True)
class Processes:
    """Starts processes that log into `directory`; `stop` ends all of them, the last started first."""

    directory: Path
    children: list[Child] = field(default_factory=list)

    def start(self, name: str, argv: Sequence[str], environ: Mapping[str, str]) -> Child:
        """Start one, away from the terminal's Ctrl-C: the demo stops it itself."""
        log = self.directory / f"{name}.log"
        with log.open("wb") as sink:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter and modules
                list(argv),
                env=dict(environ),
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                start_new_session=True,
            )
        child = Child(name, process, log)
        self.children.append(child)
        self._remember()
        return child

    def check(self) -> None:
        """Raise `DemoError` with the end of its log when one of them has ended by itself."""
        for child in self.children:
            code = child.process.poll()
            if code is not None:
                raise DemoError(f"{child.name} ended with exit code {code}. The end of {child.log}:\n{child.tail()}")

    def wait_for(self, what: str, condition: Callable[[], bool], seconds: float) -> None:
        """Wait for a condition while every process lives. Raises `DemoError`."""
        deadline = time.monotonic() + seconds
        while not condition():
            self.check()
            if time.monotonic() > deadline:
                raise DemoError(f"{what} did not happen within {seconds:.0f} s; the logs are in {self.directory}")
            time.sleep(0.05)

    def stop(self) -> None:
        """End every process that still runs, and wait for it."""
        for child in reversed(self.children):
            if child.process.poll() is None:
                child.process.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        for child in reversed(self.children):
            try:
                child.process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.process.kill()
                child.process.wait()
        self.children.clear()
        _record(self.directory).unlink(missing_ok=True)

    def _remember(self) -> None:
        known = [[child.process.pid, _started(child.process.pid)] for child in self.children]
        _record(self.directory).write_text(json.dumps(known))


def stop_left_running(directory: Path) -> int:
    """Stop what an earlier demo was asked to leave running; returns how many processes that were."""
    try:
        known = json.loads(_record(directory).read_text())
    except (OSError, ValueError):
        return 0
    # A pid may be another process's by now: its start time tells.
    living = [pid for pid, started in reversed(known) if started and _started(pid) == started]
    for pid in living:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while any(_started(pid) for pid in living) and time.monotonic() < deadline:
        time.sleep(0.1)
    for pid in filter(_started, living):
        os.kill(pid, signal.SIGKILL)
    _record(directory).unlink(missing_ok=True)
    return len(living)


def demo_directory(settings: Settings) -> Path:
    """Where the demo keeps its files, wiped at each start."""
    return (settings.data_dir / "demo").absolute()


def free_port() -> int:
    """A port of the loopback address that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _record(directory: Path) -> Path:
    return directory / "processes.json"


def _started(pid: int) -> str:
    """When a living process started, in the kernel's ticks; empty when it is gone (proc(5), /proc/pid/stat)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]
