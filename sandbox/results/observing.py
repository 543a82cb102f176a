"""Looks at runs of pytest and unittest: which functions a test calls, what expressions are where a line is reached.

Both are hints, told by the workload itself: a forged one misleads whoever looks for a fault, never a verdict. So each
line counts for itself, and one that our observer cannot have written counts for nothing.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from sandbox.errors import DetectionError
from sandbox.results import ecosystems, pytest, records, session
from sandbox.results.plan import Plan
from sandbox.spec import File, Recipe, RunResult

_FOLDERS: Mapping[str, Callable[[str], str]] = {ecosystems.PYTHON: pytest.public, "unittest": str}
MAX_TESTS = 2000
MAX_FUNCTIONS = 4000
"""Of one test."""

MAX_ALL_FUNCTIONS = 200_000
"""Of a run: what is parsed takes many times the memory of its text."""

MAX_VALUE = 300

Functions = tuple[tuple[str, int], ...]
"""Paths with first lines."""

Question = tuple[str, int, str, int]
"""Path, line, expression, and how many times it is to be answered."""


def coverage_plan(recipe: Recipe, node_ids: tuple[str, ...], seconds: float, nonce: str) -> Plan | None:
    """How to run these tests and collect what each calls; no test begins after `seconds`.

    `None` where neither pytest nor unittest runs them.
    """
    return _plan(recipe, node_ids, {"seconds": seconds, "probes": None}, nonce)


def trace_plan(recipe: Recipe, node_id: str, questions: Sequence[Question], seconds: float, nonce: str) -> Plan | None:
    """How to run one test and answer these questions. `None` as above."""
    return _plan(recipe, (node_id,), {"seconds": seconds, "probes": questions}, nonce)


def called(recipe: Recipe, result: RunResult, nonce: str) -> tuple[tuple[str, Functions], ...]:
    """For each test the functions that it called, sorted; a test that called none is left out."""
    found: dict[str, Functions] = {}
    left = MAX_ALL_FUNCTIONS
    for record in _records(recipe, result, nonce):
        if len(found) >= MAX_TESTS:
            break
        try:
            node_id, functions = records.string(record, "id", records.MAX_NODE_ID), _functions(record.get("called"))
        except ValueError:
            continue
        left -= len(functions)
        if left < 0:
            break
        if functions:
            found.setdefault(node_id, functions)
    return tuple(found.items())


def answers(
    recipe: Recipe, result: RunResult, questions: Sequence[Question], nonce: str
) -> tuple[tuple[str, ...], ...]:
    """For each question its answers, first ones first, at most as many as it asked for; none where none was put."""
    if _name(recipe, nonce) not in result.results:
        return ()
    found: list[list[str]] = [[] for _ in questions]
    for record in _records(recipe, result, nonce):
        try:
            number, value = records.number(record, "probe"), records.string(record, "value", MAX_VALUE)
        except ValueError:
            continue
        if 0 <= number < len(questions) and len(found[number]) < questions[number][3]:
            found[number].append(value)
    return tuple(map(tuple, found))


def _plan(recipe: Recipe, node_ids: tuple[str, ...], told: dict[str, object], nonce: str) -> Plan | None:
    if recipe.ecosystem not in _FOLDERS:
        return None
    try:
        plan = ecosystems.plan(recipe, node_ids, nonce)
    except DetectionError:
        return None
    name = _folder(recipe, nonce)
    selection = f"{name}/selection.json"
    tree = {
        **plan.tree,
        selection: File(json.dumps({**json.loads(plan.tree[selection].data), "observer": told}).encode()),
        f"{name}/observer.py": session.guest("observer.py"),
    }
    if recipe.ecosystem == ecosystems.PYTHON:
        tree[f"{name}/regreen_observer_{name}.py"] = session.guest("pytest_observer.py")
    return Plan(plan.command, tree)


def _folder(recipe: Recipe, nonce: str) -> str:
    """Where a run's files lie, which also names its results."""
    return _FOLDERS[recipe.ecosystem](nonce)


def _name(recipe: Recipe, nonce: str) -> str:
    return f"{_folder(recipe, nonce)}.observed.jsonl"


def _records(recipe: Recipe, result: RunResult, nonce: str) -> Iterator[records.Record]:
    data = result.results.get(_name(recipe, nonce), b"")[: records.MAX_BYTES]
    for line in islice(records.lines(data), records.MAX_RECORDS):
        try:
            record = records.parsed(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def _functions(told: object) -> Functions:
    """Raises `ValueError` for anything but paths with lists of lines."""
    if not isinstance(told, dict):
        raise records.ForgeryError("called is no mapping")
    found: set[tuple[str, int]] = set()
    for path in told:
        lines = told[path]
        if not isinstance(lines, list) or len(found) + len(lines) > MAX_FUNCTIONS:
            raise records.ForgeryError("more functions than our observer tells")
        name = records.string({"path": path}, "path", records.MAX_TEXT)
        found.update((name, _line(line)) for line in lines)
    return tuple(sorted(found))


def _line(told: object) -> int:
    if not isinstance(told, int) or isinstance(told, bool) or not 0 < told < records.MAX_NUMBER:
        raise records.ForgeryError("a line is no number")
    return told
