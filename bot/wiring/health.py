"""What a server's and a worker's probes ask, from the settings."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

import sqlalchemy as sa
import structlog
from prometheus_client import CollectorRegistry, Info, PlatformCollector, ProcessCollector

from bot.adapters.metrics import VitalsCollector, WorkerMetrics
from bot.adapters.store import SqlFleet, SqlInbox, SqlRuns
from bot.adapters.store.queue import SqlQueue
from bot.settings import Settings
from bot.web import probes
from bot.web.background import Background
from bot.web.counts import QueueCollector, StoreCollector
from bot.web.readiness import Check, Readiness, Vitals
from sandbox.containers.engine import DockerEngine
from sandbox.environments.kept import GIB
from sandbox.errors import SandboxError
from sandbox.spec import MIB

LOOPS: Mapping[str, float] = {
    "dispatch": 300.0,
    "leases": 300.0,
    "stops": 300.0,
    "reaper": 1800.0,
    "recovery": 3600.0,
    "take": 300.0,
    "leftovers": 600.0,
}
"""Each loop of a worker, and for how many seconds it may be silent: GitHub and the engine may keep it waiting."""
SHARED: Mapping[str, float] = dict.fromkeys(("beat", "guard", "look", "reap"), 300.0)
"""Likewise, where workers share a database."""
QUEUE_SECONDS = 600.0
"""A delivery that has been due for so long says that nobody keeps up."""
LEAST_FREE = 512 * MIB
ENGINE_SECONDS = 5.0

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Health:
    """How a worker is: its loops tell `vitals`, its jobs `metrics`."""

    vitals: Vitals
    metrics: WorkerMetrics
    readiness: Readiness
    registry: CollectorRegistry
    host: str
    port: int

    def serve(self) -> Background | None:
        """Answer on the worker's own port; where that cannot be had, say so and work all the same."""
        if not self.port:
            return None
        app = probes.alone(lambda: {"loops": self.vitals.stuck()}, self.readiness.look, self.registry)
        try:
            served = Background(app, self.host, self.port)
        except OSError as error:
            _log.warning(
                "probes_not_served",
                cause=f"{self.host}:{self.port}: {error.strerror}",
                remedy="Set REGREEN_WORKER_PORT to a free port, another one for each worker of a machine, or to 0.",
            )
            return None
        _log.info("probes_served", address=f"http://{self.host}:{served.port}")
        return served


def worker_health(settings: Settings, database: sa.Engine) -> Health:
    """A worker's health; nothing is asked yet."""
    registry = new_registry()
    vitals = Vitals({**LOOPS, **(SHARED if settings.on_postgres else {})})
    engine = DockerEngine(settings.docker_host, ENGINE_SECONDS)
    readiness = Readiness(
        {
            "work": vitals.absent,
            "loops": vitals.failing,
            "engine": partial(_engine_down, engine),
            "database": SqlInbox(database).unready,
            "disk": partial(disk_short, settings.data_dir),
            "queue": partial(_queue_late, SqlQueue(database)),
        }
    )
    registry.register(VitalsCollector(readiness.look, vitals.ages))
    metrics = WorkerMetrics(registry, settings.parallel_jobs)
    return Health(vitals, metrics, readiness, registry, settings.worker_host, settings.worker_port)


def server_checks(settings: Settings, database: sa.Engine) -> Readiness:
    """What the webhook server needs to record deliveries."""
    checks: dict[str, Check] = {"database": SqlInbox(database).unready}
    if not settings.on_postgres:
        # on Postgres there may be no data directory, and nothing is kept in one
        checks["disk"] = partial(disk_short, settings.data_dir)
    return Readiness(checks)


def new_registry() -> CollectorRegistry:
    """A registry with what every process of ours shows of itself."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    Info("regreen_build", "The version that runs.", registry=registry).info({"version": version("regreen")})
    return registry


def register_store(registry: CollectorRegistry, database: sa.Engine) -> None:
    """Add what the tables hold: of a server only, lest every process tell of the same rows."""
    workers = partial(_workers, SqlFleet(database)) if database.dialect.name == "postgresql" else None
    registry.register(StoreCollector(SqlInbox(database).counts, SqlRuns(database).counts, workers))
    queue = SqlQueue(database)
    registry.register(QueueCollector({"deliveries": queue.deliveries, "jobs": queue.jobs}))


def disk_short(directory: Path, least: int = LEAST_FREE) -> str | None:
    """Why the data directory has no room, `None` when it has."""
    try:
        free = shutil.disk_usage(directory).free
    except OSError as error:
        return f"the data directory cannot be read: {error.strerror}"
    return (
        f"{free / GIB:.2f} GiB are free in the data directory, {least / GIB:.1f} are needed" if free < least else None
    )


def _workers(fleet: SqlFleet) -> dict[str, int]:
    """How many workers work, end, and have a lease that is over; each is there also where it is none."""
    counted = dict.fromkeys(("working", "draining", "lapsed"), 0)
    for one in fleet.workers():
        counted["lapsed" if one.lapsed else "draining" if one.draining else "working"] += 1
    return counted


def _engine_down(engine: DockerEngine) -> str | None:
    try:
        engine.ping()
    except SandboxError as error:
        return error.cause
    return None


def _queue_late(queue: SqlQueue) -> str | None:
    waiting = queue.deliveries()
    if waiting.seconds <= QUEUE_SECONDS:
        return None
    return f"{waiting.number} deliveries are due, the oldest for {waiting.seconds:.0f} s"
