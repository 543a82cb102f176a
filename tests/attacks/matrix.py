"""Runs the attacks and prints which are contained where; the last line is JSON, the exit status says whether all are.

An attack is contained when each of its tests passed: a failed, skipped or missing one is not. The column of a test is
the OCI runtime that it ran on (the fixture `runtime`); `host` is for the attacks on the host's own handling, and for
tests without that fixture.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

INSIDE = frozenset({*range(1, 9), *range(10, 14), *range(19, 24)})
HOST = frozenset({9, *range(14, 19), 24, 25})
REQUIRED: Mapping[str, frozenset[int]] = {"runc": INSIDE, "runsc": INSIDE, "host": HOST}

Figures = dict[str, Any]


class Matrix:
    """A pytest plugin that keeps what became of every test that bears the mark `attack`."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self._cells: dict[str, tuple[str, int]] = {}
        self._passed: dict[str, bool] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            mark = item.get_closest_marker("attack")
            if mark is not None:
                number, name = mark.args
                self.names[number] = name
                self._cells[item.nodeid] = _column(item, number), number

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # An expected failure is reported as skipped: it is not contained either.
        passed = report.outcome == "passed" and not hasattr(report, "wasxfail")
        self._passed[report.nodeid] = self._passed.get(report.nodeid, True) and passed

    def contained(self) -> dict[str, dict[int, bool]]:
        """Column → attack → whether each of its tests passed."""
        cells: dict[str, dict[int, list[bool]]] = {column: defaultdict(list) for column in REQUIRED}
        for node_id, (column, number) in self._cells.items():
            cells[column][number].append(self._passed.get(node_id, False))
        return {column: {number: all(found) for number, found in of.items()} for column, of in cells.items()}


def _column(item: pytest.Item, number: int) -> str:
    params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    return "host" if number in HOST or "runtime" not in params else params["runtime"] or "runc"


def figures(contained: Mapping[str, Mapping[int, bool]]) -> Figures:
    """What the last line says; `of` counts the attacks that a column must have or has."""
    found: Figures = {}
    for column, required in REQUIRED.items():
        numbers = required | contained[column].keys()
        found[column] = {"contained": sum(contained[column].values()), "of": len(numbers)}
    return {**found, "met": all(one["contained"] == one["of"] for one in found.values())}


def table(names: Mapping[int, str], contained: Mapping[str, Mapping[int, bool]]) -> str:
    """One line an attack: its number, its name, and a word for each column."""
    width = max((len(name) for name in names.values()), default=4)
    lines = [f"{'':>2}  {'attack':<{width}}  {'runc':<9}  {'runsc':<9}  host"]
    for number in sorted(INSIDE | HOST):
        words = [_word(column, number, contained[column]) for column in REQUIRED]
        lines.append(f"{number:>2}  {names.get(number, '?'):<{width}}  {words[0]:<9}  {words[1]:<9}  {words[2]}")
    return "\n".join(lines)


def _word(column: str, number: int, contained: Mapping[int, bool]) -> str:
    if number not in contained:
        return "MISSING" if number in REQUIRED[column] else "-"
    return "contained" if contained[number] else "ESCAPED"


def main() -> int:
    """Run every attack; further arguments go to pytest."""
    matrix = Matrix()
    code = pytest.main(["-q", *sys.argv[1:], str(Path(__file__).parent)], plugins=[matrix])
    contained = matrix.contained()
    found = figures(contained)
    found["met"] = found["met"] and code == pytest.ExitCode.OK
    print(f"\n{table(matrix.names, contained)}\n{json.dumps(found)}")
    return 0 if found["met"] else 1


if __name__ == "__main__":
    sys.exit(main())
