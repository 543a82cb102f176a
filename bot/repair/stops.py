"""When there is nothing more to gain from asking again. Rounds are judged, not candidates: siblings may fail alike."""

import re
from collections.abc import Sequence
from itertools import groupby

from bot.repair.types import Attempt, Origin, StopReason, Verdict

FORMAT_ERRORS = 3
SAME_FAILURES = 3

Stop = tuple[StopReason, str]
Round = tuple[Attempt, ...]


def rounds(attempts: Sequence[Attempt]) -> tuple[Round, ...]:
    """The attempts by the iteration that they belong to."""
    return tuple(tuple(group) for _, group in groupby(attempts, key=lambda attempt: attempt.round))


def stop_after(attempts: tuple[Attempt, ...]) -> Stop | None:
    """Why the last round ends the asking, with one sentence of detail, or `None` to go on."""
    every = rounds(attempts)
    last = every[-1][-1]
    if _all(every[-1:], Verdict.REPEATED) and not _enumerated(last):
        return _repeated(attempts)
    tail = every[-FORMAT_ERRORS:]
    if len(tail) == FORMAT_ERRORS and _all(tail, Verdict.NOT_APPLIED):
        return StopReason.FORMAT_ERRORS, last.reason
    tail = every[-SAME_FAILURES:]
    signatures = {_signature(attempt) for one in tail for attempt in one}
    if len(tail) == SAME_FAILURES and len(signatures) == 1 and None not in signatures:
        return StopReason.SAME_FAILURE, last.failure
    return None


def earlier(attempts: Sequence[Attempt], tree: str) -> Attempt | None:
    """The latest attempt with this code that was judged on its own."""
    return next(
        (past for past in reversed(attempts) if past.tree == tree and past.verdict is not Verdict.REPEATED), None
    )


def _all(tail: Sequence[Round], verdict: Verdict) -> bool:
    return all(attempt.verdict is verdict for one in tail for attempt in one)


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
    if _enumerated(attempt) or not ran or not attempt.failure:
        return None
    return re.sub(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)?", "#", attempt.failure), len(attempt.comparison.fixed)


def _enumerated(attempt: Attempt) -> bool:
    """Whether a search made the candidate: it learns from no failure, so failing alike does not show it is stuck."""
    return attempt.proposal is not None and attempt.proposal.origin is Origin.MUTATION
