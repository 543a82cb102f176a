"""Which candidate is taken where several turn every target green and break nothing."""

from collections import Counter
from collections.abc import Iterable

from bot.repair.types import Attempt, Origin, Verdict

TRUST = {Origin.GIVEN: 2, Origin.MODEL: 1, Origin.MUTATION: 0}
FROM = {Origin.GIVEN: "what was given", Origin.MODEL: "the model", Origin.MUTATION: "the mutation search"}


def passing(attempts: Iterable[Attempt]) -> tuple[Attempt, ...]:
    """Those that solve the task, one for each distinct code, the most believable first.

    What most candidates agree on once layout is taken out comes first, then trusted origins, then fewest changed
    lines, then the earliest.
    """
    every = tuple(attempts)
    votes = Counter(attempt.tree for attempt in every)
    solved = {attempt.tree: attempt for attempt in reversed(every) if attempt.verdict is Verdict.SOLVED}
    return tuple(
        sorted(
            solved.values(),
            key=lambda attempt: (-votes[attempt.tree], -_trust(attempt), attempt.changed_lines, attempt.number),
        )
    )


def among(found: tuple[Attempt, ...]) -> str:
    """Of how many the first was chosen, as the end of a sentence: several show that the tests leave something open."""
    if len(found) == 1:
        return ""
    origins = Counter(attempt.proposal.origin for attempt in found if attempt.proposal)
    named = ", ".join(f"{count} from {FROM[origin]}" for origin, count in sorted(origins.items()))
    chosen = FROM[found[0].proposal.origin] if found[0].proposal else ""
    return f"; chosen from {chosen} among {len(found)} distinct candidates that pass ({named})"


def _trust(attempt: Attempt) -> int:
    return TRUST[attempt.proposal.origin] if attempt.proposal else -1
