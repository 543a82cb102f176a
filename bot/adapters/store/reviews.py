"""The written_tests table: tests that wait for a person's word, where every machine reads them."""

from dataclasses import dataclass

import sqlalchemy as sa

from bot.adapters.reviews import MAX_KEPT, key, packed, unpacked
from bot.adapters.store.database import translated
from bot.adapters.store.dialects import insert
from bot.adapters.store.kept import written_tests
from bot.repair.reproduction.written import WrittenTest


@dataclass(frozen=True, slots=True)
class SqlReviews:
    """Implements `Reviews` for one subject. `subject` tells it from every other, of other repositories, too."""

    engine: sa.Engine
    subject: str

    def keep(self, test: WrittenTest) -> str:
        """Keep a test, see `Reviews`. Raises `StoreError`, `NoRoomError`."""
        here = written_tests.c.subject == key(self.subject)
        last = sa.select(sa.func.coalesce(sa.func.max(written_tests.c.number), 0)).where(here)
        with translated(), self.engine.begin() as connection:
            row = {
                "subject": key(self.subject),
                "digest": test.digest,
                "number": connection.execute(last).scalar_one() + 1,
                "content": packed(test),
            }
            connection.execute(insert(self.engine, written_tests).values(row).on_conflict_do_nothing())
        return test.digest

    def kept(self) -> tuple[WrittenTest, ...]:
        """The tests, oldest first, at most the last 50. Raises `StoreError`."""
        query = (
            sa.select(written_tests.c.digest, written_tests.c.content)
            .where(written_tests.c.subject == key(self.subject))
            .order_by(written_tests.c.number.desc())
            .limit(MAX_KEPT)
        )
        with translated(), self.engine.connect() as connection:
            rows = connection.execute(query).all()
        return tuple(unpacked(row.digest, row.content) for row in reversed(rows))
