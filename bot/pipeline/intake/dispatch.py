"""From recorded deliveries to queued jobs and to acts that are done.

Deliveries are decided in lanes, one a repository: one after the other, by one worker, which has a lease on the lane. A
crash anywhere in here changes nothing: the same delivery is read again, its job has the same id, and its act finds what
was done already.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import structlog
from structlog.contextvars import bound_contextvars

from bot.acts import Cancel
from bot.errors import CredentialsError, GitHubError, GitHubUnavailableError, RegreenError
from bot.events import Delivery
from bot.events.glance import glance
from bot.jobs import Job
from bot.pipeline.intake.acts import Acting
from bot.pipeline.intake.holding import Holding, LapsedError
from bot.pipeline.intake.lookup import Decision, Lookup
from bot.pipeline.intake.queueing import Intake, NotYetError, Taken
from bot.pipeline.ports.store import LANE, LONGEST_DELAY, Inbox
from bot.triggers import Ignore

BATCH = 10
FIRST_DELAY = 5.0
HURRY_SECONDS = 2.0
"""After so long a delivery that may stop something does not wait for its turn."""
HURRYING = 4
"""How many of those are looked at at once: GitHub may take long over one."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """Reads the inbox, decides, queues or acts, and logs each outcome: queued, done, ignored or postponed."""

    inbox: Inbox
    lookup: Lookup
    intake: Intake
    acting: Acting
    holding: Holding
    decided: Callable[[str, str], None] = lambda _event, _outcome: None
    """Told of each delivery that was looked at: its event's name, and what came of it."""

    def step(self) -> int:
        """Work through deliveries that are due, lane by lane; returns how many there were. Raises as `work` does."""
        return sum(map(self.work, self.inbox.lanes(BATCH)))

    def work(self, lane: str, stopped: Callable[[], bool] = bool) -> int:
        """Work through the next deliveries of a lane, oldest first, until `stopped`; returns how many there were.

        One that GitHub or a fault keeps from being decided is put off, longer each time, and the others go on. A lane
        that another thread or worker has is left to it. Raises `StoreError` when the inbox itself fails.
        """
        done = 0
        with self.holding.turn(LANE + lane) as ours:
            for delivery in self.inbox.pending(BATCH, lane) if ours else ():
                if stopped():
                    break
                with bound_contextvars(delivery=delivery.delivery_id):
                    self._settle(delivery, LANE + lane)
                done += 1
        return done

    def hurry(self) -> int:
        """Cancel what late deliveries stop; returns how many were looked at. For a thread of its own.

        Nothing else comes out of turn: in its turn each is decided as ever, so that what was asked for before it is
        stopped too, and the word about it is written. Raises `StoreError`.
        """
        late = self.inbox.urgent(BATCH, HURRY_SECONDS)
        if not late:
            return 0
        with ThreadPoolExecutor(HURRYING, "hurry") as threads:
            list(threads.map(self._cut, late))
        return len(late)

    def _cut(self, delivery: Delivery) -> None:
        try:
            decision = self.lookup.decision(delivery)
            if isinstance(decision, Cancel):
                runs = self.acting.cut_short(decision)
                if not self.inbox.note_cut(delivery.delivery_id, runs):
                    # its turn came in between, and told of nothing
                    self.acting.leave_word(runs)
        except RegreenError as error:
            _log.info("not_hurried", delivery=delivery.delivery_id, cause=error.cause)
        except Exception:  # noqa: BLE001 - its turn comes all the same
            _log.exception("delivery_fault", delivery=delivery.delivery_id)

    def _settle(self, delivery: Delivery, lease: str) -> None:
        try:
            decision = self.lookup.decision(delivery)
            self.holding.require(lease)
            if glance(delivery).may_stop:
                self.acting.tell_of(self.inbox.cut(delivery.delivery_id))
            outcome, taken = self._done(decision)
        except LapsedError:
            # who has the lane now decides it
            self._tell("left", delivery, reason="the lease on its lane lapsed", job=None)
        except NotYetError as later:
            self._put_off(delivery, later)
        except (GitHubUnavailableError, CredentialsError) as error:
            self._fail(delivery, error.cause)
        except GitHubError as error:
            self._decide(delivery, "ignored", Taken(f"GitHub does not let the App do it: {error.cause}"))
        except Exception as error:  # noqa: BLE001 - one delivery must not hold up all others
            _log.exception("delivery_fault", delivery=delivery.delivery_id)
            self._fail(delivery, f"a fault in Regreen: {type(error).__name__}")
        else:
            self._decide(delivery, outcome, taken)

    def _done(self, decision: Decision) -> tuple[str, Taken]:
        if isinstance(decision, Ignore):
            return "ignored", Taken(decision.reason)
        if not isinstance(decision, Job):
            return "done", Taken(self.acting.do(decision))
        taken = self.intake.take(decision)
        return "queued" if taken.identity else "ignored", taken

    def _decide(self, delivery: Delivery, outcome: str, taken: Taken) -> None:
        self.inbox.decide(delivery.delivery_id, taken.said, taken.identity)
        self._tell(outcome, delivery, reason=taken.said, job=taken.identity)

    def _fail(self, delivery: Delivery, reason: str) -> None:
        self._put_off(delivery, NotYetError(reason, FIRST_DELAY, LONGEST_DELAY))

    def _put_off(self, delivery: Delivery, later: NotYetError) -> None:
        """Look at it again later."""
        self.inbox.postpone(delivery.delivery_id, later.reason, later.seconds, later.most, later.awaits)
        self._tell("postponed", delivery, reason=later.reason, job=None)

    def _tell(self, outcome: str, delivery: Delivery, *, reason: str, job: str | None) -> None:
        self.decided(delivery.event, outcome)
        _log.info(
            f"delivery_{outcome}", delivery=delivery.delivery_id, event_name=delivery.event, reason=reason, job=job
        )
