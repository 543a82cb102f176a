"""A job's ports, whose calls are counted: they go inside of what the engine records, so that a replay counts none."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, get_type_hints

from bot.adapters.journal import LineJournal
from bot.adapters.metrics import WorkerMetrics
from bot.errors import RegreenError
from bot.pipeline.ports.job import Ports
from bot.repair.ports import Json, Model
from bot.repair.team.roles import Role
from bot.repair.types import Completion, CompletionLimits, Message
from sandbox.spec import TestRun

STEP_ENDED = "step_ended"
"""What `bot.pipeline.steps` writes at the end of each of a job's steps."""

UNTIMED = frozenset({"models", "clock", "journal", "last_words"})
"""Ports that are counted otherwise, or whose calls are too small to be of interest."""


def counted_ports(ports: Ports, metrics: WorkerMetrics, now: Callable[[], float] = time.perf_counter) -> Ports:
    """The same ports; `now` is a clock in seconds that only goes forward."""
    timed = {
        name: Timed(getattr(ports, name), protocol.__name__, metrics, now)
        for name, protocol in get_type_hints(Ports).items()
        if name not in UNTIMED
    }
    models = ports.models.each(lambda role, model: CountedModel(model, role, metrics, now))
    return replace(ports, models=models, **timed)


@dataclass(frozen=True, slots=True)
class Timed:
    """One port. `port_name` begins the name of each call."""

    port: Any
    port_name: str
    metrics: WorkerMetrics
    now: Callable[[], float]

    def __getattr__(self, name: str) -> Any:
        """The port's own, its calls timed."""
        found = getattr(self.port, name)
        if not callable(found):
            return found

        def method(*args: Any, **kwargs: Any) -> Any:
            started, error = self.now(), ""
            try:
                result = found(*args, **kwargs)
            except Exception as fault:
                error = type(fault).__name__
                raise
            finally:
                self.metrics.called(f"{self.port_name}.{name}", self.now() - started, error)
            for run in _runs(result):
                self.metrics.ran(run)
            return result

        return method


@dataclass(frozen=True, slots=True)
class CountedModel:
    """A model of a role."""

    model: Model
    role: Role
    metrics: WorkerMetrics
    now: Callable[[], float]

    def __post_init__(self) -> None:
        """Have it counted from nothing on."""
        self.metrics.expects(self.role.value, self.name)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        """Ask, and count what that took. Raises what the model raises."""
        started = self.now()
        try:
            completion = self.model.complete(messages, limits)
        except RegreenError as error:
            self.metrics.unanswered(self.role.value, self.name, type(error).__name__)
            raise
        self.metrics.answered(self.role.value, self.name, self.now() - started, completion.usage)
        return completion


@dataclass(frozen=True, slots=True)
class CountedJournal:
    """A run log whose steps are counted once, when they are written and not when they are replayed."""

    journal: LineJournal
    metrics: WorkerMetrics

    @property
    def head(self) -> str:
        """As the log's."""
        return self.journal.head

    def conceal(self, text: str) -> str:
        """As the log does."""
        return self.journal.conceal(text)

    def append(self, event: str, fields: Json) -> None:
        """As the log does. Raises `LogError`."""
        self.record(event, fields, b"")

    def record(self, event: str, fields: Json, payload: bytes) -> bytes:
        """As the log does. Raises `LogError`."""
        fresh = event == STEP_ENDED and not self.journal.replaying
        kept = self.journal.record(event, fields, payload)
        seconds = fields.get("seconds")
        if fresh and isinstance(seconds, int | float):
            self.metrics.stepped(str(fields.get("step", "")), seconds)
        return kept


def _runs(result: Any) -> tuple[TestRun, ...]:
    """The test runs that a call returned, if it returned any."""
    return tuple(one for one in result if isinstance(one, TestRun)) if isinstance(result, tuple) else ()
