"""The starts table: how often a job was begun in a row, by whichever worker, without getting any further."""

from dataclasses import dataclass, field

import sqlalchemy as sa
import structlog

from bot.adapters.store.database import translated
from bot.adapters.store.tables import starts
from bot.errors import StoreError

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SqlStarts:
    """`Starts` over the starts table, for one worker. Nothing here raises: a lost count gives more tries."""

    engine: sa.Engine
    executor: str
    _counted: set[str] = field(default_factory=set)
    """The jobs whose row may be there, lest each of a job's steps asks the database."""

    def begin(self, identity: str) -> int:
        """Count a start and return how many there were in a row, this one included."""
        again = sa.update(starts).where(starts.c.identity == identity)
        again = again.values(number=starts.c.number + 1, executor=self.executor).returning(starts.c.number)
        first = sa.insert(starts).values(identity=identity, number=1, executor=self.executor)
        self._counted.add(identity)
        try:
            with translated(), self.engine.begin() as connection:
                found = connection.execute(again).scalar_one_or_none()
                if found is None:
                    connection.execute(first)
        except StoreError as error:
            _log.warning("start_not_counted", job=identity, cause=error.cause)
            return 1
        return int(found or 1)

    def got_on(self, identity: str) -> None:
        """Delete its row."""
        if identity in self._counted:
            self._delete(starts.c.identity == identity)
            self._counted.discard(identity)

    def clear(self) -> None:
        """Delete the rows of this worker."""
        self._delete(starts.c.executor == self.executor)

    def _delete(self, which: sa.ColumnElement[bool]) -> None:
        try:
            with translated(), self.engine.begin() as connection:
                connection.execute(sa.delete(starts).where(which))
        except StoreError as error:
            _log.warning("starts_not_forgotten", cause=error.cause)
