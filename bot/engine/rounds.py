"""What a worker does again and again beside its jobs: each on a thread of its own, so that none waits for another."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from bot.errors import RegreenError

Told = Callable[[str, bool], None]
"""Is told of each round that was made, and whether it succeeded."""

_log = structlog.get_logger(__name__)


def unheard(_name: str, _good: bool) -> None:  # noqa: FBT001 - as every `Told`
    """Nobody is told."""


@dataclass(slots=True)
class Rounds:
    """Runs until `stop`; whatever a round raises is logged and the next one comes in its time."""

    told: Told = unheard
    _over: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def begin(self, name: str, seconds: float, call: Callable[[], object], wake: threading.Event | None = None) -> None:
        """Call now, every `seconds` and, where there is a `wake`, as soon as that is set."""

        def go_round() -> None:
            while not self._over.is_set():
                if wake is not None:
                    wake.clear()
                self.told(name, _attempt(name, call))
                (wake or self._over).wait(seconds)

        thread = threading.Thread(target=go_round, name=f"engine-{name}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def stop(self, patience: float) -> None:
        """Begin no further round, and wait so many seconds in all for those under way."""
        self._over.set()
        for thread in self._threads:
            thread.join(patience / len(self._threads))


def _attempt(name: str, call: Callable[[], object]) -> bool:
    try:
        call()
    except RegreenError as error:
        _log.warning("round_failed", round=name, cause=error.cause)
    except Exception:  # noqa: BLE001 - a fault in one round must not end those that follow
        _log.exception("round_failed", round=name)
    else:
        return True
    return False
