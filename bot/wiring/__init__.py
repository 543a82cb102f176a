"""The one place that builds the running application from the settings."""

import hashlib
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fastapi import FastAPI
from prometheus_client import CollectorRegistry
from pydantic import SecretStr

from bot import log
from bot.adapters.artifacts import FileArtifacts
from bot.adapters.containment import Containment
from bot.adapters.git import MirrorSources
from bot.adapters.github import InstallationTokens, Pace, RestChecks, RestGitHub
from bot.adapters.github.labels import RestLabels
from bot.adapters.journal import FileJournal
from bot.adapters.reviews import FileReviews
from bot.adapters.store import SqlInbox, SqlRuns, connect, migrate
from bot.engine.durable import DurableEngine, DurableSettings, Wrap
from bot.errors import ConfigurationError
from bot.jobs import Job, JobOutcome, job_id, subject
from bot.pipeline.abandon import abandon
from bot.pipeline.dispatch import Dispatcher
from bot.pipeline.fix import fix
from bot.pipeline.mend import Terms
from bot.pipeline.ports import FixSettings, LoopPorts, Ports, Trees
from bot.repair.types import BudgetLimits
from bot.settings import Settings
from bot.triggers import Operator
from bot.web.counts import StoreCollector
from bot.web.webhook import create_app
from bot.wiring.models import build_models
from bot.wiring.sandbox import Sandbox, build_containment, build_reaper, build_sandbox, identity, remove_own
from sandbox.reaper import Reaper

MAX_NAME = 120


class SystemClock:
    """`Clock` over this machine's."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()


@dataclass(frozen=True, slots=True)
class Local:
    """What the commands without GitHub act through, and what binds them."""

    ports: LoopPorts
    sandbox: Sandbox
    terms: Terms


@dataclass(frozen=True, slots=True)
class Worker:
    """The job engine, what feeds it, what cleans up and what tries the sandbox; the caller starts, steps, closes.

    `remove_own` removes the containers of jobs that were given up; it raises `EngineUnavailableError`.
    """

    engine: DurableEngine
    dispatcher: Dispatcher
    reaper: Reaper
    containment: Containment
    remove_own: Callable[[], int]


def web(settings: Settings) -> FastAPI:
    """The webhook server. Raises `ConfigurationError` without a secret, `StoreError` without a store."""
    url = database_url(settings)
    migrate(url)
    database = connect(url)
    inbox = SqlInbox(database)
    registry = CollectorRegistry()
    registry.register(StoreCollector(inbox.counts, SqlRuns(database).counts))
    return create_app(inbox, settings.webhook_secrets, ready=inbox.unready, registry=registry)


def worker(settings: Settings) -> Worker:
    """The worker's parts. Raises `ConfigurationError`, `StoreError`, `ModelError`."""
    url = database_url(settings)
    migrate(url)
    database = connect(url)
    key = private_key(settings)
    tokens = InstallationTokens(settings.app_id, key, settings.github_api_url)
    pace = Pace(settings.write_spacing)
    models, facts = build_models(settings)
    operator = FixSettings(budget(settings), settings.draft, facts)
    redact = log.redactor((*settings.secrets, key))

    def github(repository: str, installation: int) -> RestGitHub:
        return RestGitHub(tokens, installation, repository, bot_login=settings.bot_login, pace=pace)

    def labels(repository: str, installation: int) -> RestLabels:
        return RestLabels(tokens, installation, repository, pace)

    def run(job: Job, wrap: Wrap) -> JobOutcome:
        sources = _mirrors(settings, tokens, job.installation_id)
        sandbox = build_sandbox(settings, sources, lambda _: identity(settings, job))
        ports = Ports(
            github=github(job.repository, job.installation_id),
            sources=sources,
            environments=sandbox.environments,
            workspace=sandbox.workspace,
            models=models,
            clock=SystemClock(),
            journal=_journal(run_directory(settings, job_id(job)) / "log.jsonl", redact),
            reviews=FileReviews(settings.data_dir / "reviews", f"{identity(settings, job)} {subject(job)}"),
            checks=RestChecks(tokens, job.installation_id, job.repository, pace),
            labels=labels(job.repository, job.installation_id),
        )
        try:
            return fix(job, wrap(ports), operator)
        finally:
            sandbox.close()

    runs = SqlRuns(database)
    engine = DurableEngine(
        DurableSettings(settings.data_dir, settings.parallel_jobs),
        run,
        runs,
        FileArtifacts(settings.data_dir / "artifacts"),
        lambda job, starts: abandon(
            job, github(job.repository, job.installation_id), labels(job.repository, job.installation_id), starts
        ),
    )
    dispatcher = Dispatcher(
        inbox=SqlInbox(database),
        engine=engine,
        runs=runs,
        github_for=lambda repository: github(repository.full_name, repository.installation_id),
        operator=Operator(settings.app_id, settings.label),
    )
    containment = build_containment(settings, SystemClock(), settings.sandbox_runtime)
    return Worker(engine, dispatcher, build_reaper(settings), containment, partial(remove_own, settings))


