"""Tasks and stages of the loop's benchmark without a container and without a model."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.loop.found import Stage
from bench.loop.replies import CachedModel, HonestClock
from bench.loop.tasks import BenchTask
from bench.loop.world import behind
from fakes import FakeClock, MemoryJournal
from fakes_fix import FILES, grading
from fakes_workspace import BASE, ScriptedWorkspace

from bot.pipeline.mend import Terms
from bot.pipeline.ports.job import LoopPorts
from bot.repair.team.roles import Models
from bot.repair.types import BudgetLimits, Completion, CompletionLimits, Message, Usage
from bot.settings import Settings
from sandbox.spec import File

TREE = {path: File(data) for path, data in FILES.items()}
TASK = BenchTask("grades", "bench/grades", TREE, {}, "Fifty should pass")
RIGHT = """CAUSE: off by one

grades.py
<<<<<<< SEARCH
    if score > 50:
=======
    if score >= 50:
>>>>>>> REPLACE
"""
WRONG = RIGHT.replace(">= 50", "> 60")
OTHER = RIGHT.replace(">= 50", "> 70")


@dataclass
class Answers:
    """A model that gives these replies in order, and the last one for ever; it keeps what it was asked.

    An exception among them is raised once. Each reply costs 1,000 tokens.
    """

    replies: list[str | BaseException]
    name: str = "scripted"
    asked: list[tuple[tuple[Message, ...], CompletionLimits]] = field(default_factory=list)

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, BaseException):
            raise reply
        self.asked.append((messages, limits))
        return Completion(reply, "stop", Usage(900, 100), self.name)


@dataclass
class ScriptedStages:
    """`Stages` over the graded module of `fakes_fix`; `opened` counts them."""

    model: Answers | None
    opened: int = 0

    @contextmanager
    def open(
        self, task: BenchTask, settings: Settings, log: Path, replies: Path
    ) -> Iterator[tuple[Stage, HonestClock, tuple[CachedModel, ...]]]:
        del task, log
        self.opened += 1
        model = self.model if settings.wants_model else None
        ports = LoopPorts(ScriptedWorkspace(FILES, grading), Models(coder=model), FakeClock(), MemoryJournal())
        ports, caches = behind(ports, lambda one: CachedModel(one, replies))
        budget = BudgetLimits(iterations=settings.max_iterations, tokens=settings.max_tokens)
        yield Stage(BASE, ports, Terms(budget)), HonestClock(ports.clock, caches), caches
