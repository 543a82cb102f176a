"""A logged run's decisions, made again without a model, a container or a network."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from bot.codec import digest
from bot.errors import LogError, RegreenError
from bot.log import redactor
from bot.pipeline.aim import Writing
from bot.pipeline.logs import witness
from bot.pipeline.logs.logged import mend_logged
from bot.pipeline.logs.recording import Asked, Record
from bot.pipeline.logs.runlog import Entry, bounded
from bot.pipeline.logs.witness import CALLED, CLOSED, OPENED, Opening
from bot.pipeline.mend import Terms
from bot.pipeline.ports.job import LoopPorts
from bot.pipeline.steps import Steps
from bot.repair.ports import Json
from bot.repair.team.roles import Models, Role
from bot.repair.types import Baseline

LATER = frozenset({"totals"})
"""Fields that logs of earlier versions do not have."""
TIMED = frozenset({"step_started", "step_ended"})
"""Their seconds are of a clock whose readings are not in the log, and nothing is decided by them."""
_SHAPES = redactor(())
"""What an event shows is redacted by shape, too; of the exact secrets nothing is left."""
_OTHER_VERSION = "The log is of another version of Regreen, or its decisions depend on something that is not in it."


@dataclass(frozen=True, slots=True)
class Replayed:
    """What making the decisions again came to.

    `lines` were compared, `replies` of models among them. `difference` says where the decisions part from the log, and
    is empty where they are the same; `whole` is whether the logged run came to its end. `stop` and `solution` (an
    attempt's number) are how it ended, `head` is the digest of the last line.
    """

    lines: int
    replies: int
    whole: bool
    difference: str
    stop: str
    solution: int | None
    head: str

    @property
    def same(self) -> bool:
        """Whether the log's result was reached again."""
        return self.whole and not self.difference


class _PartedError(Exception):
    """The decisions are other ones than the log's. No error of a run, so that nothing on the way deals with it."""


class _EndedError(Exception):
    """The log ends before the run does."""


@dataclass(slots=True)
class _Tape:
    """Answers calls from the log, and holds every event against it. Implements `RunStep` and `Journal`."""

    entries: Sequence[Entry]
    at: int = 0
    replies: int = 0
    stop: str = ""
    solution: int | None = None
    _results: dict[str, Record] = field(default_factory=dict)
    _over: _PartedError | _EndedError | None = None

    def __call__(self, name: str, asked: Asked, call: Callable[[], Record]) -> Record:
        del call
        entry = self._next(f"a call of {name}")
        if entry.event != CALLED or entry.fields.get("call") != name:
            self._part(entry, f"a call of {name}")
        if entry.fields.get("asked") != asked():
            self._part(entry, f"a call of {name} that asks something else")
        self.replies += name == "Model.complete"
        return self._result(entry)

    def append(self, event: str, fields: Json) -> None:
        """Hold an event against the log's next line."""
        entry = self._next(event)
        if entry.event != event:
            self._part(entry, event)
        made = json.loads(json.dumps(bounded(fields, _SHAPES)))
        made = {name: value for name, value in made.items() if name in entry.fields or name not in LATER}
        if event not in TIMED and entry.fields != made:
            self._part(entry, f"{event} with other values")
        if event == "stop":
            self.stop, self.solution = str(fields.get("stop")), _number(fields.get("solution"))

    def record(self, event: str, fields: Json, payload: bytes) -> bytes:
        """Hold an event with a payload against the log's next line."""
        self.append(event, fields)
        if self.entries[self.at - 1].payload != payload:
            self._part(self.entries[self.at - 1], f"{event} with another value")
        return payload

    def conceal(self, text: str) -> str:
        """The log's texts have no secrets any more."""
        return text

    @property
    def head(self) -> str:
        """The digest of the last line that was reached."""
        return self.entries[self.at - 1].digest

    def _next(self, wanted: str) -> Entry:
        if self._over is not None:
            # What cleans up on the way out has its events too; the first difference is the one that tells.
            raise self._over
        if self.at == len(self.entries):
            self._over = _EndedError(f"the log ends where the run goes on with {wanted}")
            raise self._over
        self.at += 1
        return self.entries[self.at - 1]

    def _result(self, entry: Entry) -> Record:
        named = str(entry.fields.get("result"))
        if entry.payload:
            if digest(entry.payload) != named:
                self._part(entry, "a result that is what its digest says")
            self._results[named] = json.loads(entry.payload)
        if named not in self._results:
            self._part(entry, "a result that the log holds")
        return self._results[named]

    def _part(self, entry: Entry, wanted: str) -> NoReturn:
        said = f"{entry.event} {entry.fields.get('call', '')}".strip()
        self._over = _PartedError(f"line {entry.number + 1} of the log says {said}; made again, it is {wanted}")
        raise self._over


def replay(entries: Sequence[Entry]) -> Replayed:
    """Make the decisions of the log's repair again. Raises `LogError` when the log holds none that can be made."""
    start = next((at for at, entry in enumerate(entries) if entry.event == OPENED), None)
    if start is None:
        raise LogError("The log holds no repair", "A run that ended before its tests were measured decided nothing.")
    try:
        opening = witness.read_opening(entries[start].payload)
    except ValueError:
        raise LogError("What the repair started from cannot be read", _OTHER_VERSION) from None
    tape = _Tape(tuple(_of_repair(entries[start:])))
    difference, whole = "", True
    try:
        _mend_again(opening, tape)
    except _EndedError as error:
        difference, whole = str(error), False
    except _PartedError as error:
        difference = str(error)
    except RegreenError:
        # A run that ended in this error is logged as such, or `mend` would have parted from the log.
        pass
    if not difference and tape.at < len(tape.entries):
        difference = f"the log goes on with {tape.entries[tape.at].event} where the run has ended"
    return Replayed(tape.at, tape.replies, whole, difference, tape.stop, tape.solution, entries[-1].digest)


def _of_repair(entries: Sequence[Entry]) -> Iterator[Entry]:
    """The lines from the opening to the end of the repair; what a job does afterwards is not decided by the loop."""
    for entry in entries:
        yield entry
        if entry.event == CLOSED:
            return


def _mend_again(opening: Opening, tape: _Tape) -> None:
    absent: Any = _Absent()
    named: dict[str, Any] = {role: _Named(name) for role, name in opening.models if role in set(Role)}
    models = Models(**named)
    ports = LoopPorts(absent, models, absent, tape)
    plan = opening.plan
    writing = Writing(plan.name, _none, _none, plan.approved, plan.review) if plan else None
    terms = Terms(opening.budget, opening.protected, opening.facts, writing, spots=opening.spots)
    mend_logged(opening.base, opening.about, _none, ports, Steps(_Still(), tape), terms, answers=tape)


def _none(baseline: Baseline) -> tuple[str, ...]:
    raise NotImplementedError


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


class _Absent:
    """A port that nothing is asked of: the log answers."""

    def __getattr__(self, name: str) -> Any:
        def method(*args: object) -> NoReturn:
            raise NotImplementedError(name)

        return method


@dataclass(frozen=True, slots=True)
class _Named:
    """A model of which only the name is left."""

    name: str

    def complete(self, messages: object, limits: object) -> NoReturn:
        raise NotImplementedError


class _Still:
    """A clock for what nothing is decided by."""

    def now(self) -> float:
        return 0.0
