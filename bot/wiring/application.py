"""Builds the server, the worker, and what the commands without GitHub act through."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fastapi import FastAPI

from bot import log
from bot.adapters.containment import Containment
from bot.adapters.github import InstallationTokens, Pace
from bot.adapters.store import SqlInbox, SqlLedger, connect, migrate
from bot.adapters.store.grouping import GroupedInbox
from bot.engine.durable import DurableEngine
from bot.pipeline.intake.dispatch import Dispatcher
from bot.pipeline.intake.recovery import Recovery
from bot.pipeline.intake.retelling import Retelling
from bot.pipeline.intake.wishing import Wishing
from bot.pipeline.keeping import Keeping
from bot.pipeline.mend import Terms
from bot.pipeline.ports.job import LoopPorts, Trees
from bot.pipeline.spending.purse import settle_forgotten
from bot.settings import Settings
from bot.web.webhook import create_app
from bot.wiring import database_url, private_key, storage
from bot.wiring.dispatching import build_dispatcher, build_recovery, build_retelling, build_wishing
from bot.wiring.engine import build_engine
from bot.wiring.health import Health, new_registry, register_store, server_checks, worker_health
from bot.wiring.jobs import Jobs, SystemClock, budget
from bot.wiring.jobs import journal as journal_at
from bot.wiring.models import build_models
from bot.wiring.sandbox import Sandbox, SandboxFor, build_containment, build_reaper, build_sandbox, remove_own
from bot.wiring.site import build_site
from sandbox.reaper import Reaper


@dataclass(frozen=True, slots=True)
class Local:
    """What the commands without GitHub act through, and what binds them."""

    ports: LoopPorts
    sandbox: Sandbox
    terms: Terms


@dataclass(frozen=True, slots=True)
class Worker:
    """The job engine, what feeds it, what cleans up and what tries the sandbox; the caller starts, steps, closes.

    `recovery` brings back deliveries that never arrived, `retelling` shows last words that GitHub did not take.
    `remove_own` removes the containers of jobs that were given up; it raises `EngineUnavailableError`. `settle` closes
    the accounts of jobs that ended without doing so; it raises `StoreError`. `health` is what its own port shows,
    `wishing` sees to what operators ask of runs, `keeping` removes what has had its time. `grace` is how many seconds
    steps under way may take to end.
    """

    engine: DurableEngine
    dispatcher: Dispatcher
    recovery: Recovery
    retelling: Retelling
    reaper: Reaper
    containment: Containment
    remove_own: Callable[[], int]
    settle: Callable[[], int]
    health: Health
    wishing: Wishing
    keeping: Keeping
    grace: float


def web(settings: Settings) -> FastAPI:
    """The webhook server. Raises `ConfigurationError` without a secret, `StoreError` without a store."""
    url = database_url(settings)
    migrate(url)
    database = connect(url)
    inbox = SqlInbox(database)
    registry = new_registry()
    register_store(registry, database)
    ready = server_checks(settings, database).look
    app = create_app(GroupedInbox(inbox), settings.webhook_secrets, ready=ready, registry=registry)
    build_site(settings, database).add_to(app)
    return app


def worker(settings: Settings, sandbox_for: SandboxFor = build_sandbox) -> Worker:
    """The worker's parts, over one sandbox a job. Raises `ConfigurationError`, `StoreError`, `ModelError`."""
    url = database_url(settings)
    migrate(url)
    database = connect(url, settings.connections)
    key = private_key(settings)
    redact = log.redactor((*settings.secrets, key))
    health = worker_health(settings, database)
    # from here on the logs know the key as well, and each token from its minting on
    log.configure(settings.log_level, redact, health.metrics.logged)
    tokens = InstallationTokens(settings.app_id, key, settings.github_api_url, redact=redact)
    pace = Pace(settings.write_spacing, edit_spacing=settings.edit_spacing)
    models, facts = build_models(settings)
    jobs = Jobs(
        settings, tokens, pace, database, models, facts, redact, sandbox_for=sandbox_for, metrics=health.metrics
    )
    engine = build_engine(settings, jobs, storage.artifacts(settings, database), health.vitals.beat)
    dispatcher = build_dispatcher(jobs, engine)
    return Worker(
        engine,
        dispatcher,
        build_recovery(jobs),
        build_retelling(jobs, engine),
        build_reaper(settings),
        build_containment(settings, SystemClock(), settings.sandbox_runtime),
        partial(remove_own, settings),
        partial(settle_forgotten, SqlLedger(database)),
        health,
        build_wishing(jobs, dispatcher),
        storage.keeping(settings, database),
        settings.grace_seconds,
    )


def local(settings: Settings, trees: Trees, journal: Path) -> Local:
    """What `regreen fix`, `gate` and `solve` act through: no GitHub, nothing durable. Raises as `build_models` does."""
    sandbox = build_sandbox(settings, trees)
    clock = SystemClock()
    models, facts = build_models(settings)
    ports = LoopPorts(sandbox.workspace, models, clock, journal_at(journal, log.redactor(settings.secrets)))
    return Local(ports, sandbox, Terms(budget(settings), facts=facts))
