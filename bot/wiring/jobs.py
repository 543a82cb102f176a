"""What one job acts through, from the settings: its ports, made anew for each execution, and what binds it."""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa
import structlog
from prometheus_client import CollectorRegistry
from pydantic import SecretStr

from bot import log
from bot.adapters.counted import CountedJournal, counted_ports
from bot.adapters.git import MirrorSources
from bot.adapters.github import InstallationTokens, Pace, RestBranches, RestChecks, RestGitHub, RestPulls, RestThreads
from bot.adapters.github.labels import RestLabels
from bot.adapters.github.levels import Levels
from bot.adapters.journal import FileJournal
from bot.adapters.metrics import WorkerMetrics
from bot.adapters.store import SqlLedger, SqlUnsaid
from bot.engine.durable import Wrap
from bot.jobs import Job, JobOutcome, job_id, subject
from bot.pipeline.abandon import abandon, fail, strand
from bot.pipeline.fix import fix
from bot.pipeline.governance.concealing import conceal_ports
from bot.pipeline.intake import settle
from bot.pipeline.intake.site import Site
from bot.pipeline.ports.job import FixSettings, Ports, Reviews
from bot.pipeline.spending.ledger import SpendingLimits
from bot.pipeline.spending.purse import Charged
from bot.repair.team.facts import Facts
from bot.repair.team.roles import Models
from bot.repair.types import BudgetLimits
from bot.settings import Settings
from bot.wiring import storage
from bot.wiring.sandbox import JobSandbox, SandboxFor, build_sandbox, identity
from sandbox.errors import SandboxError

_log = structlog.get_logger(__name__)


class SystemClock:
    """`Clock` over this machine's."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()


@dataclass(frozen=True, slots=True)
class Jobs:
    """Runs jobs, and ends those that are given up."""

    settings: Settings
    tokens: InstallationTokens
    pace: Pace
    database: sa.Engine
    models: Models
    facts: Facts
    redact: log.Redactor
    levels: Levels = field(default_factory=Levels)
    metrics: WorkerMetrics = field(default_factory=lambda: WorkerMetrics(CollectorRegistry(), 0))
    sandbox_for: SandboxFor = build_sandbox
    running: dict[str, Callable[[], None]] = field(default_factory=dict)
    """What ends the containers of each job under way."""

    def run(self, job: Job, wrap: Wrap) -> JobOutcome:
        """Run a job to its end; `wrap` makes its ports recorded."""
        settings = self.settings
        operator = FixSettings(
            budget(settings), settings.draft, self.facts, spending_limits(settings), settings.public_url
        )
        sources = self._mirrors(job.installation_id)
        sandbox = self.sandbox_for(settings, sources, lambda _: identity(settings, job))
        name = job_id(job)
        self.running[name] = sandbox.stop
        try:
            ports = counted_ports(self._ports(job, sources, sandbox), self.metrics)
            with self.metrics.job(job) as ended:
                outcome = fix(job, wrap(conceal_ports(ports, self.redact.conceal)), operator)
                ended(outcome)
            return outcome
        finally:
            del self.running[name]
            sandbox.close()

    def kill(self, identity: str) -> None:
        """End what a job runs at once, and let it start nothing more; what an engine that is down keeps is reaped."""
        stop = self.running.get(identity)
        if stop is None:
            return
        try:
            stop()
        except SandboxError as error:
            _log.warning("not_killed", job=identity, cause=error.cause)

    def abandon(self, job: Job, starts: int) -> JobOutcome:
        """End a job that was begun so often in vain."""
        site, words = self.site(job.repository, job.installation_id), SqlUnsaid(self.database)
        return abandon(job, site, self.reviews(job), words, starts)

    def strand(self, job: Job) -> JobOutcome:
        """End a job that another version queued or began, or one of other settings."""
        return strand(job, SqlUnsaid(self.database))

    def fail(self, job: Job, outcome: JobOutcome) -> None:
        """Tell of a job whose run broke."""
        fail(job, outcome, SqlUnsaid(self.database))

    def github(self, repository: str, installation: int) -> RestGitHub:
        """One repository's GitHub."""
        login = self.settings.bot_login
        return RestGitHub(self.tokens, installation, repository, bot_login=login, pace=self.pace, levels=self.levels)

    def labels(self, repository: str, installation: int) -> RestLabels:
        """One repository's labels."""
        return RestLabels(self.tokens, installation, repository, self.pace)

    def site(self, repository: str, installation: int) -> Site:
        """What can be reached of one repository without a job."""
        pulls = RestPulls(self.tokens, installation, repository, bot_login=self.settings.bot_login, pace=self.pace)
        github = self.github(repository, installation)
        labels, offered = self.labels(repository, installation), self.models.names
        return Site(repository, github, labels, pulls, offered, self.settings.public_url)

    def wait(self, job: Job) -> float | None:
        """How many seconds to put a job off until its commit's checks have settled."""
        return settle.wait(job, self.checks(job), time.time())

    def checks(self, job: Job) -> RestChecks:
        """The checks of a job's repository."""
        login, pace = self.settings.bot_login, self.pace
        return RestChecks(self.tokens, job.installation_id, job.repository, bot_login=login, pace=pace)

    def reviews(self, job: Job) -> Reviews:
        """The tests that were shown for a job's subject."""
        return storage.reviews(self.settings, self.database, f"{identity(self.settings, job)} {subject(job)}")

    def _ports(self, job: Job, sources: MirrorSources, sandbox: JobSandbox) -> Ports:
        settings, ledger = self.settings, storage.patient(SqlLedger(self.database))
        where = (self.tokens, job.installation_id, job.repository)
        log_of = storage.logs(settings, self.database).journal
        return Ports(
            github=self.github(job.repository, job.installation_id),
            sources=sources,
            environments=sandbox.environments,
            workspace=sandbox.workspace,
            models=self.models.each(lambda _, model: Charged(model, ledger, job_id(job), new_id)),
            clock=SystemClock(),
            journal=CountedJournal(log_of(job_id(job), SystemClock(), self.redact, self.redact.conceal), self.metrics),
            reviews=self.reviews(job),
            checks=self.checks(job),
            labels=self.labels(job.repository, job.installation_id),
            ledger=ledger,
            threads=RestThreads(*where, bot_login=settings.bot_login, pace=self.pace),
            branches=RestBranches(*where, bot_login=settings.bot_login, pace=self.pace),
            last_words=storage.patient(SqlUnsaid(self.database)),
        )

    def _mirrors(self, installation: int) -> MirrorSources:
        def url_for(repository: str) -> str:
            return f"{self.settings.github_url.rstrip('/')}/{repository}.git"

        def token_for(repository: str) -> SecretStr:
            return self.tokens.token(installation, repository, (("contents", "read"),))

        return MirrorSources(self.settings.data_dir / "mirrors", url_for, token_for)


def new_id() -> str:
    """What nothing was ever called before."""
    return uuid.uuid4().hex


def journal(path: Path, redact: log.Redactor) -> FileJournal:
    """The run log in this file."""
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


def spending_limits(settings: Settings) -> SpendingLimits:
    """What all runs together may spend."""
    return SpendingLimits(
        settings.max_dollars_pull_request, settings.max_dollars_repository_day, settings.max_dollars_installation_day
    )
