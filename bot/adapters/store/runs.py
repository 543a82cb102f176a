"""The runs table: which jobs there were, and how each ended."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from bot.adapters.store.database import counted, storable, translated
from bot.adapters.store.standing import IN_THE_WAY
from bot.adapters.store.tables import runs
from bot.errors import StoreError
from bot.jobs import FixIssue, Job, JobOutcome, State, begins_pull_request, subject
from bot.pipeline.ports.store import Run

MAX_NOTE = 2_000
MAX_TITLE = 300
MAX_BIGINT = 2**63 - 1
TRIES = 10


@dataclass(frozen=True, slots=True)
class SqlRuns:
    """`Runs` over the runs table, and what reads it. Every method raises `StoreError`."""

    engine: sa.Engine
    now: Callable[[], float] = time.time

    def started(self, identity: str, job: Job) -> str:
        """Insert the run unless it is there, or another that has not ended; see `Runs.started`."""
        row = {
            "identity": identity,
            "installation": job.installation_id,
            "repository": job.repository,
            "subject": subject(job),
            "sender": job.sender,
            "title": storable(job.title, MAX_TITLE) if isinstance(job, FixIssue) else "",
            "begins": begins_pull_request(job),
            "queued_at": self.now(),
            "active": f"{job.repository} {subject(job)}",
        }
        there = sa.or_(runs.c.identity == identity, runs.c.active == row["active"])
        # its own row before that of another
        first = sa.select(runs.c.identity).where(there).order_by(runs.c.identity != identity).limit(1)
        with translated():
            for _ in range(TRIES):
                try:
                    with self.engine.begin() as connection:
                        connection.execute(sa.insert(runs), row)
                except IntegrityError:
                    with self.engine.connect() as connection:
                        found = connection.execute(first).scalar_one_or_none()
                    # the other may have ended in between
                    if found is not None:
                        return str(found)
                else:
                    return identity
        raise StoreError(f"The runs of {row['active']} begin and end too fast to add one", "Try again.")

    def begun(self, identity: str, worker: str) -> None:
        """Note the worker and, the first time, the moment."""
        change = sa.update(runs).where(runs.c.identity == identity, runs.c.ended_at.is_(None))
        change = change.values(worker=worker, started_at=sa.func.coalesce(runs.c.started_at, self.now()))
        with translated(), self.engine.begin() as connection:
            connection.execute(change)

    def last_begun(self, repositories: tuple[str, ...]) -> dict[str, float]:
        """When each of these had a run begun last."""
        query = sa.select(runs.c.repository, sa.func.max(runs.c.started_at).label("at")).group_by(runs.c.repository)
        query = query.where(runs.c.repository.in_(repositories), runs.c.started_at.is_not(None))
        with translated(), self.engine.connect() as connection:
            return {row.repository: row.at for row in connection.execute(query)}

    def ended(self, identity: str, outcome: JobOutcome) -> JobOutcome:
        """Note the outcome; the first one stands, so that a repeated step changes nothing, and is returned.

        Whatever an outcome holds is made storable: a job that ended must never stay open for a number or a character.
        """
        change = {
            "ended_at": self.now(),
            "state": outcome.state.value,
            "headline": storable(outcome.headline, MAX_NOTE),
            "stop": storable(outcome.stop, MAX_NOTE),
            "pull_request": None if outcome.pull_request is None else _whole(outcome.pull_request),
            "url": storable(outcome.url, MAX_NOTE),
            "tokens": _whole(outcome.tokens),
            "dollars": _amount(outcome.dollars),
            "seconds": _amount(outcome.seconds),
            "pull_open": runs.c.begins if outcome.pull_request is not None else sa.false(),
            "active": None,
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

    def pull_closed(self, repository: str, number: int) -> None:
        """Note it with the runs that opened it."""
        own = runs.c.repository == repository, runs.c.pull_request == number, runs.c.pull_open
        with translated(), self.engine.begin() as connection:
            connection.execute(sa.update(runs).where(*own).values(pull_open=False))

    def in_the_way(self, identity: str) -> int | None:
        """The number of the pull request that keeps the run from being begun again."""
        with translated(), self.engine.connect() as connection:
            return connection.execute(sa.select(IN_THE_WAY).where(runs.c.identity == identity)).scalar_one_or_none()

    def open(self) -> tuple[str, ...]:
        """The runs that have not ended."""
        query = sa.select(runs.c.identity).where(runs.c.ended_at.is_(None)).order_by(runs.c.sequence)
        with translated(), self.engine.connect() as connection:
            return tuple(connection.execute(query).scalars())

    def forget(self, identity: str) -> None:
        """Delete the row, unless the run has ended."""
        with translated(), self.engine.begin() as connection:
            connection.execute(sa.delete(runs).where(runs.c.identity == identity, runs.c.ended_at.is_(None)))

    def of_subject(self, repository: str, subject: str, limit: int) -> tuple[Run, ...]:
        """The newest runs about a subject, newest first."""
        query = sa.select(runs).where(runs.c.repository == repository, runs.c.subject == subject)
        return self._found(query.order_by(runs.c.sequence.desc()).limit(limit))

    def active(self, installation_id: int, repositories: tuple[str, ...]) -> tuple[Run, ...]:
        """The runs that have not ended, oldest first."""
        query = sa.select(runs).where(runs.c.installation == installation_id, runs.c.ended_at.is_(None))
        query = query.where(runs.c.repository.in_(repositories)) if repositories else query
        return self._found(query.order_by(runs.c.sequence))

    def counts(self) -> dict[str, int]:
        """How many jobs are in each final state, or `open`. Raises `StoreError`."""
        return counted(self.engine, sa.func.coalesce(runs.c.state, "open"))

    def recent(self, limit: int) -> tuple[Run, ...]:
        """The newest runs, newest first."""
        return self._found(sa.select(runs).order_by(runs.c.sequence.desc()).limit(limit))

    def _found(self, query: sa.Select[Any]) -> tuple[Run, ...]:
        with translated(), self.engine.connect() as connection:
            return tuple(_run(row) for row in connection.execute(query))


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
