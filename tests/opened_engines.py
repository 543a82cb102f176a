"""Durable engines in this process: started one after the other, closed together, waited for."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bot.engine.durable import DurableEngine

PATIENCE = 30.0


@contextmanager
def opening() -> Iterator[Callable[[DurableEngine], DurableEngine]]:
    """What starts an engine and returns it; at the end all are closed, in the order in which they were started."""
    opened: list[DurableEngine] = []

    def start(engine: DurableEngine) -> DurableEngine:
        engine.start()
        opened.append(engine)
        return engine

    yield start
    for engine in opened:
        engine.close()


def until(condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Wait for it; the test fails where that takes longer."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
