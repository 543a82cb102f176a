"""Deliveries that never arrived, asked for again: GitHub itself repeats none.

Nothing is remembered between two looks: GitHub's log says how often each was tried, and the inbox which arrived.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import structlog

from bot.errors import NotFoundError
from bot.events import HANDLED
from bot.pipeline.ports.app import App, Attempt
from bot.pipeline.ports.store import Inbox

KEPT_SECONDS = 3 * 86_400.0
"""How long GitHub keeps deliveries; Enterprise Server keeps them for 7 days."""
MOST_LISTED = 5_000
MOST_ASKED = 100
MOST_TRIES = 8
"""How often one delivery is tried: what every time comes to nothing is not worth a ninth."""
FIRST_WAIT = 60.0
"""Seconds to leave a delivery alone after a first attempt, which may still be under way; doubled by each further."""
LONGEST_WAIT = 6 * 3_600.0
TRIES_OF_TAKEN = 2
"""How often one is tried that was answered with success all the same, as a proxy does whose own server is down."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Recovered:
    """What one look came to: attempts listed, and deliveries asked for; `whole` unless a bound cut something off."""

    listed: int
    asked: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Recovery:
    """`look` at start-up and every few minutes; `now` gives seconds since the epoch."""

    app: App
    inbox: Inbox
    now: Callable[[], float]
    kept_seconds: float = KEPT_SECONDS
    first_wait: float = FIRST_WAIT

    def look(self) -> Recovered:
        """Ask again for what is missing, oldest first. Raises `GitHubError`, `StoreError`; what was asked stays so."""
        now = self.now()
        since = now - self.kept_seconds
        attempts = self.app.attempts(since, MOST_LISTED)
        missing = self._missing(attempts.found, now)
        asked = sum(self._ask(one) for one in missing[:MOST_ASKED])
        return Recovered(len(attempts.found), asked, attempts.whole and len(missing) <= MOST_ASKED)

    def _missing(self, attempts: Iterable[Attempt], now: float) -> list[Attempt]:
        """The last attempt of each delivery that is worth another one, oldest first."""
        tried: dict[str, list[Attempt]] = {}
        for attempt in attempts:
            if attempt.event in HANDLED:
                tried.setdefault(attempt.guid, []).append(attempt)
        began = self.inbox.since()
        due = [tries for tries in tried.values() if self._due(tries, began, now)]
        unseen = self.inbox.unseen(tuple(tries[0].guid for tries in due))
        return sorted((tries[0] for tries in due if tries[0].guid in unseen), key=lambda one: (one.at, one.identity))

    def _due(self, tries: list[Attempt], began: float | None, now: float) -> bool:
        taken = [one.at for one in tries if one.ok]
        if taken and (began is None or max(taken) < began):
            # An earlier database had it: with a new one, nothing of the past begins anew.
            return False
        wait = min(self.first_wait * 2.0 ** (len(tries) - 1), LONGEST_WAIT)
        return len(tries) < (TRIES_OF_TAKEN if taken else MOST_TRIES) and max(one.at for one in tries) + wait <= now

    def _ask(self, attempt: Attempt) -> bool:
        try:
            self.app.redeliver(attempt.identity)
        except NotFoundError as error:
            _log.warning("delivery_lost", delivery=attempt.guid, event_name=attempt.event, cause=error.cause)
            return False
        _log.info("delivery_asked_for", delivery=attempt.guid, event_name=attempt.event)
        return True
