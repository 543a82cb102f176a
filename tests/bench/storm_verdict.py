"""What the storm left: subjects that did not end, and what was made, said or paid more than once."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.storm_acts import LABEL, Kind

WORKING = f"{LABEL}:working"
CANCELLED = "cancelled"
EXCUSED_SECONDS = 3.0
"""A worker that is killed so soon after a model was asked may not have recorded the answer yet, and asks again."""
MILLION = 1_000_000
_STATUS = "regreen:status"
_WORD = re.compile(r"storm-\d+\.")


@dataclass(frozen=True, slots=True)
class Ran:
    """A run of the table; `state` is empty until it has ended, `ends` counts the ends in its log."""

    identity: str
    repository: str
    subject: str
    state: str
    ends: int


@dataclass(frozen=True, slots=True)
class Call:
    """One chat that a model answered: its prompt, when, and what it cost in millionths of a dollar."""

    prompt: str
    at: float
    cost: int


@dataclass(frozen=True, slots=True)
class Left:
    """Everything that is looked at. `spent` are the ledger's rows: identity, millionths, whether settled.

    In the spans of `lost`, seconds since the epoch, a worker could record nothing: what was asked is asked again.
    """

    report: Mapping[str, Any]
    runs: Sequence[Ran]
    undecided: int
    calls: Sequence[Call]
    spent: Sequence[tuple[str, int, bool]]
    kills: Sequence[float]
    lost: Sequence[tuple[float, float]] = ()


def unfinished(left: Left) -> Iterator[str]:
    """A line for each subject without exactly one final state, and for what is still queued."""
    if left.undecided:
        yield f"{left.undecided} deliveries are not decided"
    for told in left.report["subjects"]:
        place = told["repository"], told["subject"]
        if problem := _problem(told, [one for one in left.runs if (one.repository, one.subject) == place]):
            yield f"{place[0]} {place[1]} ({told['kind']}): {problem}"


def _problem(told: Mapping[str, Any], runs: Sequence[Ran]) -> str:
    kind = Kind(told["kind"])
    if kind is Kind.QUIET:
        return f"{len(runs)} runs though nobody asked" if runs else ""
    if not runs:
        return "no run" if kind.wanted else ""
    return _unended(runs) or _shown(told, kind)


def _unended(runs: Sequence[Ran]) -> str:
    if open_runs := [one.identity for one in runs if not one.state]:
        return f"no end of {open_runs}"
    # What is cancelled before it begins has no log.
    if others := [
        f"{one.identity} {one.ends}" for one in runs if one.ends != 1 and (one.ends or one.state != CANCELLED)
    ]:
        return f"not one end in the log: {others}"
    return ""


def _shown(told: Mapping[str, Any], kind: Kind) -> str:
    if WORKING in told["labels"]:
        return f"still labelled {WORKING}"
    if kind is Kind.CHECK:
        return "" if all(status == "completed" for _, status in told["checks"]) else "a check run that is not completed"
    return "" if any(mark.startswith(_STATUS) for mark in told["marks"]) else "no status comment"


def duplicates(left: Left) -> Iterator[str]:
    """A line for each pull request, comment, check run and spend that is there once too often."""
    report = left.report
    heads = Counter((repository, head) for repository, head, _ in report["pulls"])
    yield from _extra("pull requests from", heads)
    for told in report["subjects"]:
        marks = Counter(mark for mark in told["marks"] if mark)
        yield from _extra(f"comments on {told['repository']} {told['subject']} marked", marks)
        checks = Counter(external for external, _ in told["checks"])
        yield from _extra(f"check runs of {told['repository']}", checks)
    yield from _repeated(left)
    paid, charged = sum(one.cost for one in left.calls), sum(amount for _, amount, _ in left.spent)
    if charged > paid:
        yield f"{charged - paid} millionths of a dollar charged beyond what models cost"


def _extra(what: str, counted: Mapping[Any, int]) -> Iterator[str]:
    for name, number in counted.items():
        for _ in range(number - 1):
            yield f"{number} {what} {name}"


def _repeated(left: Left) -> Iterator[str]:
    """A call is repeated where a subject's runs asked the same more often than there are runs, kills aside."""
    asked: dict[tuple[str, str], list[Call]] = {}
    for call in left.calls:
        words = _WORD.findall(call.prompt)
        asked.setdefault((words[0] if words else "", call.prompt), []).append(call)
    runs = Counter((one.repository, one.subject) for one in left.runs)
    words_of = {told["word"]: runs[told["repository"], told["subject"]] for told in left.report["subjects"]}
    for (word, _), calls in asked.items():
        excused = sum(_excused(call, left) for call in calls)
        for _ in range(len(calls) - excused - max(1, words_of.get(word, 1))):
            yield f"the same prompt of {word} paid {len(calls)} times"


def _excused(call: Call, left: Left) -> bool:
    spans = [*left.lost, *((kill - EXCUSED_SECONDS, kill) for kill in left.kills)]
    return any(since <= call.at <= until for since, until in spans)


def unsettled(left: Left) -> int:
    """How many reservations were never settled."""
    return sum(not settled for _, _, settled in left.spent)
