"""What a patch did to the suite, id by id.

| before   | now green   | now red       | now untested | not there |
|----------|-------------|---------------|--------------|-----------|
| failing  | fixed       | still failing | still failing| missing   |
| passing  | =           | regressed     | regressed    | regressed |
| untested | new passing | new failing   | =            | missing   |
| unknown  | new passing | new failing   | =            |           |
| flaky    | =           | =             | =            | =         |

A flaky id that passed on base in every run but for random order counts as passing: a patch may break it.
Untested is skipped or expected to fail; `=` stands for unchanged, in no class. A test that failed and is skipped now
has not been fixed, and one that passed and is skipped or gone now is a regression: both are ways to silence a test.
"""

from collections.abc import Collection

from bot.repair.measuring.baseline import Kind, kind
from bot.repair.types import Baseline, Comparison, Verdict
from sandbox.spec import TestRun


def compare(baseline: Baseline, run: TestRun, only: Collection[str] | None = None) -> Comparison:
    """Compare a complete run with the baseline; with `only`, look at these ids alone, as after a partial run."""
    now = {node_id: kind(outcome) for node_id, outcome in run.outcomes.items()}
    held = tuple(flake.node_id for flake in baseline.flakes if flake.held)
    passing = (*baseline.passing, *held)
    ignored = set(baseline.flaky) - set(held)
    classes: dict[str, list[str]] = {name: [] for name in Comparison.__dataclass_fields__}

    def place(name: str, node_id: str) -> None:
        if node_id not in ignored and (only is None or node_id in only):
            classes[name].append(node_id)

    for node_id in baseline.failing_ids:
        place(_OF_FAILING.get(now.get(node_id), "still_failing"), node_id)
    for node_id in passing:
        if now.get(node_id) is not Kind.GREEN:
            place("regressed", node_id)
    for node_id in baseline.skipped:
        if now.get(node_id) is not Kind.UNTESTED:
            place(_OF_UNTESTED[now.get(node_id)], node_id)
    known = {*baseline.failing_ids, *passing, *baseline.skipped}
    for node_id, of_id in now.items():
        if node_id not in known and of_id is not Kind.UNTESTED:
            place(_OF_UNTESTED[of_id], node_id)
    return Comparison(**{name: tuple(ids) for name, ids in classes.items()})


_OF_FAILING: dict[Kind | None, str] = {Kind.GREEN: "fixed", None: "missing"}
_OF_UNTESTED: dict[Kind | None, str] = {Kind.GREEN: "new_passing", Kind.RED: "new_failing", None: "missing"}


def broken(comparison: Comparison) -> tuple[str, ...]:
    """Every id that speaks against the patch: regressed, newly failing, or gone."""
    return comparison.regressed + comparison.new_failing + comparison.missing


def decide(comparison: Comparison, targets: Collection[str], *, unshown: bool = False) -> Verdict:
    """`REGRESSED`, `SOLVED`, `PARTIAL` or `NOT_FIXED`: one broken id outweighs every fixed one.

    Without targets nothing can be solved, but for what is `unshown`: there, breaking nothing is all that can be asked.
    """
    if broken(comparison):
        return Verdict.REGRESSED
    if unshown:
        return Verdict.SOLVED
    fixed = len(set(targets) & set(comparison.fixed))
    if targets and fixed == len(set(targets)):
        return Verdict.SOLVED
    return Verdict.PARTIAL if fixed else Verdict.NOT_FIXED
