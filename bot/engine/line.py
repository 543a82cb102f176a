"""The line that jobs wait in: DBOS's own table of workflows, read and changed with conditions that its API lacks.

A job is queued under `WAITING`, which no worker listens to. A worker with room moves jobs that may begin to the queue
of its own, from which DBOS runs them; one that stops, or that was taken out, has them moved back. Every change happens
under one lock and only where the row is still as it was seen: DBOS's `resume_workflow` has no condition, and would
begin a job anew that somebody cancelled, or that works.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from bot.engine.database import translated
from bot.engine.turns import PATIENCE, Place, Waiting

WAITING = "waiting"
OWN = "fixes"
ALONE = "worker"
"""The executor of the one worker that there is on SQLite."""
LOCK = 7_021_968_304
"""Of Postgres's advisory locks, the one of this line."""
LOCK_MILLISECONDS, IDLE_MILLISECONDS = 5_000, 10_000
ACTIVE = ("ENQUEUED", "PENDING")


def queue_of(executor: str) -> str:
    """A worker's own queue; on SQLite there is one worker, and the queue has no other name than ever."""
    return OWN if executor == ALONE else f"{OWN}:{executor}"


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands in the line: the first of each place's jobs, and the place and queue of every job that was taken."""

    waiting: tuple[Waiting, ...]
    taken: tuple[tuple[str, Place, str], ...]


Choose = Callable[[Standing], tuple[str, ...]]


