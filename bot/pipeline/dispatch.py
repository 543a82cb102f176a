"""From recorded deliveries to queued jobs.

A crash anywhere in here changes nothing: the same delivery is read again, and its job has the same id.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from bot import policy as policies
from bot.acts import Act
from bot.errors import (
    ConfigurationError,
    ForbiddenError,
    GitHubUnavailableError,
    NotFoundError,
    PayloadError,
)
from bot.events import CommitChecked, Delivery, InRepository, Repository, parse
from bot.jobs import Job, JobEngine, job_id
from bot.pipeline.github_port import GitHub
from bot.pipeline.store_port import Inbox, Runs
from bot.policy import RepoPolicy
from bot.triggers import Ignore, Known, Operator, asks_policy, decide, needs, prefilter

BATCH = 10
FIRST_DELAY = 5.0
LONGEST_DELAY = 600.0

GitHubFor = Callable[[Repository], GitHub]
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """Reads the inbox, decides, enqueues, and logs each outcome: queued, ignored or postponed."""

    inbox: Inbox
    engine: JobEngine
    runs: Runs
    github_for: GitHubFor
    operator: Operator
    _failures: dict[str, int] = field(default_factory=dict)

    def step(self) -> int:
        """Work through the deliveries that are due, oldest first; returns how many there were.

        One that GitHub or a fault keeps from being decided is put off, longer each time, and the others go on.
        Raises `StoreError` when the inbox itself fails.
        """
        due = self.inbox.pending(BATCH)
        for delivery in due:
            self._settle(delivery)
        return len(due)

    def _settle(self, delivery: Delivery) -> None:
        try:
            decision = self._decision(delivery)
            identity = self._queued(decision) if isinstance(decision, Job) else None
        except GitHubUnavailableError as error:
            self._postpone(delivery, error.cause)
        except Exception as error:  # noqa: BLE001 - one delivery must not hold up all others
            _log.exception("delivery_fault", delivery=delivery.delivery_id)
            self._postpone(delivery, f"a fault in Regreen: {type(error).__name__}")
        else:
            reason = decision.reason if isinstance(decision, Ignore) else "queued" if identity else "not done yet"
            self.inbox.decide(delivery.delivery_id, reason, identity)
            self._failures.pop(delivery.delivery_id, None)
            self._tell("queued" if identity else "ignored", delivery, reason=reason, job=identity)

    def _decision(self, delivery: Delivery) -> Job | Act | Ignore:
        try:
            event = parse(delivery)
        except PayloadError as error:
            return Ignore(str(error))
        refusal = prefilter(event, self.operator)
        if refusal:
            return refusal
        if isinstance(event, InRepository) and asks_policy(event):
            return self._looked_up(event, delivery.delivery_id)
        return decide(event, delivery.delivery_id, self.operator, Known())

    def _looked_up(self, event: InRepository, delivery_id: str) -> Job | Act | Ignore:
        """Ask GitHub for the policy, and for the sender's permission only when everything else fits."""
        github = self.github_for(event.repository)
        try:
            policy = self._policy(github, event)
            if isinstance(policy, Ignore):
                return policy
            wanted = needs(event, policy)
            decision = decide(event, delivery_id, self.operator, Known(policy, may_write=True))
            if isinstance(decision, Ignore) or not wanted.permission_of:
                return decision
            may_write = github.permission(wanted.permission_of).may_write
            return decide(event, delivery_id, self.operator, Known(policy, may_write=may_write))
        except (NotFoundError, ForbiddenError) as error:
            return Ignore(f"GitHub does not let the App look: {error.cause}")

    def _policy(self, github: GitHub, event: InRepository) -> RepoPolicy | Ignore:
        try:
            return policies.parse(github.file(policies.PATH, event.repository.default_branch))
        except ConfigurationError as error:
            # Somebody asked: their job starts with the defaults, meets the same error, and tells them.
            return Ignore(str(error)) if isinstance(event, CommitChecked) else RepoPolicy()

    def _queued(self, job: Job) -> str:
        # First the row: an engine may have ended the job before `enqueue` returns.
        self.runs.started(job_id(job), job)
        return self.engine.enqueue(job)

    def _postpone(self, delivery: Delivery, reason: str) -> None:
        failures = self._failures.get(delivery.delivery_id, 0)
        self._failures[delivery.delivery_id] = failures + 1
        delay = min(FIRST_DELAY * 2.0 ** min(failures, 20), LONGEST_DELAY)
        self.inbox.postpone(delivery.delivery_id, reason, delay)
        self._tell("postponed", delivery, reason=reason, job=None)

    def _tell(self, outcome: str, delivery: Delivery, *, reason: str, job: str | None) -> None:
        _log.info(
            f"delivery_{outcome}", delivery=delivery.delivery_id, event_name=delivery.event, reason=reason, job=job
        )
