"""What is kept of deliveries and runs, of subjects on hold and of installations that are gone. All of it is durable."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.events import Delivery
from bot.jobs import Job, JobOutcome

LONGEST_DELAY = 600.0
"""Seconds for which a delivery is put off at most. What is to wait longer was written while a clock was ahead."""
LANE = "lane "
"""What a lease on a lane of deliveries is named with, before the lane's name."""


@dataclass(frozen=True, slots=True)
class Run:
    """One job; times are seconds since the epoch, `outcome` is `None` until it has ended."""

    identity: str
    repository: str
    subject: str
    sender: str
    queued_at: float
    ended_at: float | None
    outcome: JobOutcome | None


class Inbox(Protocol):
    """The deliveries table: the acknowledgement of a webhook is one insert here."""

    def accept(self, delivery: Delivery) -> bool:
        """Record the delivery unless its id is known; `False` says that it was. Durable when this returns."""
        ...

    def lanes(self, limit: int) -> tuple[str, ...]:
        """Lanes (see `Glance`) with pending deliveries that no worker has a lease on, that of the oldest first."""
        ...

    def pending(self, limit: int, lane: str | None = None) -> tuple[Delivery, ...]:
        """Deliveries (of a lane) that nobody decided yet and whose time has come, oldest first."""
        ...

    def urgent(self, limit: int, seconds: float) -> tuple[Delivery, ...]:
        """Of those that nobody decided, also put off: which may stop something and came so long ago, oldest first.

        Each is given out once, to one worker: what comes of that or not, its turn comes all the same.
        """
        ...

    def note_cut(self, delivery_id: str, runs: tuple[str, ...]) -> bool:
        """Note which runs an undecided delivery stopped before its turn; `False` says that it is decided already."""
        ...

    def cut(self, delivery_id: str) -> tuple[str, ...]:
        """The ids of the runs that were noted."""
        ...

    def awaiting(self, identity: str) -> str:
        """The oldest undecided delivery that was put off for the checks of this job; empty when there is none."""
        ...

    def decide(self, delivery_id: str, decision: str, identity: str | None) -> None:
        """Record what was decided: the reason of an `Ignore`, or a job's id."""
        ...

    def postpone(self, delivery_id: str, reason: str, seconds: float, most: float = 0.0, awaits: str = "") -> None:
        """Try this delivery again later, each time after twice as long, up to `most` seconds and `LONGEST_DELAY`.

        `awaits` is the job whose checks it waits for.
        """
        ...

    def unseen(self, delivery_ids: tuple[str, ...]) -> frozenset[str]:
        """Those of them that were never recorded."""
        ...

    def since(self) -> float | None:
        """When the first delivery was recorded, in seconds since the epoch; `None` before that."""
        ...


class Runs(Protocol):
    """The runs table: which jobs there were and are, at most one at a time for a subject."""

    def started(self, identity: str, job: Job) -> str:
        """Note that a job is queued, and return the id of its subject's one active run.

        That is the job's own, unless another was there first: then nothing is noted. A second call changes nothing, and
        neither does one for a job that has ended, whose id is returned.
        """
        ...

    def begun(self, identity: str, worker: str) -> None:
        """Note that a worker works on it from now on, where it was not noted before; the last worker is kept."""
        ...

    def last_begun(self, repositories: tuple[str, ...]) -> Mapping[str, float]:
        """When the last run of each of these was begun, in seconds since the epoch, where one ever was."""
        ...

    def ended(self, identity: str, outcome: JobOutcome) -> JobOutcome:
        """Note how it ended, and return the outcome that stands: the first one, for good."""
        ...

    def outcome(self, identity: str) -> JobOutcome | None:
        """How it ended, `None` while it has not."""
        ...

    def pull_closed(self, repository: str, number: int) -> None:
        """Note that a pull request was closed or merged: it stands in no run's way any more."""
        ...

    def in_the_way(self, identity: str) -> int | None:
        """The pull request that keeps a run from being begun again: that of its subject's newest run that opened one.

        `None` where it was closed, for all that was told, and for a run that goes on with a pull request, be it open.
        """
        ...

    def open(self) -> tuple[str, ...]:
        """The ids of all runs that have not ended, oldest first."""
        ...

    def forget(self, identity: str) -> None:
        """Take out a run that was noted and then never queued."""
        ...

    def of_subject(self, repository: str, subject: str, limit: int) -> tuple[Run, ...]:
        """The newest runs about a subject, newest first."""
        ...

    def active(self, installation_id: int, repositories: tuple[str, ...]) -> tuple[Run, ...]:
        """The runs that have not ended in these repositories, oldest first; of all the installation's without any."""
        ...


