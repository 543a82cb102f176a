"""Structured logs without secrets, see `bot.redaction`."""

import logging
import sys

import structlog
from structlog.typing import EventDict, WrappedLogger

from bot.redaction import MASK, Redactor, redactor

__all__ = ["MASK", "Redactor", "configure", "redactor"]


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


def configure(level: str, redact: Redactor) -> None:
    """Send logs to standard error: one JSON line an event, coloured text on a terminal."""
    on_terminal = sys.stderr.isatty()

    def scrub(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        clean = {key: _scrubbed(value, redact) for key, value in event.items()}
        return {key: _harmless(key, value) for key, value in clean.items()} if on_terminal else clean

    # plain tracebacks: others print local variables, and secrets are local variables somewhere
    pretty = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    renderer = pretty if on_terminal else structlog.processors.JSONRenderer()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            scrub,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        # looked up at each event: whoever replaces standard error gets what follows
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )
