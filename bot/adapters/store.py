"""The deliveries and runs tables over SQLAlchemy Core: SQLite by default, Postgres by URL."""

import hashlib
import math
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from bot.errors import NoRoomError, StoreError
from bot.events import Delivery
from bot.jobs import Job, JobOutcome, State, subject

BUSY_MILLISECONDS = 10_000
SWITCHES, SWITCH_SECONDS = 100, 0.05
MAX_NOTE = 2_000
MAX_BIGINT = 2**63 - 1

metadata = sa.MetaData()

deliveries = sa.Table(
    "deliveries",
    metadata,
    sa.Column("sequence", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
    sa.Column("delivery_id", sa.Text, nullable=False, unique=True),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("received_at", sa.Float, nullable=False),
    sa.Column("not_before", sa.Float, nullable=False),
    sa.Column("postponed", sa.Text),
    sa.Column("decided_at", sa.Float),
    sa.Column("decision", sa.Text),
    sa.Column("identity", sa.Text),
    sa.Column("digest", sa.Text),
    sa.Index("deliveries_pending", "decided_at", "sequence"),
    sa.Index("deliveries_digest", "digest", unique=True),
)

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("sequence", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
    sa.Column("identity", sa.Text, nullable=False, unique=True),
    sa.Column("repository", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("sender", sa.Text, nullable=False),
    sa.Column("queued_at", sa.Float, nullable=False),
    sa.Column("ended_at", sa.Float),
    sa.Column("state", sa.Text),
    sa.Column("headline", sa.Text, nullable=False, server_default=""),
    sa.Column("stop", sa.Text, nullable=False, server_default=""),
    sa.Column("pull_request", sa.BigInteger),
    sa.Column("url", sa.Text, nullable=False, server_default=""),
    sa.Column("tokens", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("dollars", sa.Float, nullable=False, server_default="0"),
    sa.Column("seconds", sa.Float, nullable=False, server_default="0"),
)


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


def connect(url: str) -> sa.Engine:
    """An engine for `url`. SQLite: write-ahead log, waits for locks, and a commit is on disk when it returns."""
    engine = sa.create_engine(url, pool_pre_ping=True)
    if engine.dialect.name == "sqlite":
        _make_parent(engine.url)
        sa.event.listen(engine, "connect", _set_pragmas)
    return engine


def migrate(url: str) -> None:
    """Bring the schema up to date; several processes may do this at once. Raises `StoreError`, `NoRoomError`."""
    engine = connect(url)
    if engine.dialect.name == "sqlite":
        # Taking the write lock first makes check and change one, also for tables, which sqlite3 does not by itself.
        sa.event.listen(engine, "connect", _leave_transactions_alone)
        sa.event.listen(engine, "begin", _begin_immediate)
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    try:
        with _translated(), engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    finally:
        engine.dispose()


@dataclass(frozen=True, slots=True)
class SqlInbox:
    """`Inbox` over the deliveries table. `now` gives seconds since the epoch. Every method raises `StoreError`."""

    engine: sa.Engine
    now: Callable[[], float] = time.time

    def accept(self, delivery: Delivery) -> bool:
        """Insert unless the id is there, or the body under another id; durable when this returns.

        GitHub signs the body alone: whoever has seen one delivery can send it again under any id, at any time. Honest
        bodies differ, since an issue and a check suite carry the second of their last change; two alike within that
        second ask for the same. So a body counts once, for ever, for each event name.
        """
        now = self.now()
        row = {
            "delivery_id": delivery.delivery_id,
            "event": delivery.event,
            "body": delivery.body,
            "received_at": now,
            "not_before": now,
            "digest": hashlib.sha256(f"{delivery.event}\n".encode() + delivery.body).hexdigest(),
        }
        with _translated():
            try:
                with self.engine.begin() as connection:
                    connection.execute(sa.insert(deliveries), row)
            except IntegrityError:
                return False
        return True

    def pending(self, limit: int) -> tuple[Delivery, ...]:
        """Undecided deliveries whose time has come, oldest first."""
        query = (
            sa.select(deliveries.c.delivery_id, deliveries.c.event, deliveries.c.body)
            .where(deliveries.c.decided_at.is_(None), deliveries.c.not_before <= self.now())
            .order_by(deliveries.c.sequence)
            .limit(limit)
        )
        with _translated(), self.engine.connect() as connection:
            return tuple(Delivery(row.delivery_id, row.event, row.body) for row in connection.execute(query))

    def decide(self, delivery_id: str, decision: str, identity: str | None) -> None:
        """Record the decision; the first one stands."""
        change = {"decided_at": self.now(), "decision": decision[:MAX_NOTE], "identity": identity, "postponed": None}
        self._update(delivery_id, change)

    def postpone(self, delivery_id: str, reason: str, seconds: float) -> None:
        """Keep an undecided delivery out of `pending` for a while."""
        self._update(delivery_id, {"not_before": self.now() + seconds, "postponed": reason[:MAX_NOTE]})

    def unready(self) -> str | None:
        """Why deliveries cannot be recorded now, `None` when they can: asks the database itself."""
        try:
            with _translated(), self.engine.connect() as connection:
                connection.execute(sa.select(deliveries.c.sequence).limit(1)).all()
        except (StoreError, NoRoomError) as error:
            return error.cause
        return None

    def counts(self) -> dict[str, int]:
        """How many deliveries are queued as jobs, ignored, or pending. Raises `StoreError`."""
        decided = sa.case((deliveries.c.identity.is_not(None), "queued"), else_="ignored")
        return _counted(self.engine, sa.case((deliveries.c.decided_at.is_(None), "pending"), else_=decided))

    def _update(self, delivery_id: str, change: dict[str, Any]) -> None:
        undecided = sa.and_(deliveries.c.delivery_id == delivery_id, deliveries.c.decided_at.is_(None))
        with _translated(), self.engine.begin() as connection:
            connection.execute(sa.update(deliveries).where(undecided).values(**change))


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
        with _translated():
            try:
                with self.engine.begin() as connection:
                    connection.execute(sa.insert(runs), row)
            except IntegrityError:
                return

    def ended(self, identity: str, outcome: JobOutcome) -> None:
        """Note the outcome; the first one stands, so that a repeated step changes nothing.

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
        with _translated(), self.engine.begin() as connection:
            connection.execute(sa.update(runs).where(open_run).values(**change))

    def counts(self) -> dict[str, int]:
        """How many jobs are in each final state, or `open`. Raises `StoreError`."""
        return _counted(self.engine, sa.func.coalesce(runs.c.state, "open"))

    def recent(self, limit: int) -> tuple[Run, ...]:
        """The newest runs, newest first."""
        query = sa.select(runs).order_by(runs.c.sequence.desc()).limit(limit)
        with _translated(), self.engine.connect() as connection:
            return tuple(_run(row) for row in connection.execute(query))


def _text(value: str) -> str:
    return value[:MAX_NOTE].replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _whole(value: int) -> int:
    return min(max(value, 0), MAX_BIGINT)


def _amount(value: float) -> float:
    # compared before it is converted: an integer beyond all floats cannot be, and not-a-number is neither
    bounded = min(max(value, 0), MAX_BIGINT)
    return 0.0 if math.isnan(bounded) else float(bounded)


def _counted(engine: sa.Engine, column: sa.ColumnElement[str]) -> dict[str, int]:
    query = sa.select(column.label("value"), sa.func.count()).group_by(sa.text("value"))
    with _translated(), engine.connect() as connection:
        return {str(value): number for value, number in connection.execute(query)}


def _run(row: Any) -> Run:
    outcome = None
    if row.state is not None:
        outcome = JobOutcome(
            State(row.state), row.headline, row.stop, row.pull_request, row.url, row.tokens, row.dollars, row.seconds
        )
    return Run(row.identity, row.repository, row.subject, row.sender, row.queued_at, row.ended_at, outcome)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        # The driver's text only: SQLAlchemy's own shows parameters, among them issue texts.
        driver = str(error.orig) if isinstance(error, DBAPIError) else type(error).__name__
        if "disk is full" in driver or "No space left" in driver:
            raise NoRoomError("The database has no room left", "Free space in the data directory.") from None
        remedy = "Check the data directory, the database's address and its log; `/readyz` names what is wrong."
        raise StoreError(f"The database failed: {driver}", remedy) from None


def _make_parent(url: sa.URL) -> None:
    if url.database and url.database != ":memory:":
        Path(url.database).parent.mkdir(mode=0o700, parents=True, exist_ok=True)


def _set_pragmas(connection: Any, _record: object) -> None:
    # First, since switching to the write-ahead log needs a lock too.
    connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
    for left in reversed(range(SWITCHES)):
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            break
        except sqlite3.OperationalError:
            # Two that switch at once are refused without waiting, lest they wait for each other.
            if not left:
                raise
            time.sleep(SWITCH_SECONDS)
    connection.execute("PRAGMA synchronous=FULL")


def _leave_transactions_alone(connection: Any, _record: object) -> None:
    connection.isolation_level = None


def _begin_immediate(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
