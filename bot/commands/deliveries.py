"""`regreen deliveries`: what arrived, what was decided, and what would be decided of it now."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from bot import wiring
from bot.adapters.store import connect, migrate
from bot.adapters.store.past import Kept, SqlPast
from bot.commands import Shown
from bot.errors import StoreError
from bot.events import Delivery
from bot.jobs import FixCheck, FixIssue, FollowUp, Job, job_id
from bot.pipeline.intake.lookup import Decision
from bot.settings import Settings
from bot.triggers import Ignore
from bot.wiring import deciding, storage

MOST_TEXT = 100_000

Decide = Callable[[Delivery], Decision]


def listed(settings: Settings, limit: int) -> Shown:
    """The newest deliveries. Raises `StoreError`."""
    found = _past(settings).recent(limit)
    lines = [
        f"{_when(one.received_at)}  {one.delivery.delivery_id}  {one.delivery.event}: {_became(one)}" for one in found
    ]
    return Shown(
        good=True, document={"deliveries": [_row(one) for one in found]}, lines=lines or ["Nothing arrived yet."]
    )


def shown(settings: Settings, beginning: str) -> Shown:
    """One delivery with its body. Raises `NotFoundError`, `StoreError`."""
    found = _past(settings).find(beginning)
    text = found.delivery.body.decode(errors="replace")
    try:
        body: Any = json.loads(text)
        text = json.dumps(body, indent=1, ensure_ascii=False)
    except (ValueError, RecursionError):
        body = text
    lines = [
        f"{found.delivery.delivery_id}  {found.delivery.event}",
        f"arrived: {_when(found.received_at)}",
        f"decided: {_became(found)}",
        text[:MOST_TEXT],
    ]
    return Shown(good=True, document=_row(found) | {"body": body}, lines=lines)


def replayed(settings: Settings, beginning: str, decide: Decide, *, apply: bool) -> Shown:
    """Say what would be decided of a delivery now; with `apply`, have the worker decide it again.

    Looking things up at GitHub changes nothing there, and without `apply` nothing changes here. Raises
    `NotFoundError`, `StoreError`, `GitHubError`.
    """
    past = _past(settings, writes=apply)
    found = past.find(beginning)
    if not found.delivery.body:
        raise StoreError(
            "What GitHub sent is not kept any more: only its digest is",
            "Redeliver it from the App's page at GitHub, or set REGREEN_KEEP_BODY_DAYS to keep more of them longer.",
        )
    decision = decide(found.delivery)
    would = _said(decision)
    document = {"delivery": found.delivery.delivery_id, "was": _became(found), "would": would, "applied": apply}
    lines = [f"was:   {_became(found)}", f"would: {would}"]
    if isinstance(decision, Job) and job_id(decision) == found.identity:
        lines.append("That job exists: one that has ended is not run again, whoever asks under this delivery.")
    if apply:
        past.again(found.delivery.delivery_id, time.time())
        lines.append("The worker decides it again within seconds.")
    else:
        lines.append("Nothing was done: --apply has the worker decide it again.")
    return Shown(good=True, document=document, lines=lines)


def decider(settings: Settings) -> Decide:
    """Decides as the worker does, and does nothing. Raises `ConfigurationError`."""
    return deciding.decider(settings)


def _past(settings: Settings, *, writes: bool = True) -> SqlPast:
    if not writes:
        return SqlPast(connect(storage.current_url(settings)))
    url = wiring.database_url(settings)
    migrate(url)
    return SqlPast(connect(url))


def _said(decision: Decision) -> str:
    match decision:
        case Ignore(reason=reason):
            return f"ignored: {reason}"
        case FixIssue() | FixCheck() | FollowUp():
            return f"queued: {job_id(decision)}"
        case _:
            fields = {
                name: value for name, value in asdict(decision).items() if name not in {"sender", "comment_id", "at"}
            }
            return f"{type(decision).__name__.lower()}: {json.dumps(fields, default=str)}"


def _became(one: Kept) -> str:
    if one.decided_at is None:
        return f"postponed: {one.postponed}" if one.postponed else "not decided yet"
    return f"queued: {one.identity}" if one.identity else f"ignored: {one.decision}"


def _row(one: Kept) -> dict[str, Any]:
    return {
        "id": one.delivery.delivery_id,
        "event": one.delivery.event,
        "received": one.received_at,
        "decided": one.decided_at,
        "decision": one.decision,
        "job": one.identity,
        "postponed": one.postponed,
    }


def _when(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}"
