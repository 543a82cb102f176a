"""Structured logs, with secrets redacted by value (raw, base64) and by shape."""

import base64
import logging
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass

import structlog
from pydantic import SecretStr
from structlog.typing import EventDict, WrappedLogger

MASK = "[redacted]"
SHORTEST = 16
"""A shorter value is a placeholder, as local model servers take (`lm-studio`, `not-needed`), and found in any text.

Keys of model vendors are longer, and a webhook secret is at least this long.
"""

_SHAPES = re.compile(
    r"""
      gh[pousr]_[A-Za-z0-9]{16,}                                # GitHub tokens
    | github_pat_[A-Za-z0-9_]{20,}
    | (?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt]))     # JSON web tokens: from where a word begins, since
      eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+ # to try at each eyJ in a long word is quadratic
    | sk-[A-Za-z0-9_-]{16,}                                     # model API keys
    | AKIA[0-9A-Z]{16}
    | xox[abprs]-[A-Za-z0-9-]{10,}
    | -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----.*?(?:-----END\ [A-Z ]*PRIVATE\ KEY-----|\Z)
    | (?<=://)[^/\s:@]{1,200}:[^/\s:@]{1,200}(?=@)              # user:password in addresses
    | (?i:(?<=authorization:\ )(?:basic|bearer|token)\ \S+)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Redactor:
    """Replaces secrets in text. `values` are exact secrets, found raw and in base64; shapes are always looked for."""

    values: tuple[str, ...] = ()

    def __call__(self, text: str) -> str:
        """The text without its secrets."""
        return _SHAPES.sub(MASK, self.conceal(text))

    def conceal(self, text: str) -> str:
        """The text without the exact secrets; what only looks like one stays, since a test's name or a path may."""
        for value in self.values:
            text = text.replace(value, MASK)
        return text


def redactor(secrets: Iterable[SecretStr]) -> Redactor:
    """A redactor for these secrets, each raw and as the base64 that HTTP basic authentication would show."""
    values: list[str] = []
    for secret in secrets:
        value = secret.get_secret_value()
        if len(value) >= SHORTEST:
            basic = base64.b64encode(f"x-access-token:{value}".encode()).decode()
            values += [value, base64.b64encode(value.encode()).decode(), basic]
    return Redactor(tuple(sorted(values, key=len, reverse=True)))


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
