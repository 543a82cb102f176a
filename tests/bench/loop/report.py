"""The table for people and the document for the last line."""

from collections.abc import Mapping, Sequence
from typing import Any

from bench.loop.arms import BASELINES, MUTATION, OURS, WITHOUT_MUTATION
from bench.loop.localisation import top
from bench.loop.measure import Row
from bench.loop.significance import Paired, paired

TOP = (1, 3, 5)


def by_arm(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each arm, arms in the order in which they came."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.arm, []).append(row)
    return found


def figures(rows: Sequence[Row]) -> dict[str, Any]:
    """What one arm did; `first_plausible_wrong`: the first patch with green targets fails the full tests."""
    ranks = [row.rank for row in rows if row.rank is not None]
    return {
        "solved": sum(row.solved for row in rows),
        "of": len(rows),
        "claimed": sum(row.claimed for row in rows),
        "claimed_wrong": sum(row.claimed and not row.solved for row in rows),
        "plausible": sum(row.plausible for row in rows),
        "first_plausible_wrong": sum(row.plausible and not row.plausible_right for row in rows),
        "tokens": sum(row.tokens for row in rows),
        "seconds": round(sum(row.seconds for row in rows), 1),
        "ranked": len(ranks),
        "top": top(ranks, TOP),
    }


def pairs(rows: Sequence[Row]) -> dict[str, dict[str, Paired]]:
    """Each arm of ours against each other arm, task by task."""
    solved = {arm: {row.task: row.solved for row in of_arm} for arm, of_arm in by_arm(rows).items()}
    ours = [arm for arm in solved if arm == OURS or arm.startswith(f"{OURS}-")]
    return {arm: {other: paired(solved[arm], solved[other]) for other in solved if other != arm} for arm in ours}


def document(of_set: str, rows: Sequence[Row], tokens: int, model: str) -> dict[str, Any]:
    """The last line's content; why the target is missed, or cannot be said, is in `missed`."""
    arms = {arm: figures(of_arm) for arm, of_arm in by_arm(rows).items()}
    missed = _missed(arms)
    return {
        "set": of_set,
        "model": model,
        "tokens_a_task": tokens,
        "arms": arms,
        "pairs": {
            arm: {other: {"wins": one.wins, "losses": one.losses, "p": round(one.p, 4)} for other, one in those.items()}
            for arm, those in pairs(rows).items()
        },
        "missed": missed,
        "met": not missed,
    }


def _missed(arms: Mapping[str, Mapping[str, Any]]) -> list[str]:
    needed = (*BASELINES, WITHOUT_MUTATION, OURS, MUTATION)
    if absent := [f"{arm} was not run" for arm in needed if arm not in arms]:
        return absent
    solved = {arm: int(arms[arm]["solved"]) for arm in needed}
    best = max(solved[arm] for arm in BASELINES)
    missed = []
    if solved[WITHOUT_MUTATION] < best:
        missed.append(f"{WITHOUT_MUTATION} solved {solved[WITHOUT_MUTATION]}, the best baseline {best}")
    ahead = max(solved[arm] for arm in needed if arm != OURS)
    if solved[OURS] <= ahead:
        missed.append(f"{OURS} solved {solved[OURS]}, the best other arm {ahead}")
    return missed


def table(rows: Sequence[Row]) -> list[str]:
    """Arms, then pairs; the same figures go into docs/benchmarks.md."""
    lines = [
        "| arm | solved | claimed but wrong | first plausible wrong | tokens | seconds | top 1, 3, 5 |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    for arm, of_arm in by_arm(rows).items():
        one = figures(of_arm)
        among = ", ".join(str(count) for count in one["top"].values())
        ranked = f"{among} of {one['ranked']}" if one["ranked"] else "not logged"
        wrong = f"{one['first_plausible_wrong']} of {one['plausible']}"
        lines.append(
            f"| {arm} | {one['solved']} of {one['of']} | {one['claimed_wrong']} of {one['claimed']} | {wrong} | "
            f"{one['tokens']} | {one['seconds']:.0f} | {ranked} |"
        )
    lines += ["", "| arm | against | wins | losses | two-sided sign test |", "|---|---|---:|---:|---:|"]
    for arm, those in pairs(rows).items():
        lines += [f"| {arm} | {other} | {one.wins} | {one.losses} | {one.p:.3f} |" for other, one in those.items()]
    return lines
