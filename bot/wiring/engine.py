"""The engine of a worker, from the settings: alone on SQLite, one of many on Postgres."""

import sqlalchemy as sa

from bot.adapters.store import SqlFleet, SqlRuns, connect
from bot.engine.durable import DurableEngine, DurableSettings
from bot.engine.endings import Endings
from bot.engine.rounds import Told
from bot.engine.turns import Limits
from bot.pipeline.logs.recording import Artifacts
from bot.settings import Settings
from bot.wiring.jobs import Jobs

QUICK = 6
"""Into how many parts the lease is divided: a beat that gets no answer within one is given up and sent anew."""

WORDS, BEATS = 2, 1
"""Connections for who works and for counts of starts, and one for beats, which are sent one after the other."""


def build_engine(settings: Settings, jobs: Jobs, artifacts: Artifacts, told: Told) -> DurableEngine:
    """The engine over jobs; nothing is opened yet. `told` is as in `Rounds`."""
    limits = Limits(settings.most_jobs, settings.installation_jobs)
    url = settings.postgres_url
    return DurableEngine(
        DurableSettings(
            settings.data_dir, settings.parallel_jobs, url, limits, settings.lease_seconds, told, settings.connections
        ),
        jobs.run,
        SqlRuns(jobs.database),
        artifacts,
        Endings(jobs.abandon, jobs.strand, jobs.kill, jobs.fail),
        build_fleet(url, settings.lease_seconds) if url else None,
    )


def build_fleet(url: str, lease: float) -> SqlFleet:
    """The workers that share a Postgres, over connections of their own that give up in time."""
    seconds = max(lease / QUICK, 1.0)
    # libpq waits two seconds at least
    limits = {"connect_timeout": str(max(2, round(seconds))), "tcp_user_timeout": str(round(1_000 * seconds))}
    address = sa.make_url(url).update_query_dict(limits).render_as_string(hide_password=False)
    return SqlFleet(connect(address, WORDS), connect(address, BEATS))
