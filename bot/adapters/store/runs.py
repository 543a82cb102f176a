"""The runs table: which jobs there were, and how each ended."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from bot.adapters.store.database import counted, translated
from bot.adapters.store.tables import runs
from bot.jobs import Job, JobOutcome, State, subject

MAX_NOTE = 2_000
MAX_BIGINT = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Run:
    """One row of the runs table; times are seconds since the epoch, `outcome` is `None` until the job has ended."""

    identity: str
    repository: str
    subject: str
    sender: str
    queued_at: float
    ended_at: float | None
    outcome: JobOutcome | None


@dataclass(frozen=True, slots=True)
class SqlRuns:
    """`Runs` over the runs table, and what reads it. Every method raises `StoreError`."""

    engine: sa.Engine
    now: Callable[[], float] = time.time

    def started(self, identity: str, job: Job) -> None:
        """Insert the run unless it is there."""
        row = {
            "identity": identity,
            "repository": job.repository,
            "subject": subject(job),
            "sender": job.sender,
            "queued_at": self.now(),
        }
        with translated():
            try:
                with self.engine.begin() as connection:
                    connection.execute(sa.insert(runs), row)
            except IntegrityError:
                return

    def ended(self, identity: str, outcome: JobOutcome) -> JobOutcome:
        """Note the outcome; the first one stands, so that a repeated step changes nothing, and is returned.

        Whatever an outcome holds is made storable: a job that ended must never stay open for a number or a character.
        """
        change = {
            "ended_at": self.now(),
            "state": outcome.state.value,
            "headline": _text(outcome.headline),
            "stop": _text(outcome.stop),
            "pull_request": None if outcome.pull_request is None else _whole(outcome.pull_request),
            "url": _text(outcome.url),
            "tokens": _whole(outcome.tokens),
            "dollars": _amount(outcome.dollars),
            "seconds": _amount(outcome.seconds),
        }
        open_run = sa.and_(runs.c.identity == identity, runs.c.ended_at.is_(None))
        with translated(), self.engine.begin() as connection:
            if connection.execute(sa.update(runs).where(open_run).values(**change)).rowcount:
                return outcome
        return self.outcome(identity) or outcome

    def outcome(self, identity: str) -> JobOutcome | None:
        """How a run ended."""
        query = sa.select(runs).where(runs.c.identity == identity)
        with translated(), self.engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else _run(row).outcome

    def counts(self) -> dict[str, int]:
        """How many jobs are in each final state, or `open`. Raises `StoreError`."""
        return counted(self.engine, sa.func.coalesce(runs.c.state, "open"))

    def recent(self, limit: int) -> tuple[Run, ...]:
        """The newest runs, newest first."""
        query = sa.select(runs).order_by(runs.c.sequence.desc()).limit(limit)
        with translated(), self.engine.connect() as connection:
            return tuple(_run(row) for row in connection.execute(query))


def _text(value: str) -> str:
    return value[:MAX_NOTE].replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _whole(value: int) -> int:
    return min(max(value, 0), MAX_BIGINT)


def _amount(value: float) -> float:
    # compared before it is converted: an integer beyond all floats cannot be, and not-a-number is neither
    bounded = min(max(value, 0), MAX_BIGINT)
    return 0.0 if math.isnan(bounded) else float(bounded)


def _run(row: Any) -> Run:
    outcome = None
    if row.state is not None:
        outcome = JobOutcome(
            State(row.state), row.headline, row.stop, row.pull_request, row.url, row.tokens, row.dollars, row.seconds
        )
    return Run(row.identity, row.repository, row.subject, row.sender, row.queued_at, row.ended_at, outcome)
