"""When a repair has nothing more to gain from another attempt."""

import re

from bot.repair.types import Attempt, Origin, StopReason, Verdict

FORMAT_ERRORS = 3
SAME_FAILURES = 3

Stop = tuple[StopReason, str]


def stop_after(attempts: tuple[Attempt, ...]) -> Stop | None:
    """Why the last attempt ends the repair, with one sentence of detail, or `None` to go on."""
    last = attempts[-1]
    if last.verdict is Verdict.SOLVED:
        return StopReason.SOLVED, last.reason
    if last.verdict is Verdict.REPEATED and not _enumerated(last):
        return _repeated(attempts)
    tail = attempts[-FORMAT_ERRORS:]
    if len(tail) == FORMAT_ERRORS and all(attempt.verdict is Verdict.NOT_APPLIED for attempt in tail):
        return StopReason.FORMAT_ERRORS, last.reason
    tail = attempts[-SAME_FAILURES:]
    signatures = {_signature(attempt) for attempt in tail}
    if len(tail) == SAME_FAILURES and len(signatures) == 1 and None not in signatures:
        return StopReason.SAME_FAILURE, last.failure
    return None


def earlier(attempts: tuple[Attempt, ...], tree: str) -> Attempt | None:
    """The latest attempt with this code that was judged on its own."""
    return next(
        (past for past in reversed(attempts) if past.tree == tree and past.verdict is not Verdict.REPEATED), None
    )


def _repeated(attempts: tuple[Attempt, ...]) -> Stop:
    *past, last = attempts
    before = next(attempt for attempt in reversed(past) if attempt.tree)
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
