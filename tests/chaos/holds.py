"""Holds a worker at the worst moment: a step has had its effect, and its record is on the way to the disk.

A trigger on the engine's table of steps waits for an advisory lock that the driver has; nothing in the product knows of
it. The same trigger numbers the records, so that the order in which jobs worked can be told by the database alone.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import sqlalchemy as sa

from bot.demo.processes import DemoError

POLL_SECONDS = 0.02

_SET_UP = (
    "CREATE TABLE chaos_holds (place text PRIMARY KEY, step integer NOT NULL, key bigint NOT NULL)",
    "CREATE TABLE chaos_steps (number bigserial PRIMARY KEY, identity text NOT NULL)",
    """CREATE FUNCTION chaos_hold() RETURNS trigger AS $$
DECLARE held bigint;
BEGIN
    SELECT key INTO held FROM public.chaos_holds WHERE starts_with(NEW.workflow_uuid, place) AND step = NEW.function_id;
    IF held IS NOT NULL THEN
        PERFORM pg_advisory_xact_lock(held);
    END IF;
    INSERT INTO public.chaos_steps (identity) VALUES (NEW.workflow_uuid);
    RETURN NEW;
END $$ LANGUAGE plpgsql""",
    "CREATE TRIGGER chaos_hold BEFORE INSERT ON dbos.operation_outputs FOR EACH ROW EXECUTE FUNCTION chaos_hold()",
)
_WAITING = """
SELECT activity.client_port FROM pg_locks JOIN pg_stat_activity AS activity USING (pid)
WHERE locktype = 'advisory' AND NOT granted AND objid = :key
"""


@dataclass(frozen=True)
class Hold:
    """A step of one subject, and the key of the lock at which its record waits."""

    database: sa.Engine
    key: int

    def client_port(self, seconds: float) -> int:
        """Wait until a worker is there; the port from which its connection comes. Raises `DemoError`."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with self.database.connect() as connection:
                found = connection.scalar(sa.text(_WAITING), {"key": self.key})
            if found is not None:
                return int(found)
            time.sleep(POLL_SECONDS)
        raise DemoError(f"no worker came to the step that was to be held within {seconds:.0f} s")


def set_up(database: sa.Engine) -> None:
    """Once the engine has made its tables."""
    with database.begin() as connection:
        for statement in _SET_UP:
            connection.exec_driver_sql(statement)


@contextmanager
def hold(database: sa.Engine, place: str, step: int) -> Iterator[Hold]:
    """Hold jobs whose identity begins with `place` at this step, until the block ends."""
    with database.connect() as holder:
        with database.begin() as connection:
            key = connection.scalar(sa.text("SELECT coalesce(max(key), 0) + 1 FROM chaos_holds")) or 1
        holder.execute(sa.text("SELECT pg_advisory_lock(:key)"), {"key": key})
        holder.commit()
        try:
            with database.begin() as connection:
                row = {"place": place, "step": step, "key": key}
                connection.execute(sa.text("INSERT INTO chaos_holds VALUES (:place, :step, :key)"), row)
            yield Hold(database, key)
        finally:
            with database.begin() as connection:
                change = sa.text("UPDATE chaos_holds SET step = -1 WHERE place = :place")
                connection.execute(change, {"place": place})
            holder.execute(sa.text("SELECT pg_advisory_unlock_all()"))
            holder.commit()


def steps_of(database: sa.Engine, place: str) -> tuple[str, ...]:
    """The names of the recorded steps of the job whose identity begins so, in order."""
    query = sa.text(
        "SELECT function_name FROM dbos.operation_outputs WHERE starts_with(workflow_uuid, :place) ORDER BY function_id"
    )
    with database.connect() as connection:
        return tuple(connection.execute(query, {"place": place}).scalars())


def order_of(database: sa.Engine, repository: str) -> tuple[str, ...]:
    """The jobs of a repository in the order of their records: one twice says that another worked in between."""
    query = sa.text("SELECT identity FROM chaos_steps WHERE starts_with(identity, :place) ORDER BY number")
    order: list[str] = []
    with database.connect() as connection:
        for identity in connection.execute(query, {"place": f"{repository}:"}).scalars():
            if not order or order[-1] != identity:
                order.append(identity)
    return tuple(order)
