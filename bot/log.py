"""Structured logs without secrets, see `bot.redaction`."""

import contextvars
import logging
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import ParamSpec, TypeVar

import structlog
from rich.console import Console
from structlog.typing import EventDict, Processor, WrappedLogger

from bot.redaction import MASK, Redactor, redactor

__all__ = ["MASK", "Redactor", "about", "carried", "configure", "redactor"]

P = ParamSpec("P")
T = TypeVar("T")
Tell = Callable[[str, str, Mapping[str, object]], None]


def _scrubbed(value: object, redact: Redactor) -> object:
    """Numbers as they are, texts redacted, also inside lists and dictionaries; anything else as its redacted text."""
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return redact(value)
        case dict():
            return {redact(str(key)): _scrubbed(item, redact) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_scrubbed(item, redact) for item in value]
        case _:
            return redact(repr(value))


def _harmless(key: str, value: object) -> object:
    """Text that neither steers a terminal nor passes for another event: what does not print is shown escaped."""
    if not isinstance(value, str):
        return value
    kept = "\n" if key == "exception" else ""
    return "".join(char if char.isprintable() or char in kept else ascii(char)[1:-1] for char in value)


def configure(
    level: str, redact: Redactor, counted: Callable[[str], None] | None = None, told: Tell | None = None
) -> None:
    """Send logs to standard error: one JSON line an event, coloured text on a terminal; those of libraries likewise.

    `counted` is called with the level of each line. Lines about a run carry its id as `run`, see `about`. Where `told`
    is given it gets the level, the event and the fields of each instead, redacted.
    """
    on_terminal = sys.stderr.isatty()

    def scrub(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        clean = {key: _scrubbed(value, redact) for key, value in event.items()}
        return {key: _harmless(key, value) for key, value in clean.items()} if on_terminal else clean

    def count(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        if counted is not None:
            counted(str(event["level"]))
        return event

    # plain tracebacks: others print local variables, and secrets are local variables somewhere
    pretty = structlog.dev.ConsoleRenderer(
        colors=not Console(stderr=True).no_color, exception_formatter=structlog.dev.plain_traceback
    )
    first: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    last: list[Processor] = [
        structlog.processors.format_exc_info,
        count,
        scrub,
        _ordered,
        _telling(told) if told else pretty if on_terminal else structlog.processors.JSONRenderer(),
    ]
    structlog.configure(
        processors=[*first, _with_run, *last, *([_drop] if told else [])],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        # looked up at each event: whoever replaces standard error gets what follows
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )
    _take_in_libraries([*first, structlog.stdlib.add_logger_name], last)


def _ordered(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """When, how grave and what come first, the others by name: what is bound to a context comes in any order."""
    first = {key: event[key] for key in ("timestamp", "level", "event") if key in event}
    return first | dict(sorted(event.items()))


def _telling(told: Tell) -> Processor:
    def tell(_logger: WrappedLogger, _method: str, event: EventDict) -> str:
        said = {key: value for key, value in event.items() if key not in {"level", "timestamp", "event"}}
        told(str(event["level"]), str(event["event"]), said)
        return ""

    return tell


def _drop(_logger: WrappedLogger, _method: str, _event: EventDict) -> EventDict:
    raise structlog.DropEvent


def about(run: str, delivery: str) -> AbstractContextManager[None]:
    """Give every line of this thread, and of those that `carried` takes along, the ids of a run and its delivery."""
    return structlog.contextvars.bound_contextvars(run=run, delivery=delivery)


def carried(call: Callable[P, T]) -> Callable[P, T]:
    """The same call for other threads, whose lines carry the ids that this thread's do now."""
    context = contextvars.copy_context()

    def there(*args: P.args, **kwargs: P.kwargs) -> T:
        # a copy each time: two threads cannot be in one context
        return context.copy().run(call, *args, **kwargs)

    return there


def _with_run(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """A job's id is its run's: one name for it, so that one search finds every line."""
    if "job" in event:
        event["run"] = event.pop("job") or event.get("run")
    return event


class _Library(logging.Handler):
    """Prints what libraries log, at the standard error of the moment."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            if said := self.format(record):
                print(said, file=sys.stderr)  # noqa: T201 - standard error is where logs go
        except Exception:  # noqa: BLE001 - as every handler does: a line that cannot be written ends nothing
            self.handleError(record)


def _take_in_libraries(first: list[Processor], last: list[Processor]) -> None:
    """Warnings of libraries are lines like ours, redacted: on their own they would print what they like."""
    handler = _Library(logging.WARNING)
    keep: Processor = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=first, processors=[keep, *last]))
    root = logging.getLogger()
    root.handlers = [one for one in root.handlers if not isinstance(one, _Library)] + [handler]
