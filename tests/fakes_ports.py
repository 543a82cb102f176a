"""Ports of a job that do nothing but answer, for engines to wrap."""
# ruff: noqa: ARG002 - a fake takes what its protocol says, and uses what it needs

from dataclasses import dataclass, field
from typing import Any, cast

from fakes import Unrecorded
from fakes_ledger import MemoryLedger
from fakes_reviews import MemoryReviews
from fakes_store import FakeTime

from bot.errors import RegreenError
from bot.pipeline.ports.job import Ports
from bot.repair.localisation.observed import Covered, Observation, Probe
from bot.repair.ports import Json
from bot.repair.team.roles import Models
from bot.repair.types import Base, Completion, CompletionLimits, Message, Patch, Screening, Selection, SourceFile, Usage
from sandbox.spec import RunState, TestRun


@dataclass
class ScriptedWorkspace:
    """`Workspace` whose every run prints `output`; counts its calls."""

    output: str = "1 failed"
    files: tuple[SourceFile, ...] = ()
    calls: list[str] = field(default_factory=list)
    failure: Exception | None = None

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        self.calls.append("evaluate")
        if self.failure:
            raise self.failure
        return tuple(TestRun(RunState.COMPLETE, output=self.output) for _ in patches)

    def screen(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[Screening, ...]:
        self.calls.append("screen")
        return tuple(Screening(plausible=False) for _ in patches)

    def coverage(self, base: Base, patch: Patch, selection: Selection) -> tuple[Covered, ...]:
        self.calls.append("coverage")
        return ()

    def trace(self, base: Base, patch: Patch, node_id: str, probes: tuple[Probe, ...]) -> tuple[Observation, ...]:
        self.calls.append("trace")
        return ()

    def read(self, base: Base, paths: tuple[str, ...]) -> tuple[SourceFile, ...]:
        self.calls.append("read")
        return self.files

    def paths(self, base: Base) -> tuple[str, ...]:
        self.calls.append("paths")
        return tuple(file.path for file in self.files)

    def links(self, base: Base) -> tuple[tuple[str, str], ...]:
        self.calls.append("links")
        return ()


@dataclass
class EchoModel:
    """`Model` that repeats the last message."""

    name: str = "echo"
    failure: RegreenError | None = None

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        if self.failure:
            raise self.failure
        return Completion(messages[-1].content, "stop", Usage(1, 1), self.name)


@dataclass
class ListJournal(Unrecorded):
    """`Journal` in a list."""

    events: list[str] = field(default_factory=list)

    def append(self, event: str, fields: Json) -> None:
        self.events.append(event)


def ports(**changes: Any) -> Ports:
    """Ports of which a test uses some; what it does not name is a port that offers nothing."""
    nothing = cast("Any", object())
    given: dict[str, Any] = {
        "github": nothing,
        "sources": nothing,
        "environments": nothing,
        "workspace": ScriptedWorkspace(),
        "models": Models(coder=EchoModel()),
        "clock": FakeTime(),
        "journal": ListJournal(),
        "reviews": MemoryReviews(),
        "checks": nothing,
        "ledger": MemoryLedger(),
        "threads": nothing,
        "branches": nothing,
    }
    return Ports(**(given | changes))
