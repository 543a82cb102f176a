"""What the pipeline needs from the world. Each method call is one recorded step: small, portable, idempotent."""

from dataclasses import dataclass, field
from typing import Protocol

from bot.pipeline.ports.checks import Checks
from bot.pipeline.ports.github import GitHub
from bot.pipeline.ports.store import LastWords
from bot.pipeline.ports.threads import Branches, Threads
from bot.pipeline.reports.labels import Labels, Unlabelled
from bot.pipeline.spending.ledger import Ledger, SpendingLimits
from bot.repair.ports import Clock, Journal, Workspace
from bot.repair.reproduction.written import WrittenTest
from bot.repair.team.facts import Facts
from bot.repair.team.roles import Models
from bot.repair.types import Base, BudgetLimits
from sandbox.spec import Egress, Given, Tree


class Sources(Protocol):
    """Brings commits to this machine: a bare mirror on the host, never a checkout."""

    def fetch(self, repository: str, commit: str) -> None:
        """Make the commit readable here. Raises `FetchError`, `BranchMissingError`, `NoRoomError`."""
        ...


class Trees(Protocol):
    """Reads whole trees for the workspace. Not a recorded step: a tree is named by its commit and read where needed."""

    def tree(self, repository: str, commit: str) -> Tree:
        """Every file of the commit, exactly as stored: no filters, no attributes, no submodules.

        Brought here first where it is missing. Raises what `Sources.fetch` raises, and `TreeError` above 512 MiB or
        200,000 files.
        """
        ...


class Environments(Protocol):
    """Finds out how a repository is tested, and gets that ready."""

    def prepare(self, repository: str, commit: str, given: Given) -> Base:
        """Detect the recipe (what is given wins) and build or find its environment.

        Raises `SetUpError` with the log's last lines, `TreeError`, `NoRoomError`, `EngineDownError`.
        """
        ...

    def egress(self) -> tuple[Egress, ...]:
        """What the set-ups of this job asked of the network since the last call, at most some hundreds."""
        ...


class Reviews(Protocol):
    """The tests that were shown for a person's word on this job's subject, kept where nobody at GitHub reaches."""

    def keep(self, test: WrittenTest) -> str:
        """Keep a test, durable when this returns, and return its digest; the same one again changes nothing.

        Raises `StoreError`, `NoRoomError`.
        """
        ...

    def kept(self) -> tuple[WrittenTest, ...]:
        """The tests that were kept, oldest first. Raises `StoreError` for one that was changed or is damaged."""
        ...


@dataclass(frozen=True, slots=True)
class LoopPorts:
    """What measuring and repairing need, with or without GitHub."""

    workspace: Workspace
    models: Models
    clock: Clock
    journal: Journal


class Unkept:
    """`LastWords` that keep nothing."""

    def keep(self, identity: str, text: str) -> None:
        """Keep nothing."""


@dataclass(frozen=True, slots=True)
class Ports:
    """The world as one job sees it. The engine wraps each of these, so that each call is recorded."""

    github: GitHub
    sources: Sources
    environments: Environments
    workspace: Workspace
    models: Models
    clock: Clock
    journal: Journal
    reviews: Reviews
    checks: Checks
    labels: Labels = field(default_factory=Unlabelled, kw_only=True)
    ledger: Ledger
    threads: Threads
    branches: Branches
    last_words: LastWords = field(default_factory=Unkept, kw_only=True)

    @property
    def loop(self) -> LoopPorts:
        """The part that the repair loop acts through."""
        return LoopPorts(self.workspace, self.models, self.clock, self.journal)


@dataclass(frozen=True, slots=True)
class FixSettings:
    """What the operator decided, as far as a job needs to know it."""

    budget: BudgetLimits
    draft: bool
    facts: Facts = field(default_factory=Facts)
    limits: SpendingLimits = field(default_factory=SpendingLimits)
    public_url: str = ""
