"""Whether a process is alive and can work: its loops turn, and what it relies on answers."""

import threading
import time
from collections.abc import Callable, Mapping

import structlog

from bot.errors import RegreenError

Check = Callable[[], str | None]
"""What is wrong, `None` or empty when nothing is; may block, and may raise `RegreenError` instead."""
Look = Callable[[], Mapping[str, str]]
"""What is wrong by the name of each check, empty where nothing is."""

PATIENCE_SECONDS = 3.0
STARTING = "the worker is starting"
LOST = "the worker lost its lease: it begins anew as soon as the database answers"
DRAINING = "the worker is ending: it takes no further work"

_log = structlog.get_logger(__name__)


class Vitals:
    """Which of a process's loops still turn and succeed, and whether it takes work. Safe to share between threads."""

    def __init__(self, allowed: Mapping[str, float], now: Callable[[], float] = time.monotonic) -> None:
        """`allowed` says for how many seconds each loop may be silent, or fail; `now` only goes forward."""
        self._allowed = dict(allowed)
        self._now = now
        self._beats = dict.fromkeys(self._allowed, now())
        self._good = dict(self._beats)
        self.away = STARTING
        """Why no work is taken, empty while it is."""

    def beat(self, loop: str, good: bool = True) -> None:  # noqa: FBT001, FBT002 - called by position, by who knows no names
        """Say that a loop has turned, and whether what it does went well."""
        self._beats[loop] = self._now()
        if good:
            self._good[loop] = self._beats[loop]

    def ages(self) -> dict[str, float]:
        """Seconds since each loop turned last, or since the start for one that has not."""
        now = self._now()
        return {loop: now - beat for loop, beat in self._beats.items()}

    def stuck(self) -> str:
        """The loops that have been silent for longer than they may be."""
        return self._late(self.ages(), "turned")

    def failing(self) -> str:
        """The loops that are stuck, or else those that turn and have failed for longer than they may."""
        now = self._now()
        return self.stuck() or self._late({loop: now - beat for loop, beat in self._good.items()}, "succeeded")

    def absent(self) -> str:
        """Why no work is taken."""
        return self.away

    def _late(self, ages: Mapping[str, float], done: str) -> str:
        late = [(loop, age) for loop, age in ages.items() if age > self._allowed[loop]]
        return ", ".join(f"the loop {loop} has not {done} for {age:.0f} s" for loop, age in late)


class Readiness:
    """Asks every check at once, and waits for none for longer than `patience` seconds.

    A check that hangs is not asked a second time meanwhile: however often somebody looks, it has one thread.
    """

    def __init__(self, checks: Mapping[str, Check], patience: float = PATIENCE_SECONDS) -> None:
        """Keep the checks; none is asked before somebody looks."""
        self._checks = dict(checks)
        self._patience = patience
        self._lock = threading.Lock()
        self._asked: dict[str, _Asked] = {}

    def look(self) -> dict[str, str]:
        """What is wrong by check, empty where nothing is. Raises nothing."""
        until = time.monotonic() + self._patience
        return {name: asked.answer(until, self._patience) for name, asked in self._ask().items()}

    def _ask(self) -> dict[str, "_Asked"]:
        with self._lock:
            for name, check in self._checks.items():
                under_way = self._asked.get(name)
                if under_way is None or under_way.done.is_set():
                    self._asked[name] = _Asked(name, check)
            return dict(self._asked)


class _Asked:
    """One check under way, in a thread that keeps no process from ending."""

    def __init__(self, name: str, check: Check) -> None:
        self.done = threading.Event()
        self._check = check
        self._wrong = ""
        threading.Thread(target=self._run, name=f"check-{name}", daemon=True).start()

    def answer(self, until: float, patience: float) -> str:
        if not self.done.wait(max(0.0, until - time.monotonic())):
            return f"no answer within {patience:.0f} s"
        return self._wrong

    def _run(self) -> None:
        try:
            self._wrong = self._check() or ""
        except RegreenError as error:
            self._wrong = error.cause
        except Exception as error:  # noqa: BLE001 - a probe answers, whatever becomes of a check
            _log.exception("check_fault")
            self._wrong = f"a fault in the check: {type(error).__name__}"
        finally:
            self.done.set()
