"""What turns deliveries into jobs and acts, and what brings back those that never arrived, from the settings."""

import os
import secrets
import socket
import time

import sqlalchemy as sa

from bot.adapters.github import InstallationTokens, RestApp
from bot.adapters.store import SqlDepartures, SqlHolds, SqlInbox, SqlLeases, SqlLedger, SqlRuns, SqlUnsaid, SqlWishes
from bot.engine.lease import since_boot
from bot.jobs import JobEngine
from bot.pipeline.intake.acts import Acting
from bot.pipeline.intake.dispatch import Dispatcher
from bot.pipeline.intake.holding import Holding, Undisputed
from bot.pipeline.intake.lookup import Lookup
from bot.pipeline.intake.presence import Presence
from bot.pipeline.intake.queueing import Intake
from bot.pipeline.intake.recovery import Recovery
from bot.pipeline.intake.retelling import Retelling
from bot.pipeline.intake.site import SiteFor
from bot.pipeline.intake.stopping import Stopping
from bot.pipeline.intake.wishing import Wishing
from bot.pipeline.spending.statement import LedgerStatement
from bot.settings import Settings
from bot.triggers import Operator
from bot.wiring.jobs import Jobs, spending_limits


def build_lookup(
    settings: Settings, database: sa.Engine, tokens: InstallationTokens, site_for: SiteFor, *, notes: bool = True
) -> Lookup:
    """What decides on deliveries, and does nothing; `notes` is as in `Presence`."""
    operator = Operator(settings.app_id, settings.label, settings.bot_login)
    presence = Presence(SqlDepartures(database), RestApp(tokens), notes)
    return Lookup(site_for, SqlHolds(database), presence, operator)


def build_dispatcher(jobs: Jobs, engine: JobEngine) -> Dispatcher:
    """What works through the inbox."""
    runs = SqlRuns(jobs.database)
    lookup = build_lookup(jobs.settings, jobs.database, jobs.tokens, jobs.site)
    stopping = Stopping(engine, jobs.site, jobs.reviews, SqlUnsaid(jobs.database))
    statement = LedgerStatement(SqlLedger(jobs.database), spending_limits(jobs.settings), jobs.site)
    inbox = SqlInbox(jobs.database)
    return Dispatcher(
        inbox,
        lookup,
        Intake(engine, runs, jobs.site, inbox, jobs.wait),
        Acting(runs, lookup.holds, lookup.presence, stopping, jobs.site, statement),
        build_holding(jobs.database, jobs.settings.lease_seconds),
        jobs.metrics.decided,
    )


def build_holding(database: sa.Engine, seconds: float) -> Holding:
    """What this worker has leases on: this boot of it, since what an earlier one held is nobody's."""
    owner = f"{socket.gethostname()} {os.getpid()} {secrets.token_hex(8)}"
    # SQLite has one worker: the engine's lock file sees to that
    leases = Undisputed() if database.dialect.name == "sqlite" else SqlLeases(database, owner)
    return Holding(leases, since_boot, seconds)


def build_wishing(jobs: Jobs, dispatcher: Dispatcher) -> Wishing:
    """What sees to operators' wishes, by the dispatcher's own means."""
    return Wishing(SqlWishes(jobs.database), dispatcher.acting, dispatcher.intake, time.time)


def build_retelling(jobs: Jobs, engine: JobEngine) -> Retelling:
    """What shows last words that GitHub did not take."""
    return Retelling(engine, SqlRuns(jobs.database), SqlUnsaid(jobs.database), jobs.site, time.time)


def build_recovery(jobs: Jobs) -> Recovery:
    """What asks for deliveries that are missing."""
    return Recovery(RestApp(jobs.tokens), SqlInbox(jobs.database), time.time)
