"""How DBOS is set up: its tables, the worker's own queue, and what it is told at its launch."""

from dbos import DBOS, DBOSClient, DBOSConfig, DBOSPortableJSONSerializer

from bot.engine.database import engine_arguments
from bot.engine.line import Line
from bot.engine.opening import DurableSettings

APPLICATION = "regreen"
APPLICATION_VERSION = "3"
"""Bumped by hand with every release that calls ports in another order, or others, or keeps their results in another
shape: recorded steps of older jobs can then not be replayed, and older jobs are stranded. A job that strays from its
record all the same, as one does after a change of settings, ends like these.
"""
POLL_SECONDS = 0.1


def prepare(line: Line, queue: str, slots: int) -> None:
    """Make or renew the tables, and the worker's queue in them, before DBOS is launched.

    Once launched, DBOS looks for queues every second: one made after its first look would be worked on a second late.
    """
    DBOS.migrate(line.url)
    client = DBOSClient(system_database_engine=line.engine, application_name=APPLICATION)
    try:
        client.register_queue(queue, worker_concurrency=slots, polling_interval_sec=POLL_SECONDS)
    finally:
        client.destroy()


def configuration(executor: str, url: str, settings: DurableSettings) -> DBOSConfig:
    """What DBOS is told: under which id it works, and how it connects."""
    return {
        "name": APPLICATION,
        "system_database_url": url,
        "run_migrations": False,  # `prepare` did
        "db_engine_kwargs": engine_arguments(settings.connections) if settings.url else None,
        "sys_db_idle_transaction_timeout_sec": settings.idle,
        "use_listen_notify": not settings.url,  # nothing here waits for a notification
        "application_version": APPLICATION_VERSION,
        "executor_id": executor,
        "serializer": DBOSPortableJSONSerializer(),
        "enable_otlp": False,
        "log_level": "WARNING",
    }
