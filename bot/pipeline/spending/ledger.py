"""What runs may spend and how often a subject is tried, across jobs: the port, and how it is said. Pure but for it.

A job reserves before it spends, is charged at each call of a model, and settles afterwards. Between the first and the
last its whole grant counts as spent, so that jobs at the same time cannot share the last dollar. One row a job: those
of a subject are its attempts, whatever began them.
"""

from dataclasses import dataclass
from typing import Protocol

from bot.jobs import FixIssue, FollowUp, Job, subject
from bot.pipeline.texts import Report, Why, counted
from bot.policy import Language, RepoPolicy
from bot.repair.team.facts import Facts
from bot.repair.team.roles import Models, Role

DAY = 86_400.0
"""Seconds of the window that the day's budgets are about: the last 24 hours, whenever they began."""
LEAST = 0.01
"""Dollars below which a run is not begun: it would end at its first call."""


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """The operator's limits in dollars, beside those of one run; a policy file can only lower them."""

    pull_request: float = 10.0
    repository_day: float = 20.0
    installation_day: float = 50.0


@dataclass(frozen=True, slots=True)
class Account:
    """Who a run's money is spent for. `repository` is its full name, whose case GitHub does not regard."""

    installation_id: int
    repository: str
    subject: str

    @property
    def lasting(self) -> bool:
        """Whether its runs count for ever: an issue and a pull request end, a branch's checks turn red for years."""
        return not self.subject.startswith("check-")


@dataclass(frozen=True, slots=True)
class Allowance:
    """What may be spent in dollars, and how many runs there may be. `run` is 0 where every model is free."""

    run: float
    pull_request: float
    repository_day: float
    installation_day: float
    attempts: int


@dataclass(frozen=True, slots=True)
class Shortage:
    """Why a run may not begin: the name of a `Why`, and what there was of what is allowed."""

    why: str
    there: str
    allowed: str

    def said(self, language: Language = "en") -> tuple[str, str]:
        """The reason, and what would change that."""
        return Why[self.why].say(language, there=self.there, allowed=self.allowed)


@dataclass(frozen=True, slots=True)
class Balance:
    """What has been spent of an allowance or is held by runs under way, in dollars, and the runs there were."""

    allowance: Allowance
    pull_request: float = 0.0
    repository_day: float = 0.0
    installation_day: float = 0.0
    attempts: int = 0

    @property
    def dollars(self) -> float:
        """What the next run would be granted."""
        allowed = self.allowance
        left = (
            allowed.run,
            allowed.pull_request - self.pull_request,
            allowed.repository_day - self.repository_day,
            allowed.installation_day - self.installation_day,
        )
        return max(min(left), 0.0)

    @property
    def shortage(self) -> Shortage | None:
        """Why the next run may not begin, `None` when it may. Runs that cost nothing need no money."""
        allowed = self.allowance
        if self.attempts >= allowed.attempts:
            return Shortage(Why.ATTEMPTS.name, str(self.attempts), str(allowed.attempts))
        if self.dollars >= min(LEAST, allowed.run):
            return None
        scopes = (
            (Why.BUDGET_PULL_REQUEST, self.pull_request, allowed.pull_request),
            (Why.BUDGET_REPOSITORY, self.repository_day, allowed.repository_day),
            (Why.BUDGET_INSTALLATION, self.installation_day, allowed.installation_day),
        )
        why, spent, limit = min(scopes, key=lambda scope: scope[2] - scope[1])
        return Shortage(why.name, money(spent), money(limit))


@dataclass(frozen=True, slots=True)
class Grant:
    """What a run may spend in dollars, and which attempt of its subject it is; refused where there is a `shortage`."""

    dollars: float
    attempt: int
    shortage: Shortage | None = None


class Ledger(Protocol):
    """The spends of all jobs, durable, one transaction a call, right with any number of workers.

    Every method raises `StoreError`, `NoRoomError`.
    """

    def left(self, account: Account, allowance: Allowance) -> Balance:
        """What has been spent and tried so far; changes nothing."""
        ...

    def reserve(self, identity: str, account: Account, allowance: Allowance) -> Grant:
        """Hold the smallest of what is left for the job of this id, and count an attempt; nothing where refused.

        The same id again gets the same grant, whatever is left by then.
        """
        ...

    def settle(self, identity: str, dollars: float) -> None:
        """Give back what is held beyond what was charged, at least `dollars`; of several calls the highest stands."""
        ...


class Spends(Protocol):
    """What keeps the ledger true beside a job's own steps; raises as `Ledger` does."""

    def charge(self, identity: str, call: str, dollars: float) -> None:
        """Add what one call of a model has just cost; nothing where the job reserved nothing.

        `call` is the job's own name for that call. The same again changes nothing, as after an answer that was lost;
        at another price it is refused: raises `StoreError`, and what was charged first stands.
        """
        ...

    def forgotten(self) -> tuple[str, ...]:
        """The ids of jobs that have ended, and did not settle: killed, cancelled, given up."""
        ...

    def settle(self, identity: str, dollars: float) -> None:
        """See `Ledger.settle`."""
        ...


def account(job: Job) -> Account:
    """The account of a job: a label, a red check and a review of one pull request share it."""
    return Account(job.installation_id, job.repository.lower(), subject(job))


def asked_by_a_person(job: Job) -> bool:
    """Whether somebody wants this run by a command, though others were made already."""
    match job:
        case FollowUp():
            return job.review == 0
        case FixIssue():
            return job.asked or job.approves is not None
        case _:
            return job.asked


def allowance(run: float, limits: SpendingLimits, policy: RepoPolicy, *, asked: bool = False) -> Allowance:
    """The lower of what operator and policy file allow; `run` is one run's dollars, 0 where its models are free."""
    wanted = policy.budget
    return Allowance(
        run,
        _lower(limits.pull_request, wanted.pull_request),
        _lower(limits.repository_day, wanted.repository_day),
        _lower(limits.installation_day, wanted.installation_day),
        policy.max_attempts * (2 if asked else 1),
    )


def costs(models: Models, facts: Facts) -> bool:
    """Whether any model of a run has a price."""
    played = (facts.of(role) for role in Role if models.of(role) is not None)
    return any(one.prompt_price or one.completion_price for one in played)


def told(balance: Balance, language: Language = "en") -> str:
    """What was spent and what is allowed, as one line for the status and the pull request."""
    allowed = balance.allowance
    return counted(
        balance.attempts,
        Report.SPENT_ONE,
        Report.SPENT,
        language,
        here=money(balance.pull_request),
        allowed_here=money(allowed.pull_request),
        day=money(balance.repository_day),
        allowed_day=money(allowed.repository_day),
    )


def money(dollars: float) -> str:
    """Dollars with two digits, four where they would hide what was spent."""
    return f"${dollars:.4f}" if 0 < dollars < 1 and round(dollars, 2) != round(dollars, 4) else f"${dollars:.2f}"


def _lower(operator: float, wanted: float | None) -> float:
    return operator if wanted is None else min(operator, wanted)
