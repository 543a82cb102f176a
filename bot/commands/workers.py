"""`regreen workers`: who works on jobs, and how long ago that was heard."""

from collections.abc import Sequence
from typing import Any

from bot.commands import Shown
from bot.commands.runs import when
from bot.pipeline.ports.fleet import Worker
from bot.pipeline.reports.markdown import line
from bot.web.pages.words import duration

MOST_JOBS = 20


def of_many(workers: Sequence[Worker]) -> Shown:
    """The workers that share a Postgres. Good where one of them is alive."""
    lines = [text for one in workers for text in _lines(one)]
    alive = any(not one.lapsed for one in workers)
    return Shown(good=alive, document={"workers": [_row(one) for one in workers]}, lines=lines or ["No worker runs."])


def of_one(process: int | None, place: str) -> Shown:
    """The one worker that SQLite allows, by its process. Good where there is one."""
    if process is None:
        return Shown(good=False, document={"workers": []}, lines=["No worker runs."])
    found = {"executor": "worker", "pid": process, "state": "works"}
    return Shown(good=True, document={"workers": [found]}, lines=[f"works     process {process} in {line(place)}"])


def _lines(one: Worker) -> list[str]:
    member = one.member
    head = f"{_state(one):<8}  {line(member.executor)}  {line(member.host)}, process {member.pid}"
    since = f"since {when(one.started_at)}, heard {duration(max(one.silent, 0.0))} ago"
    jobs = [f"          {line(job)}{' (cancelled)' if gone else ''}" for job, gone in one.jobs.items()]
    return [f"{head}  {since}, {len(one.jobs)} of {member.slots} slots", *jobs[:MOST_JOBS]]


def _state(one: Worker) -> str:
    return "silent" if one.lapsed else "drains" if one.draining else "works"


def _row(one: Worker) -> dict[str, Any]:
    member = one.member
    return {
        "executor": member.executor,
        "host": member.host,
        "pid": member.pid,
        "version": member.version,
        "state": _state(one),
        "slots": member.slots,
        "jobs": sorted(one.jobs),
        "started_at": one.started_at,
        "beat_at": one.beat_at,
        "silent_seconds": one.silent,
        "lease_seconds": member.lease,
    }
