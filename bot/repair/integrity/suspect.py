"""When a test may itself be wrong: it contradicts what every other example of the same function agrees on.

Likely invariants from a small grammar (after Daikon, Ernst et al. 2007): relations between the arguments and the
expected value. A relation that fixes the value needs two other examples, one that only shapes it needs three. A test is
left alone when some relation fits every example, its own included. This is a hint for a person, never a verdict.
"""

import itertools
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from bot.repair.integrity.examples import Example, examples
from sandbox.spec import TestResult

MAX_SUSPICIONS = 5
MAX_VALUE = 80
_DECISIVE, _SHAPING = 2, 3
_HUGE = 1e100

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Finding:
    """Whether an example satisfies a relation; `text` says what it contradicts; `witnesses` is how many must agree."""

    holds: bool
    text: str
    witnesses: int = _DECISIVE


def suspicions(tests: str, solution: str, red: Sequence[TestResult]) -> tuple[str, ...]:
    """One sentence on each failing test that may itself be wrong, at most five.

    `solution` gives the parameters' names, `red` the failing tests by node id and, for scripts, by their frames.
    """
    failing = {name for result in red for name in _names(result)}
    return suspect(examples(tests, solution), failing)[:MAX_SUSPICIONS]


def suspect(known: Sequence[Example], failing: Collection[str]) -> tuple[str, ...]:
    """The same from examples; `failing` are names of test functions."""
    found: dict[str, str] = {}
    for at, example in enumerate(known):
        others = [other for index, other in enumerate(known) if index != at and other.function == example.function]
        if example.test in failing and (text := _contradiction(example, others)):
            found.setdefault(example.test, f"{example.test} may itself be wrong: {text}")
    return tuple(found.values())


def _names(result: TestResult) -> Iterator[str]:
    yield result.node_id.rsplit("::", 1)[-1].split("[", 1)[0]
    yield from (frame.function for frame in result.frames)


def _contradiction(example: Example, others: Sequence[Example]) -> str | None:
    views = [_findings(other) for other in others]
    broken: str | None = None
    for key, finding in _findings(example).items():
        witnesses = [view[key] for view in views if key in view]
        if len(witnesses) < finding.witnesses or not all(witness.holds for witness in witnesses):
            continue
        if finding.holds and finding.witnesses == _DECISIVE:
            return None
        if not finding.holds:
            broken = broken or finding.text
    return broken


def _findings(example: Example) -> dict[Key, _Finding]:
    found: dict[Key, _Finding] = {}
    for name, value in example.arguments:
        found.update(_of_one(name, value, example.expected))
    for (left, a), (right, b) in itertools.combinations(example.arguments, 2):
        found.update(_of_two((left, a), (right, b), example.expected))
        found.update(_positions(left, a, (right, b), example.expected))
        found.update(_positions(right, b, (left, a), example.expected))
    return found


def _of_one(name: str, value: object, expected: object) -> Iterator[tuple[Key, _Finding]]:
    """How the expected value may follow from one sequence."""
    if not isinstance(value, list | tuple | str):
        return
    if _number(expected):
        yield _equal(("len", name), f"len({name})", len(value), expected)
        if numbers := _numbers(value):
            yield _equal(("sum", name), f"sum({name})", sum(numbers), expected)
            yield _equal(("max", name), f"max({name})", max(numbers), expected)
            yield _equal(("min", name), f"min({name})", min(numbers), expected)
    elif isinstance(expected, list | tuple | str):
        text = f"len({name}) is {len(value)}, not {len(expected)}"
        yield ("length", name), _Finding(len(value) == len(expected), text, _SHAPING)
        text = f"{_shown(expected)} does not hold the members of {name}, {_shown(value)}"
        same = sorted(map(repr, value)) == sorted(map(repr, expected))
        yield ("members", name), _Finding(same, text, _SHAPING)
        if numbers := _numbers(value):
            yield _equal(("sorted", name), f"sorted({name})", sorted(numbers), list(expected))
        yield _equal(("reversed", name), f"reversed({name})", list(reversed(value)), list(expected))


def _of_two(first: tuple[str, object], second: tuple[str, object], expected: object) -> Iterator[tuple[Key, _Finding]]:
    """How a number may follow from two."""
    (left, a), (right, b) = first, second
    if _number(a) and _number(b) and _number(expected):
        yield _equal(("+", left, right), f"{left} + {right}", a + b, expected)
        yield _equal(("*", left, right), f"{left} * {right}", a * b, expected)
        yield _equal(("-", left, right), f"{left} - {right}", a - b, expected)
        yield _equal(("-", right, left), f"{right} - {left}", b - a, expected)


def _positions(
    name: str, values: object, total: tuple[str, object], expected: object
) -> Iterator[tuple[Key, _Finding]]:
    """Whether the expected value holds positions in a sequence whose items add up to another argument."""
    numbers, positions = _numbers(values), _numbers(expected)
    if not numbers or not positions or not _number(total[1]):
        return
    key = ("positions", name, total[0])
    chosen = [at for at in positions if isinstance(at, int)]
    if len(chosen) < len(positions) or len(set(chosen)) < len(chosen):
        return
    outside = next((at for at in chosen if not 0 <= at < len(numbers)), None)
    if outside is not None:
        yield key, _Finding(holds=False, text=f"{name} has no position {outside}")
        return
    terms = " + ".join(f"{name}[{at}]" for at in chosen)
    yield _equal(key, terms, sum(numbers[at] for at in chosen), total[1])


def _equal(key: Key, term: str, result: object, expected: object) -> tuple[Key, _Finding]:
    return key, _Finding(_same(result, expected), f"{term} is {_shown(result)}, not {_shown(expected)}")


def _same(one: object, other: object) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        return _number(one) and _number(other) and math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return one == other


def _number(value: object) -> TypeGuard[int | float]:
    """A number of a size whose arithmetic and text are cheap."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _HUGE


def _numbers(value: object) -> list[int | float]:
    """The numbers of a sequence that holds nothing else; empty otherwise."""
    if not isinstance(value, list | tuple):
        return []
    numbers = [item for item in value if _number(item)]
    return numbers if len(numbers) == len(value) else []


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}…"
