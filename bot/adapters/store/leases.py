"""The leases table: which worker does what only one may do at a time."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import sqlalchemy as sa

from bot.adapters.store.database import translated
from bot.adapters.store.dialects import insert, moment, writing
from bot.adapters.store.tables import leases
from bot.pipeline.ports.leases import LONGEST


@dataclass(frozen=True, slots=True)
class SqlLeases:
    """`Leases` of one `owner`. Without `now`, the database's clock counts. Every method raises `StoreError`."""

    engine: sa.Engine
    owner: str
    now: Callable[[], float] | None = None

    def take(self, name: str, seconds: float) -> bool:
        """Insert a row, or change one whose time is over."""
        now = moment(self.engine, self.now)
        row = {"name": name, "owner": self.owner, "until": now + seconds}
        free = sa.or_(leases.c.until <= now, leases.c.until > now + LONGEST, leases.c.owner == self.owner)
        taken = (
            insert(self.engine, leases)
            .values(row)
            .on_conflict_do_update(
                index_elements=["name"], set_={"owner": self.owner, "until": row["until"]}, where=free
            )
            .returning(leases.c.name)
        )
        with translated(), writing(self.engine) as connection:
            return connection.execute(taken).scalar_one_or_none() is not None

    def renew(self, names: Collection[str], seconds: float) -> frozenset[str]:
        """Move the ends of these rows."""
        mine = sa.and_(leases.c.owner == self.owner, leases.c.name.in_(names))
        until = moment(self.engine, self.now) + seconds
        with translated(), writing(self.engine) as connection:
            moved = connection.execute(sa.update(leases).where(mine).values(until=until).returning(leases.c.name))
            return frozenset(moved.scalars())

    def release(self, name: str) -> None:
        """Delete the row."""
        with translated(), writing(self.engine) as connection:
            connection.execute(sa.delete(leases).where(leases.c.name == name, leases.c.owner == self.owner))
