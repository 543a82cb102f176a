"""The spends and charges tables: `Ledger` for any number of workers on one database."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import sqlalchemy as sa

from bot.adapters.store.database import translated
from bot.adapters.store.dialects import insert, writing
from bot.adapters.store.tables import charges, installations, runs, spends
from bot.errors import StoreError
from bot.pipeline.spending.ledger import DAY, Account, Allowance, Balance, Grant

MILLIONTHS = 1_000_000
MOST = 10**15
"""Millionths: a thousand million dollars. What a sum of many of them takes still fits its column."""
MOST_FORGOTTEN = 1_000


@dataclass(frozen=True, slots=True)
class SqlLedger:
    """`Ledger` and `Spends` over their tables. `now` gives seconds since the epoch."""

    engine: sa.Engine
    now: Callable[[], float] = time.time

    def left(self, account: Account, allowance: Allowance) -> Balance:
        """What has been spent and tried so far."""
        with translated(), self.engine.connect() as connection:
            return self._balance(connection, account, allowance)

    def reserve(self, identity: str, account: Account, allowance: Allowance) -> Grant:
        """Hold what is left for this job, see `Ledger.reserve`.

        Whoever reserves for the same installation meanwhile waits for the row that is written first, and then sees this
        reservation: on SQLite, where that takes the one write lock, and on Postgres alike.
        """
        with translated(), self.engine.begin() as connection:
            connection.execute(self._turn(account.installation_id))
            held = connection.execute(sa.select(spends).where(spends.c.identity == identity)).one_or_none()
            if held is not None:
                return Grant(held.granted / MILLIONTHS, held.attempt)
            balance = self._balance(connection, account, allowance)
            if balance.shortage is not None:
                return Grant(0.0, balance.attempts, balance.shortage)
            granted, attempt = math.floor(min(balance.dollars * MILLIONTHS, MOST)), balance.attempts + 1
            row = {
                "identity": identity,
                "installation": account.installation_id,
                "repository": account.repository,
                "subject": account.subject,
                "attempt": attempt,
                "reserved_at": self.now(),
                "granted": granted,
                "spent": 0,
            }
            connection.execute(sa.insert(spends).values(row))
        return Grant(granted / MILLIONTHS, attempt)

    def charge(self, identity: str, call: str, dollars: float) -> None:
        """Add what a call has just cost, see `Spends.charge`; what is no amount takes all of the grant."""
        with translated(), writing(self.engine) as connection:
            here = sa.select(spends.c.granted).where(spends.c.identity == identity)
            granted = connection.execute(here).scalar_one_or_none()
            if granted is None:
                return
            amount = _millionths(dollars) if math.isfinite(dollars) else granted
            row = {"identity": identity, "call": call, "amount": amount}
            # whoever charges the same call meanwhile waits for this row, and finds it
            added = insert(self.engine, charges).values(row).on_conflict_do_nothing().returning(charges.c.call)
            if connection.execute(added).one_or_none() is not None:
                more = sa.update(spends).where(spends.c.identity == identity)
                connection.execute(more.values(spent=spends.c.spent + amount))
                return
            there = sa.select(charges.c.amount).where(charges.c.identity == identity, charges.c.call == call)
            charged = connection.execute(there).scalar_one()
        if charged != amount:
            raise StoreError(
                f"The call {call} of {identity} was charged ${charged / MILLIONTHS} and cannot cost "
                f"${amount / MILLIONTHS} as well",
                "What was charged first stands. Report it with the worker's log.",
            )

    def settle(self, identity: str, dollars: float) -> None:
        """Give back what is held beyond what was charged, see `Ledger.settle`."""
        amount = sa.literal(_millionths(dollars)) if math.isfinite(dollars) else spends.c.granted
        spent = sa.case((spends.c.spent < amount, amount), else_=spends.c.spent)
        change = sa.update(spends).where(spends.c.identity == identity)
        with translated(), self.engine.begin() as connection:
            connection.execute(change.values(spent=spent, settled_at=self.now()))

    def forgotten(self) -> tuple[str, ...]:
        """The ids of jobs that have ended and did not settle, oldest first, at most 1,000."""
        query = (
            sa.select(spends.c.identity)
            .join(runs, runs.c.identity == spends.c.identity)
            .where(spends.c.settled_at.is_(None), runs.c.ended_at.is_not(None))
            .order_by(spends.c.reserved_at)
        )
        with translated(), self.engine.connect() as connection:
            return tuple(connection.execute(query.limit(MOST_FORGOTTEN)).scalars())

    def _turn(self, installation: int) -> sa.Executable:
        row = {"installation": installation, "last_reserved_at": self.now()}
        change = {"last_reserved_at": row["last_reserved_at"]}
        inserted = insert(self.engine, installations).values(row)
        return inserted.on_conflict_do_update(index_elements=["installation"], set_=change)

    def _balance(self, connection: sa.Connection, account: Account, allowance: Allowance) -> Balance:
        since = self.now() - DAY
        recent = spends.c.reserved_at > since
        repository = sa.and_(
            spends.c.installation == account.installation_id, spends.c.repository == account.repository
        )
        subject = sa.and_(repository, spends.c.subject == account.subject)
        if not account.lasting:
            subject = sa.and_(subject, recent)
        query = sa.select(
            _dollars(subject),
            _dollars(sa.and_(repository, recent)),
            _dollars(recent),
            sa.func.count(sa.case((subject, 1))),
        ).where(spends.c.installation == account.installation_id, sa.or_(recent, subject))
        here, day, everywhere, attempts = connection.execute(query).one()
        return Balance(allowance, here / MILLIONTHS, day / MILLIONTHS, everywhere / MILLIONTHS, attempts)


def _millionths(dollars: float) -> int:
    return math.ceil(min(max(dollars, 0.0) * MILLIONTHS, MOST))


def _dollars(which: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    """The sum of what was spent, or is held, in millionths."""
    held = sa.and_(spends.c.settled_at.is_(None), spends.c.spent < spends.c.granted)
    amount = sa.case((held, spends.c.granted), else_=spends.c.spent)
    return sa.func.coalesce(sa.cast(sa.func.sum(sa.case((which, amount), else_=0)), sa.BigInteger), 0)
