"""The artifacts table: large step outputs, where every machine reads them."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass

import sqlalchemy as sa

from bot.adapters.artifacts import checked, named
from bot.adapters.store.database import translated
from bot.adapters.store.dialects import insert
from bot.adapters.store.kept import artifacts
from bot.errors import NoRoomError, StoreError

MOST = 1 << 28
"""Bytes of one artifact: what Postgres takes of one value, and some room, since it is sent as text twice as long."""


@dataclass(frozen=True, slots=True)
class SqlArtifacts:
    """`Artifacts` over the artifacts table; `now` gives seconds since the epoch."""

    engine: sa.Engine
    now: Callable[[], float] = time.time

    def put(self, data: bytes) -> str:
        """Store the bytes, durable when this returns, and return their SHA-256. Raises `NoRoomError`, `StoreError`.

        What is there is marked as put just now, so that no chore removes it from under a run that needs it again.
        """
        digest = hashlib.sha256(data).hexdigest()
        if len(data) > MOST:
            raise NoRoomError(
                f"A result of {len(data) >> 20} MiB is too large for the database",
                "Find the test that prints without end, or that has a very long message.",
            )
        at = self.now()
        again = sa.update(artifacts).where(artifacts.c.digest == digest).values(put_at=at)
        row = {"digest": digest, "data": data, "put_at": at}
        new = (
            insert(self.engine, artifacts)
            .values(row)
            .on_conflict_do_update(index_elements=["digest"], set_={"put_at": at})
        )
        with translated(), self.engine.begin() as connection:
            if not connection.execute(again).rowcount:
                connection.execute(new)
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes with this SHA-256. Raises `StoreError` when they are missing or no longer what they were."""
        query = sa.select(artifacts.c.data).where(artifacts.c.digest == named(digest))
        with translated(), self.engine.connect() as connection:
            data = connection.execute(query).scalar_one_or_none()
        if data is None:
            raise StoreError(f"Artifact {digest[:12]} is not in the database", "Restore a backup that holds it.")
        return checked(digest, data)

    def prune(self, before: float, most: int) -> int:
        """Delete so many rows that were put last before then; one that is put again meanwhile stays, or comes anew."""
        aged = artifacts.c.put_at < before
        old = sa.select(artifacts.c.digest).where(aged).order_by(artifacts.c.put_at).limit(most)
        with translated(), self.engine.begin() as connection:
            return connection.execute(sa.delete(artifacts).where(artifacts.c.digest.in_(old), aged)).rowcount
