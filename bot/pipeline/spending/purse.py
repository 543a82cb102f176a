"""The money of one job: reserved before anything is spent, counted at every model's answer, settled at the end.

It is counted twice. `Charged`, inside of what the engine records, tells the ledger of each call that is made: one
that a kill cut off after its answer and that is made again has cost twice. `Purse` counts outside of it, so that a job
which goes on after a kill comes to the same figures for its outcome, each recorded answer once.

A job that dies for good between reserving and settling has spent what it was charged; `settle_forgotten` gives back the
rest as soon as its run is over. One whose run never ends holds its whole grant.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import structlog

from bot.errors import RegreenError
from bot.jobs import Job, JobOutcome, job_id
from bot.pipeline.ports.job import Ports
from bot.pipeline.spending.ledger import (
    Account,
    Allowance,
    Ledger,
    Shortage,
    SpendingLimits,
    Spends,
    account,
    allowance,
    asked_by_a_person,
    costs,
    told,
)
from bot.policy import Language, RepoPolicy
from bot.repair.ports import Model
from bot.repair.team.facts import Facts
from bot.repair.types import BudgetLimits, Completion, CompletionLimits, Message, Usage

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Purse:
    """What one job may spend and has spent."""

    job: Job
    ledger: Ledger
    usage: Usage = field(default_factory=Usage)
    _allowance: Allowance | None = None

    def counted(self, ports: Ports) -> Ports:
        """The same ports, with every answer of a model counted here."""
        return replace(ports, models=ports.models.each(lambda _, model: _Counted(model, self)))

    def reserve(
        self, budget: BudgetLimits, policy: RepoPolicy, limits: SpendingLimits, *, free: bool
    ) -> BudgetLimits | Shortage:
        """Count an attempt and hold money for the run; its budget, no larger than what is granted, or why it may not.

        Raises `StoreError`, `NoRoomError`.
        """
        run = 0.0 if free else budget.dollars
        allowed = allowance(run, limits, policy, asked=asked_by_a_person(self.job))
        grant = self.ledger.reserve(job_id(self.job), self._account, allowed)
        if grant.shortage is not None:
            return grant.shortage
        self._allowance = allowed
        return budget if free else replace(budget, dollars=min(budget.dollars, grant.dollars))

    def settle(self) -> None:
        """Say what was spent; a ledger that fails is told later, by whoever sweeps."""
        if self._allowance is None:
            return
        try:
            self.ledger.settle(job_id(self.job), self.usage.dollars)
        except RegreenError as error:
            _log.error("spend_not_settled", job=job_id(self.job), dollars=self.usage.dollars, cause=error.cause)

    def told(self, language: Language = "en") -> str:
        """What was spent and what is allowed, as a line of text; empty where nothing was reserved or can be told."""
        if self._allowance is None:
            return ""
        self.settle()
        try:
            return told(self.ledger.left(self._account, self._allowance), language)
        except RegreenError:
            return ""

    def charged(self, outcome: JobOutcome) -> JobOutcome:
        """The outcome with all that was spent, also where the run failed midway."""
        tokens, dollars = max(outcome.tokens, self.usage.tokens), max(outcome.dollars, self.usage.dollars)
        return replace(outcome, tokens=tokens, dollars=dollars)

    @property
    def _account(self) -> Account:
        return account(self.job)


def is_free(ports: Ports, facts: Facts) -> bool:
    """Whether no model of a run has a price."""
    return not costs(ports.models, facts)


def settle_forgotten(spends: Spends) -> int:
    """Settle the jobs that ended without doing so themselves, and return how many. Raises `StoreError`."""
    forgotten = spends.forgotten()
    for identity in forgotten:
        spends.settle(identity, 0.0)
    return len(forgotten)


@dataclass(frozen=True, slots=True)
class Charged:
    """A model whose every call is charged to a job when it is answered; goes inside of what the engine records.

    `name_call` gives each call that is made a name that none had before: its charge may be sent again under it. It does
    not follow from the step, for a step that is taken again after a kill asks again, and pays again.
    """

    model: Model
    spends: Spends
    identity: str
    name_call: Callable[[], str]

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        """Ask, and charge what that cost. Raises `ModelError`, `StoreError`."""
        completion = self.model.complete(messages, limits)
        if completion.usage.dollars:
            self.spends.charge(self.identity, self.name_call(), completion.usage.dollars)
        return completion


@dataclass(frozen=True, slots=True)
class _Counted:
    """A model whose answers are counted."""

    model: Model
    purse: Purse

    @property
    def name(self) -> str:
        return self.model.name

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        completion = self.model.complete(messages, limits)
        self.purse.usage += completion.usage
        return completion
