"""Why a new test fails: as was predicted before it ran, and through no fault of its own, or else why it does not count.

Pure. A prediction is believed in what it can be held to: the exception's type, and every value and exception it names.
"""

import re
from dataclasses import dataclass

from bot.repair import describe
from sandbox.spec import TestResult

MAX_PREDICTION = 500
MAX_MESSAGE = 20_000
LONGEST_COMPARED = 24
"""Characters of a predicted text that must occur: runners cut long ones."""

_STATED = re.compile(r"^[\W_]{0,9}FAILS WITH[*_ ]{0,3}:(.{1,2000})$", re.IGNORECASE | re.MULTILINE)
_EXCEPTION = re.compile(r"((?:[A-Za-z_]\w{0,99}\.){0,9}[A-Z]\w{0,99}|panic)(?:\s{0,9}:\s{0,9}(.*))?", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)", re.IGNORECASE)
_TEXT = re.compile(r"'([^'\n]{0,200})'|\"([^\"\n]{0,200})\"")
_NAMED = re.compile(
    r"\b(?:True|False|None|null|undefined|nil|NaN|true|false|[A-Z]\w{0,80}(?:Error|Exception|Warning))\b"
)

ASSERTION = "AssertionError"
_ASSERTIONS = frozenset({"AssertionError", "Failed", "JestAssertionError", "ERR_ASSERTION"})
"""What runners call an expectation that was not met."""
_NEVER = frozenset({"SyntaxError", "IndentationError", "TabError", "NameError", "UnboundLocalError", "ReferenceError"})
_ONLY_IF_REPORTED = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError", "TypeError"})
"""A call of what is not there: the issue's fault only where the issue is about that very exception."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """How a test will fail: the last part of the exception's name, empty where none was said, and the message."""

    exception: str
    message: str

    def __str__(self) -> str:
        """As it was stated."""
        return ": ".join(part for part in (self.exception, self.message) if part)


def stated(reply: str) -> Prediction | None:
    """The prediction in a reply: its first line `FAILS WITH: …`; `None` without one."""
    found = _STATED.search(reply)
    return predicted(found[1]) if found else None


def predicted(text: str) -> Prediction | None:
    """A prediction from its own words, such as `AssertionError: assert 3 == 4`; `None` where there are none."""
    line = describe.one_line(text.strip(" \t*_`"), MAX_PREDICTION).strip("`")
    found = _EXCEPTION.fullmatch(line)
    if found:
        return Prediction(found[1].rpartition(".")[2], (found[2] or "").strip("` "))
    return Prediction(ASSERTION if line.startswith("assert ") else "", line) if line else None


def unspecific(prediction: Prediction) -> str | None:
    """Why a prediction says too little to be held to it: an expectation without any value fits every failure."""
    if prediction.exception and _kind(prediction.exception) != ASSERTION:
        return None
    if values(prediction.message):
        return None
    return "the prediction names no value; state the values, such as FAILS WITH: AssertionError: assert 3 == 4"


def fault(result: TestResult, test_path: str, prediction: Prediction, issue: str) -> str | None:
    """Why this red result of a new test does not show what the issue reports, or `None` when it does."""
    return _own(result, test_path, issue) or _other_reason(result, prediction)


def values(message: str) -> frozenset[str]:
    """The numbers, quoted texts, constants and exceptions that a message names."""
    text = message[:MAX_MESSAGE]
    quoted = filter(None, (single or double for single, double in _TEXT.findall(text)))
    return frozenset((*_NUMBER.findall(_TEXT.sub(" ", text)), *quoted, *_NAMED.findall(text)))


def _own(result: TestResult, test_path: str, issue: str) -> str | None:
    said = describe.failure(result)
    if result.phase != "call":
        return f"it does not get to its test at all, but fails in {result.phase}: {said}"
    name = _kind(result.exception)
    inside = result.frames[-1].path if result.frames else test_path
    if inside != test_path or name == ASSERTION:
        return None
    if name in _NEVER:
        return f"the fault is in the test itself: {said}"
    if name in _ONLY_IF_REPORTED and not re.search(rf"\b{re.escape(name)}\b", issue):
        return f"the test uses something that is not there, or in a wrong way, which the issue does not report: {said}"
    return None


def _other_reason(result: TestResult, prediction: Prediction) -> str | None:
    said = describe.failure(result)
    if result.exception and prediction.exception and _kind(result.exception) != _kind(prediction.exception):
        return f"it was to fail with {prediction}, but fails with another exception: {said}"
    message = result.message[:MAX_MESSAGE]
    shown = " ".join(message.split())
    there = values(message)
    for value in sorted(values(prediction.message)):
        if value not in there and (_NUMBER.fullmatch(value) or " ".join(value.split())[:LONGEST_COMPARED] not in shown):
            return f"it was to fail with {prediction}, but the failure does not show {value!r}: {said}"
    return None


def _kind(exception: str) -> str:
    name = exception.rpartition(".")[2].partition(" ")[0]
    return ASSERTION if name in _ASSERTIONS else name
