"""Tests side by side with attempts, as letters: what changes nowhere is counted, what changes alike is one row."""

import csv
import io
from collections.abc import Mapping, Sequence

from bot.pipeline.reading.views import AttemptView, MatrixRow, MatrixView
from bot.repair.types import Comparison
from sandbox.spec import RunState

PASSING, FAILING, FLAKY, SKIPPED, UNKNOWN = "p", "f", "k", "s", "."
MEANINGS: dict[str, str] = {
    PASSING: "passes",
    FAILING: "fails",
    "x": "fixed",
    "r": "regressed",
    FLAKY: "flaky",
    SKIPPED: "skipped",
    "n": "new, passes",
    "b": "new, fails",
    "m": "gone",
    UNKNOWN: "no result",
}
"""Of a test that an attempt did not run, or in a run that cannot be believed, nothing is claimed: no result."""
_LETTERS = {
    "fixed": "x",
    "still_failing": FAILING,
    "regressed": "r",
    "new_passing": "n",
    "new_failing": "b",
    "missing": "m",
}
_BEFORE = {"x": FAILING, "r": PASSING, "m": PASSING}
"""What the base did, by what an attempt made of it, where the log does not name all tests."""
_BASE = {"failing": FAILING, "passing": PASSING, "flaky": FLAKY, "skipped": SKIPPED}
MOST_ROWS, MOST_TESTS, MOST_CELLS = 1_500, 20_000, 40_000
FEW = 3
"""Tests alike that are rows of their own all the same."""
_TOLD = frozenset({PASSING, SKIPPED, UNKNOWN})

Suite = Mapping[str, Sequence[str]]
"""What the base does, by the names of `_BASE`."""


def matrix(suite: Suite, attempts: Sequence[AttemptView], targets: Sequence[str], rows: int = MOST_ROWS) -> MatrixView:
    """All tests by all attempts whose tests ran, of which at most so many rows are drawn, and cells."""
    ran = [attempt for attempt in attempts if attempt.trials and attempt.verdict]
    groups: dict[str, list[str]] = {}
    for node_id, cells in _cells(suite, ran, frozenset(targets)).items():
        groups.setdefault(cells, []).append(node_id)
    folded: dict[str, int] = {}
    drawn: list[MatrixRow] = []
    aims = frozenset(targets)
    for cells, tests in groups.items():
        if set(cells) <= _TOLD:
            folded[cells] = len(tests)
        else:
            ordered = tuple(sorted(tests, key=lambda one: (one not in aims, one)))
            drawn += [MatrixRow(cells, (one,)) for one in ordered] if len(tests) <= FEW else [MatrixRow(cells, ordered)]
    drawn.sort(key=lambda row: (row.tests[0] not in aims, _rank(row.cells), row.tests[0]))
    kept, room = [], MOST_TESTS
    for row in drawn[: min(rows, MOST_CELLS // (len(ran) + 1))]:
        kept.append(MatrixRow(row.cells, row.tests[:room]))
        room -= len(kept[-1].tests)
        if not room:
            break
    cut = sum(len(row.tests) for row in drawn) - sum(len(row.tests) for row in kept)
    return MatrixView(tuple(one.number for one in ran), tuple(kept), tuple(sorted(folded.items())), aims, cut)


def table(suite: Suite, attempts: Sequence[AttemptView], targets: Sequence[str]) -> str:
    """The same of every test, as CSV."""
    ran = [attempt for attempt in attempts if attempt.trials and attempt.verdict]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["test", "base", *(f"attempt {one.number}" for one in ran)])
    for node_id, cells in sorted(_cells(suite, ran, frozenset(targets)).items()):
        # a spreadsheet takes what begins so for a formula
        name = f"'{node_id}" if node_id[:1] in {"=", "+", "-", "@", "\t"} else node_id
        writer.writerow([name, *(MEANINGS[letter] for letter in cells)])
    return text.getvalue()


def _cells(suite: Suite, attempts: Sequence[AttemptView], targets: frozenset[str]) -> dict[str, str]:
    """Each test's letters, the base's first."""
    # of names that are the same without their secrets, one that fails is the one to show
    base = {node_id: _BASE[name] for name in reversed(_BASE) for node_id in suite.get(name, ())}
    changes = [_changes(attempt.comparison) | dict.fromkeys(attempt.flaky, FLAKY) for attempt in attempts]
    reaches = [_reach(attempt) for attempt in attempts]
    every = dict.fromkeys(base)
    for change in changes:
        every |= dict.fromkeys(change)

    def cells(node_id: str) -> str:
        before = base.get(node_id) or next(
            (_BEFORE[one[node_id]] for one in changes if one.get(node_id) in _BEFORE), UNKNOWN
        )
        said = [before]
        for change, whole in zip(changes, reaches, strict=True):
            known = whole or (whole is not None and node_id in targets)
            said.append(change.get(node_id, before if known else UNKNOWN))
        return "".join(said)

    return {node_id: cells(node_id) for node_id in every}


def _changes(comparison: Comparison) -> dict[str, str]:
    return {node_id: letter for name, letter in _LETTERS.items() for node_id in getattr(comparison, name)}


def _reach(attempt: AttemptView) -> bool | None:
    """Whether the whole suite ran, or the targets only; `None` where no run can be believed, or not all is known."""
    scopes = {trial.scope for trial in attempt.trials if trial.state == RunState.COMPLETE}
    return bool(scopes - {"targets"}) if scopes and attempt.complete else None


def _rank(cells: str) -> int:
    """What broke first, then what was fixed, then what fails anyhow."""
    return next((at for at, letter in enumerate("rbxfnmk") if letter in cells), len(cells))
