"""How much more work a larger input is: a ratio, so that the machine's speed does not matter."""

import gc
import time
from collections.abc import Callable

ROUNDS = 3
LINEAR = 9.0
"""Four times the input in linear time is 4, in quadratic time 16."""


def linear(work: Callable[[int], object], size: int) -> bool:
    """Whether the work grows with its input and not with its square; asked again, since noise only ever adds."""
    return any(growth(work, size) < LINEAR for _ in range(ROUNDS))


def growth(work: Callable[[int], object], size: int) -> float:
    """CPU time of this thread on four times the size over that on the size, each the least of three rounds."""
    return _least(work, 4 * size) / _least(work, size)


def _least(work: Callable[[int], object], size: int) -> float:
    return min(_seconds(work, size) for _ in range(ROUNDS))


def _seconds(work: Callable[[int], object], size: int) -> float:
    # What a collection costs depends on all that other tests left behind.
    gc.disable()
    try:
        begun = time.thread_time()
        work(size)
        return time.thread_time() - begun
    finally:
        gc.enable()