def _mirrors(settings: Settings, tokens: InstallationTokens, installation: int) -> MirrorSources:
    def url_for(repository: str) -> str:
        return f"{settings.github_url.rstrip('/')}/{repository}.git"

    def token_for(repository: str) -> SecretStr:
        return tokens.token(installation, repository, (("contents", "read"),))

    return MirrorSources(settings.data_dir / "mirrors", url_for, token_for)


def local(settings: Settings, trees: Trees, journal: Path) -> Local:
    """What `regreen fix`, `gate` and `solve` act through: no GitHub, nothing durable. Raises as `build_models` does."""
    sandbox = build_sandbox(settings, trees)
    clock = SystemClock()
    models, facts = build_models(settings)
    ports = LoopPorts(sandbox.workspace, models, clock, _journal(journal, log.redactor(settings.secrets)))
    return Local(ports, sandbox, Terms(budget(settings), facts=facts))


def _journal(path: Path, redact: log.Redactor) -> FileJournal:
    return FileJournal(path, SystemClock(), redact, redact.conceal)


def budget(settings: Settings) -> BudgetLimits:
    """What one run may spend."""
    return BudgetLimits(
        settings.max_iterations,
        settings.max_tokens,
        settings.max_dollars,
        wall_seconds=60 * settings.max_minutes,
        slow_suite_seconds=settings.slow_suite,
    )


def private_key(settings: Settings) -> SecretStr:
    """The App's private key. Raises `ConfigurationError` when it or the App's id is missing, or others may read it."""
    if not settings.app_id:
        raise ConfigurationError("The App's id is missing", "Set REGREEN_APP_ID to the number on the App's page.")
    path = settings.private_key_file
    if path is None or not path.is_file():
        raise ConfigurationError("The App's private key is missing", "Set REGREEN_PRIVATE_KEY_FILE to its PEM file.")
    if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ConfigurationError("Others may read the App's private key", f"Run: chmod 600 {path}")
    try:
        return SecretStr(path.read_text(encoding="ascii"))
    except (OSError, UnicodeDecodeError) as error:
        cause = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ConfigurationError(
            f"The App's private key {path} cannot be read: {cause}", "Let it belong to the user that Regreen runs as."
        ) from None


def run_directory(settings: Settings, identity: str) -> Path:
    """Where a run's log lies: a readable name, cut to what file systems take, and a digest that keeps it unique."""
    safe = "".join(char if (char.isalnum() and char.isascii()) or char in "-." else "_" for char in identity)
    digest = hashlib.sha256(identity.encode(errors="surrogatepass")).hexdigest()[:12]
    return settings.data_dir / "runs" / f"{safe[:MAX_NAME]}-{digest}"


def database_url(settings: Settings) -> str:
    """The deliveries and runs tables."""
    return f"sqlite:///{settings.data_dir.resolve()}/regreen.sqlite"
