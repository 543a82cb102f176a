"""Ochiai over what each test called: exact where `bot.repair.localisation.reach` guesses (Abreu et al. 2006)."""

from collections import Counter
from collections.abc import Collection, Sequence
from math import sqrt

from bot.repair.localisation.observed import Covered

Line = tuple[str, int]
"""A function by its path and first line."""


def ochiai(failing: Collection[str], covered: Sequence[Covered]) -> dict[Line, float]:
    """The suspicion, in (0, 1], of each function that a failing test called.

    Failing tests that called it, over the root of (failing tests) times (all tests that called it). Only tests whose
    calls are known count; without a failing one among them there is none.
    """
    red: Counter[Line] = Counter()
    green: Counter[Line] = Counter()
    failed = 0
    for test in {test.node_id: test for test in covered}.values():
        is_red = test.node_id in failing
        failed += is_red
        (red if is_red else green).update(set(test.functions))
    return {line: count / sqrt(failed * (count + green[line])) for line, count in red.items()}