class Line:
    """Over the database that DBOS keeps its tables in. Every method raises `StoreError`."""

    def __init__(self, engine: sa.Engine) -> None:
        """Nothing is read yet."""
        self.engine = engine
        self._shared = engine.dialect.name == "postgresql"
        names = ("workflow_uuid", "status", "queue_name", "queue_partition_key", "priority", "created_at", "name")
        more = ("recovery_attempts", "application_version", "executor_id", "owner_xid", "started_at_epoch_ms")
        columns: list[sa.ColumnClause[Any]] = [sa.column(name) for name in (*names, *more)]
        self._jobs = sa.table("workflow_status", *columns, schema="dbos" if self._shared else None)

    @property
    def url(self) -> str:
        """The address of the database, password and all."""
        return self.engine.url.render_as_string(hide_password=False)

    def close(self) -> None:
        """Close its connections."""
        self.engine.dispose()

    def exists(self) -> bool:
        """Whether DBOS has made its tables."""
        with translated():
            return sa.inspect(self.engine).has_table(self._jobs.name, schema=self._jobs.schema)

    def anyone(self) -> bool:
        """Whether a job waits."""
        jobs = self._jobs
        query = sa.select(sa.literal(1)).where(*self._waiting()).select_from(jobs).limit(1)
        with translated(), self.engine.connect() as connection:
            return connection.execute(query).first() is not None

    def take(self, executor: str, version: str, choose: Choose) -> tuple[str, ...]:
        """Move what `choose` chooses of the jobs that wait to this worker's queue, and return that."""
        jobs = self._jobs
        with self._locked() as connection:
            chosen = choose(self._standing(connection, version))
            if not chosen:
                return ()
            change = sa.update(jobs).where(jobs.c.workflow_uuid.in_(chosen), *self._waiting())
            moved = connection.execute(
                change.values(queue_name=queue_of(executor)).returning(jobs.c.workflow_uuid)
            ).scalars()
            return tuple(moved)

    def give_back(self, executor: str, only: Iterable[str] | None = None) -> int:
        """Let what this worker took wait again, or some of it, begun or not; returns how many jobs."""
        jobs = self._jobs
        own = [jobs.c.queue_name == queue_of(executor), jobs.c.status.in_(ACTIVE)]
        if only is not None:
            own.append(jobs.c.workflow_uuid.in_(tuple(only)))
        # without its token an execution that still runs records nothing more
        again = {"status": "ENQUEUED", "queue_name": WAITING, "owner_xid": None, "started_at_epoch_ms": None}
        with self._locked() as connection:
            return connection.execute(sa.update(jobs).where(*own).values(**again)).rowcount

    def holders(self) -> frozenset[str]:
        """The executors in whose queues there are jobs."""
        jobs = self._jobs
        query = sa.select(jobs.c.queue_name).distinct()
        query = query.where(jobs.c.status.in_(ACTIVE), jobs.c.queue_name.like(f"{OWN}:%"))
        with translated(), self.engine.connect() as connection:
            return frozenset(name.partition(":")[2] for name in connection.execute(query).scalars())

    def running(self, executor: str) -> frozenset[str]:
        """The jobs that this worker has begun, as far as the database knows."""
        jobs = self._jobs
        query = sa.select(jobs.c.workflow_uuid)
        query = query.where(jobs.c.queue_name == queue_of(executor), jobs.c.status == "PENDING")
        with translated(), self.engine.connect() as connection:
            return frozenset(connection.execute(query).scalars())

    def over(self, identities: Iterable[str]) -> frozenset[str]:
        """Those of them that do not wait or run: ended, cancelled, or never queued."""
        jobs, asked = self._jobs, frozenset(identities)
        query = sa.select(jobs.c.workflow_uuid)
        query = query.where(jobs.c.workflow_uuid.in_(asked), jobs.c.status.in_((*ACTIVE, "DELAYED")))
        with translated(), self.engine.connect() as connection:
            return asked - frozenset(connection.execute(query).scalars())

    def of_others(self, versions: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """The jobs that wait and belong to none of these versions, each with its own."""
        jobs = self._jobs
        query = sa.select(jobs.c.workflow_uuid, jobs.c.application_version)
        query = query.where(*self._waiting(), jobs.c.application_version.not_in(tuple(versions)))
        with translated(), self.engine.connect() as connection:
            return tuple((row.workflow_uuid, row.application_version) for row in connection.execute(query))

    def _waiting(self) -> tuple[sa.ColumnElement[bool], ...]:
        return (self._jobs.c.queue_name == WAITING, self._jobs.c.status == "ENQUEUED")

    def _standing(self, connection: sa.Connection, version: str) -> Standing:
        jobs = self._jobs
        begun = jobs.c.recovery_attempts > 0
        # on SQLite DBOS notes the second only, but rows are numbered
        last: sa.ColumnElement[Any] = jobs.c.workflow_uuid if self._shared else sa.literal_column("rowid")
        # as in `choose`, a step of importance outweighs so much patience; no clock is asked, so none turns it over
        late = sa.cast(sa.func.coalesce(jobs.c.priority, 0), sa.BigInteger) * round(1_000 * PATIENCE)
        order = (sa.case((begun, 0), else_=1), jobs.c.created_at + late, jobs.c.created_at, last)
        place = sa.func.row_number().over(partition_by=jobs.c.queue_partition_key, order_by=order)
        waited = self._now() - jobs.c.created_at / 1000.0
        columns = (jobs.c.workflow_uuid, jobs.c.queue_partition_key, jobs.c.priority, jobs.c.application_version)
        ranked = sa.select(*columns, begun.label("begun"), waited.label("waited"), place.label("place"))
        heads = ranked.where(*self._waiting()).subquery()
        # a first one of another version is not passed by those behind it
        query = sa.select(heads).where(heads.c.place == 1, heads.c.application_version == version)
        waiting = tuple(_waiting(row) for row in connection.execute(query))
        query = sa.select(jobs.c.workflow_uuid, jobs.c.queue_partition_key, jobs.c.queue_name)
        query = query.where(jobs.c.status.in_(ACTIVE), jobs.c.queue_name.like(f"{OWN}%"))
        rows = connection.execute(query)
        taken = tuple((row.workflow_uuid, Place.read(row.queue_partition_key or ""), row.queue_name) for row in rows)
        return Standing(waiting, taken)

    def _now(self) -> sa.ColumnElement[float]:
        if self._shared:
            return sa.cast(sa.extract("epoch", sa.func.clock_timestamp()), sa.Float)
        return (sa.func.julianday("now") - 2_440_587.5) * 86_400.0

    @contextmanager
    def _locked(self) -> Iterator[sa.Connection]:
        with translated(), self.engine.begin() as connection:
            if self._shared:
                # a worker that freezes here loses the lock
                limits = {"lock_timeout": LOCK_MILLISECONDS, "idle_in_transaction_session_timeout": IDLE_MILLISECONDS}
                here = [sa.func.set_config(name, str(milliseconds), sa.true()) for name, milliseconds in limits.items()]
                connection.execute(sa.select(*here))
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
            yield connection


def _waiting(row: Any) -> Waiting:
    place = Place.read(row.queue_partition_key or "")
    return Waiting(row.workflow_uuid, place, row.priority or 0, max(float(row.waited), 0.0), bool(row.begun))
