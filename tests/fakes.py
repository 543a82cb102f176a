"""Scripted stand-ins for the loop's ports: they answer what a test told them to, in order, and remember the calls."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bot.repair.meter import Meter
from bot.repair.ports import Json
from bot.repair.types import (
    Attempt,
    Baseline,
    Completion,
    CompletionLimits,
    FileChange,
    Message,
    Origin,
    Patch,
    Proposal,
    Proposed,
    Reflection,
    Task,
    Usage,
)


def patch(**files: str) -> Patch:
    """A patch of Python modules: `patch(calc="…")` writes `calc.py`."""
    changes = (FileChange(f"{name}.py", text.encode()) for name, text in sorted(files.items()))
    return Patch(tuple(changes))


def proposed(change: Patch, usage: Usage | None = None, origin: Origin = Origin.MODEL) -> Proposed:
    """An answer that proposes this patch."""
    return Proposed(Proposal(change, origin, "because", "whole_file"), usage=usage or Usage(100, 20))


class ScriptedModel:
    """Answers with the given replies in order; an exception among them is raised, and asking for more is an error."""

    def __init__(self, replies: Iterable[str | Completion | Exception], name: str = "scripted") -> None:
        self.replies = list(replies)
        self.prompts: list[tuple[Message, ...]] = []
        self.name = name

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        self.prompts.append(messages)
        assert limits.max_tokens > 0
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Completion) else Completion(reply, "stop", Usage(100, 20), self.name)


class ScriptedProposer:
    """Comes back with the given rounds in order, then is exhausted; an exception among them is raised.

    One answer is a round of one. With a `meter`, each round is reserved at what it costs, and charged.
    """

    def __init__(
        self,
        answers: Iterable[Proposed | tuple[Proposed, ...] | Exception],
        meter: Meter | None = None,
        name: str = "scripted",
    ) -> None:
        self.answers = list(answers)
        self.meter = meter
        self.name = name
        self.histories: list[tuple[Attempt, ...]] = []

    def propose(self, task: Task, baseline: Baseline, history: tuple[Attempt, ...]) -> tuple[Proposed, ...]:
        del task, baseline
        self.histories.append(history)
        if not self.answers:
            return (Proposed(None, "nothing left", exhausted=True),)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        answers = answer if isinstance(answer, tuple) else (answer,)
        if self.meter:
            usage = sum((one.usage for one in answers), Usage())
            self.meter.reserve("coder", usage)
            self.meter.charge("coder", usage)
        return answers


@dataclass
class ScriptedReflector:
    """Gives every attempt the same lesson."""

    usage: Usage = field(default_factory=lambda: Usage(10, 5))
    seen: list[Attempt] = field(default_factory=list)

    def reflect(self, task: Task, attempt: Attempt) -> tuple[Reflection, Usage]:
        del task
        self.seen.append(attempt)
        return Reflection("cause", "lesson", stated=False), self.usage


class FakeClock:
    """Goes on by `step` seconds each time somebody looks."""

    def __init__(self, start: float = 1000.0, step: float = 1.0) -> None:
        self.time = start
        self.step = step

    def now(self) -> float:
        self.time += self.step
        return self.time


class Unrecorded:
    """What of `Journal` no test looks at but those of the log itself."""

    head = "0" * 64

    def record(self, event: str, fields: Json, payload: bytes) -> bytes:
        """Keep nothing."""
        del event, fields
        return payload

    def conceal(self, text: str) -> str:
        return text


class MemoryJournal(Unrecorded):
    """Keeps what was appended."""

    def __init__(self) -> None:
        self.events: list[tuple[str, Json]] = []

    def append(self, event: str, fields: Json) -> None:
        self.events.append((event, dict(fields)))

    def named(self, event: str) -> Sequence[Json]:
        return [fields for name, fields in self.events if name == event]