class Holds(Protocol):
    """The subjects about which nothing is to be started."""

    def hold(self, repository: str, subject: str, by: str, at: float) -> None:
        """Put a subject on hold, unless another word was said after `at`; who did so first has put it there.

        `at` is in seconds since the epoch. The last word is kept for good, whichever comes first.
        """
        ...

    def release(self, repository: str, subject: str, at: float) -> None:
        """Take it off, unless another word was said after `at`."""
        ...

    def held(self, repository: str, subject: str) -> str:
        """Who put it on hold; empty when it is not."""
        ...


@dataclass(frozen=True, slots=True)
class Unshown:
    """A job's last word that could not be shown; `since` is in seconds since the epoch."""

    identity: str
    text: str
    since: float


class LastWords(Protocol):
    """Where a job's last word is kept that GitHub did not take."""

    def keep(self, identity: str, text: str) -> None:
        """Keep it; the first one stands. Raises `StoreError`, `NoRoomError`."""
        ...


class Unsaid(LastWords, Protocol):
    """Last words that GitHub did not take when their jobs ended, until it does."""

    def due(self, limit: int) -> tuple[Unshown, ...]:
        """Those to try now, oldest first."""
        ...

    def later(self, identity: str) -> None:
        """Try again after a while, twice as long each time."""
        ...

    def done(self, identity: str) -> None:
        """It was shown, or nobody waits for it any more."""
        ...


class Departures(Protocol):
    """Installations that were suspended or removed, and repositories that were taken out of one."""

    def left(self, installation_id: int, repositories: tuple[str, ...], why: str) -> None:
        """Note that the App may work there no more: in these repositories, or anywhere where none are named."""
        ...

    def returned(self, installation_id: int, repositories: tuple[str, ...]) -> None:
        """Note that it may again; where none are named, anywhere."""
        ...

    def why(self, installation_id: int, repository: str) -> str:
        """Why the App may not work on a repository; empty when it may."""
        ...


class Asked(StrEnum):
    """What an operator can wish of a run."""

    CANCEL = "cancel"
    RETRY = "retry"


@dataclass(frozen=True, slots=True)
class Wish:
    """What an operator asked of a run; times are seconds since the epoch, `done_at` is `None` while it is open.

    `by` says who asked, or from where; `said` is a line on what came of it.
    """

    number: int
    identity: str
    what: Asked
    by: str
    at: float
    done_at: float | None = None
    said: str = ""


class Wishes(Protocol):
    """What operators asked of runs, on pages and command line, until a worker has seen to it."""

    def ask(self, identity: str, what: Asked, by: str, at: float) -> int:
        """Note a wish durably and return its number: that of the one which is open already, where there is one."""
        ...

    def open(self, limit: int) -> tuple[Wish, ...]:
        """Those that nobody has seen to, oldest first."""
        ...

    def done(self, number: int, said: str) -> None:
        """Note what came of it; the first word stands."""
        ...

    def wish(self, number: int) -> Wish | None:
        """One of them, `None` for a number that was never given."""
        ...


class EndedSessions(Protocol):
    """Operators' sessions that were signed out of. Both methods raise `StoreError`."""

    def end(self, nonce: str, until: int) -> None:
        """Note that one has ended, durably and for every server; `until` (s since the epoch) is when it would have."""
        ...

    def has_ended(self, nonce: str) -> bool:
        """Whether it was signed out of, anywhere; what would have ended long ago may be forgotten."""
        ...
