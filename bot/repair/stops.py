"""When there is nothing more to gain from asking again. Rounds are judged, not candidates: siblings may fail alike."""

import math
import re
from collections.abc import Sequence
from itertools import groupby

from bot.repair.measuring.compare import broken
from bot.repair.types import Attempt, Origin, StopReason, Verdict

FORMAT_ERRORS = 3
PATIENCE = 2

Stop = tuple[StopReason, str]
Round = tuple[Attempt, ...]


def rounds(attempts: Sequence[Attempt]) -> tuple[Round, ...]:
    """The attempts by the iteration that they belong to."""
    return tuple(tuple(group) for _, group in groupby(attempts, key=lambda attempt: attempt.round))


def enumerated(attempt: Attempt) -> bool:
    """Whether a search made the candidate: it learns from no failure, so failing alike does not show it is stuck."""
    return attempt.proposal is not None and attempt.proposal.origin is Origin.MUTATION


def failures(attempt: Attempt) -> float:
    """How many tests fail with it that should pass; without limit where it turns none green."""
    seen = attempt.comparison
    judged = attempt.verdict not in {Verdict.REPEATED, Verdict.INVALID_RUN}
    return len(seen.still_failing) + len(broken(seen)) if judged and seen.fixed else math.inf


def shrank(every: Sequence[Round]) -> bool:
    """Whether fewer tests fail with the best of the last round than on base, and than with any attempt before it."""
    *before, last = every
    best = min(last, key=failures)
    on_base = len(best.comparison.fixed) + len(best.comparison.still_failing)
    return failures(best) < min([on_base, *(failures(attempt) for one in before for attempt in one)])


def stop_after(attempts: tuple[Attempt, ...], patience: int = PATIENCE) -> Stop | None:
    """Why the last round ends the asking, with one sentence of detail, or `None` to go on.

    A search ends by itself. A greedy answer that was there before ends nothing: there are others to be had.
    """
    every = tuple(one for one in rounds(attempts) if not any(map(enumerated, one)))
    if not every or every[-1][-1] is not attempts[-1]:
        return None
    last = every[-1][-1]
    if _all(every[-1:], Verdict.REPEATED) and not last.greedy:
        return _repeated(attempts)
    tail = every[-FORMAT_ERRORS:]
    if len(tail) == FORMAT_ERRORS and _all(tail, Verdict.NOT_APPLIED):
        return StopReason.FORMAT_ERRORS, last.reason
    tail = every[-patience - 1 :]
    signatures = {_signature(attempt) for one in tail for attempt in one}
    if len(tail) == patience + 1 and len(signatures) == 1 and None not in signatures:
        return StopReason.SAME_FAILURE, last.failure
    if _no_closer(every, patience):
        return StopReason.NO_SHRINK, f"{patience} rounds of fresh candidates in a row, none of them closer"
    return None


def earlier(attempts: Sequence[Attempt], tree: str) -> Attempt | None:
    """The latest attempt with this code that was judged on its own: a run that cannot be believed judged nothing."""
    unjudged = {Verdict.REPEATED, Verdict.INVALID_RUN}
    return next((past for past in reversed(attempts) if past.tree == tree and past.verdict not in unjudged), None)


def _all(tail: Sequence[Round], verdict: Verdict) -> bool:
    return all(attempt.verdict is verdict for one in tail for attempt in one)


def _no_closer(every: tuple[Round, ...], patience: int) -> bool:
    """Whether the last rounds were all of several candidates, and none of them came closer than what was there."""
    tail = every[-patience:]
    fresh = len(tail) == patience and all(len(one) > 1 and not _all((one,), Verdict.NOT_APPLIED) for one in tail)
    return fresh and not any(shrank(every[: len(every) - ago]) for ago in range(patience))


def _repeated(attempts: tuple[Attempt, ...]) -> Stop:
    last = attempts[-1]
    before = next(attempt for attempt in reversed(attempts) if attempt.tree and attempt.round < last.round)
    if before.tree == last.tree:
        return StopReason.IDENTICAL_CODE, last.reason
    return StopReason.CYCLE, last.reason


def _signature(attempt: Attempt) -> tuple[str, int] | None:
    """How an attempt failed, numbers left out; `None` where that says nothing of its author.

    More fixed targets are progress even if the first failure stays.
    """
    ran = attempt.verdict in {Verdict.NOT_FIXED, Verdict.PARTIAL, Verdict.REGRESSED, Verdict.INVALID_RUN}
    if not ran or not attempt.failure:
        return None
    return re.sub(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)?", "#", attempt.failure), len(attempt.comparison.fixed)
