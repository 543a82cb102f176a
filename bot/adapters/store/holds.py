"""The subjects on hold, and where the App may not work any more."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from bot.adapters.store.database import translated
from bot.adapters.store.dialects import insert
from bot.adapters.store.tables import departures, holds

MAX_WHY = 500


@dataclass(frozen=True, slots=True)
class SqlHolds:
    """`Holds` over its table. Every method raises `StoreError`."""

    engine: sa.Engine

    def hold(self, repository: str, subject: str, by: str, at: float) -> None:
        """Insert a row, or change the one that is there."""
        first = sa.case((holds.c.held, holds.c.held_by), else_=by)
        self._say(repository, subject, {"held_by": by, "since": at, "held": True}, first)

    def release(self, repository: str, subject: str, at: float) -> None:
        """The same, so that a pause from before that comes late finds this."""
        self._say(repository, subject, {"held_by": "", "since": at, "held": False}, "")

    def _say(self, repository: str, subject: str, word: dict[str, Any], held_by: str | sa.ColumnElement[str]) -> None:
        said = insert(self.engine, holds).values({"repository": repository, "subject": subject} | word)
        said = said.on_conflict_do_update(
            index_elements=["repository", "subject"],
            set_=word | {"held_by": held_by},
            where=holds.c.since <= word["since"],
        )
        with translated(), self.engine.begin() as connection:
            connection.execute(said)

    def held(self, repository: str, subject: str) -> str:
        """Who put the subject on hold."""
        query = sa.select(holds.c.held_by).where(*_one(repository, subject), holds.c.held)
        with translated(), self.engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none() or ""


@dataclass(frozen=True, slots=True)
class SqlDepartures:
    """`Departures` over its table. Every method raises `StoreError`."""

    engine: sa.Engine
    now: Callable[[], float] = time.time

    def left(self, installation_id: int, repositories: tuple[str, ...], why: str) -> None:
        """Insert a row for each; those that are there stay."""
        common = {"installation": installation_id, "why": why[:MAX_WHY], "since": self.now()}
        with translated():
            for repository in repositories or ("",):
                try:
                    with self.engine.begin() as connection:
                        connection.execute(sa.insert(departures), common | {"repository": repository})
                except IntegrityError:
                    continue

    def returned(self, installation_id: int, repositories: tuple[str, ...]) -> None:
        """Delete the rows for these, and the one for all."""
        gone = sa.delete(departures).where(departures.c.installation == installation_id)
        if repositories:
            gone = gone.where(departures.c.repository.in_(("", *repositories)))
        with translated(), self.engine.begin() as connection:
            connection.execute(gone)

    def why(self, installation_id: int, repository: str) -> str:
        """Why the App may not work there."""
        query = sa.select(departures.c.why).where(
            departures.c.installation == installation_id, departures.c.repository.in_(("", repository))
        )
        with translated(), self.engine.connect() as connection:
            return connection.execute(query.limit(1)).scalar_one_or_none() or ""


def _one(repository: str, subject: str) -> tuple[sa.ColumnElement[bool], ...]:
    return holds.c.repository == repository, holds.c.subject == subject
