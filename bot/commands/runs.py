"""`regreen runs`, `show`: which runs there are, and what the log of one says. What the pages show, in a terminal."""

import base64
import dataclasses
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from pydantic_core import to_jsonable_python

from bot.commands import Shown
from bot.errors import NotFoundError
from bot.pipeline.ports.reading import Filter, Reader, RunRow
from bot.pipeline.reading import AttemptView, RunView, read
from bot.pipeline.reports.markdown import line
from bot.web.pages.words import duration

MOST_NAMED = 10
MOST_LISTED = 20
MOST_DIFF = 400
_ASKED = ("prompt", "reply")
"""Of an attempt, what is long and an artifact of its own."""


def find(reader: Reader, beginning: str) -> RunRow:
    """The one run whose id is this, or begins so. Raises `NotFoundError` for none and for several, `StoreError`."""
    if exact := reader.run(beginning):
        return exact
    found = reader.runs(Filter(prefix=beginning, limit=MOST_NAMED + 1)) if beginning else ()
    if len(found) == 1:
        return found[0]
    if not found:
        raise NotFoundError(f"No run's id begins with {line(beginning)!r}", "`regreen runs` lists them.")
    named = "\n".join(f"  {line(one.identity)}  {one.shown}" for one in found[:MOST_NAMED])
    more = "\n  …" if len(found) > MOST_NAMED else ""
    raise NotFoundError(f"Several runs' ids begin with {line(beginning)!r}", f"Give more of one:\n{named}{more}")


def listed(reader: Reader, wanted: Filter, width: int = 0) -> Shown:
    """The newest runs that fit, newest first, one a line that is cut to `width`, 0 for none. Raises `StoreError`."""
    found = reader.runs(wanted)
    rows = [
        f"{one.shown:<14}  {when(one.queued_at)}  {took(one):>10}  {_dollars(one):<7}  {line(one.identity)}"
        f"  {line(_about(one))}".rstrip()
        for one in found
    ]
    fits = wanted != Filter(limit=wanted.limit)
    none = ["No run fits." if fits else "There were no runs yet."]
    document = {"runs": [row(one) for one in found]}
    return Shown(good=True, document=document, lines=[_cut(one, width) for one in rows] or none)


def shown(reader: Reader, beginning: str, site: str, *, diffs: bool) -> Shown:
    """One run with what its log says, `diffs` too; `site` is where its page is. Raises as `find` does, `LogError`."""
    found = find(reader, beginning)
    view = read(reader.entries(found.identity, -1))
    page = f"{site.rstrip('/')}/runs/{quote(found.identity, safe='')}"
    document = {"run": row(found) | {"page": page}, "log": _document(view)}
    lines = [
        *_head(found),
        *_body(view, diffs=diffs, over=found.ended_at is not None),
        f"page:      {page}",
        f"log:       regreen logs {found.identity}",
    ]
    return Shown(good=True, document=document, lines=lines)


def artifact(reader: Reader, beginning: str, name: str) -> tuple[dict[str, Any], bytes]:
    """Something to download, as a document and as it is. Raises as `find` does, also for one that is not there."""
    found = find(reader, beginning)
    data = reader.artifact(found.identity, name)
    if data is None:
        names = ", ".join(one.name for one in read(reader.entries(found.identity, -1)).artifacts[:MOST_LISTED])
        raise NotFoundError(f"The run has no artifact {line(name)!r}", f"It has: {line(names) or 'none'}.")
    return {"run": found.identity, "artifact": name, "base64": base64.b64encode(data).decode()}, data


def row(one: RunRow) -> dict[str, Any]:
    """A run as plain values; `state` is `open` for one that has not ended."""
    fields = dataclasses.asdict(one)
    return {"id": fields.pop("identity")} | fields | {"state": one.shown, "seconds": one.took}


def when(at: float) -> str:
    """A time, as every command shows them: to the second, in UTC."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}"


def took(one: RunRow) -> str:
    """How long a run took, or has waited or worked for."""
    if one.ended_at is None:
        return "" if one.started_at is None else "works"
    return "" if one.took is None else duration(one.took)


def _dollars(one: RunRow) -> str:
    return f"${one.dollars:.2f}" if one.dollars or one.told else ""


def _about(one: RunRow) -> str:
    return "  ".join(filter(None, (one.headline, one.title and f'"{one.title}"')))


def _cut(text: str, width: int) -> str:
    return text if not width or len(text) <= width else f"{text[: width - 1]}…"


def _head(one: RunRow) -> Iterator[str]:
    yield line(one.identity)
    yield f"state:     {one.shown}{f': {line(one.headline)}' if one.headline else ''}"
    yield f"asked for: {when(one.queued_at)}, by {line(one.sender) or 'nobody that is known'}"
    if one.started_at is not None:
        yield f"begun:     {when(one.started_at)}{f', by {line(one.worker)}' if one.worker else ''}"
    if one.ended_at is not None:
        yield f"ended:     {when(one.ended_at)}{'' if one.took is None else f', after {duration(one.took)}'}"
    cost = [f"{one.tokens:,} tokens"] if one.tokens or one.told else []
    cost += [f"${one.dollars:.4f}"] if one.dollars or one.told else []
    if cost:
        yield f"cost:      {', '.join(cost)}"
    if one.url:
        yield f"at GitHub: {line(one.url)}"


def _body(view: RunView, *, diffs: bool, over: bool) -> Iterator[str]:
    """What the log says; of a run that is `over` nothing is under way, though its log may break off."""
    for role in view.roles:
        usage = role.usage
        yield f"           {line(role.role)}: {usage.tokens:,} tokens, ${usage.dollars:.4f}"
    if view.environment is not None:
        recipe = view.environment.recipe
        yield f"tests:     {line(' '.join(recipe.test_command))}  ({line(recipe.ecosystem)}, {line(recipe.toolchain)})"
    for step in view.steps:
        yield f"step:      {line(step.name):<10} {_step(step.seconds, over=over):>10}"
    if view.baseline:
        yield f"baseline:  {', '.join(f'{count} {line(kind)}' for kind, count in view.baseline)}"
    yield from _names("to turn green", view.targets, view.aims)
    for attempt in view.attempts:
        yield from _attempt(attempt, diffs=diffs, over=over)
    if view.stop:
        yield f"stopped:   {line(view.stop)}{f': {line(view.detail)}' if view.detail else ''}"
    yield from (f"remark:    {line(one)}" for one in view.remarks[:MOST_LISTED])
    yield from (f"artifact:  {line(one.name):<24} {line(one.about)}" for one in view.artifacts[:MOST_LISTED])
    if len(view.artifacts) > MOST_LISTED:
        yield f"           and {len(view.artifacts) - MOST_LISTED} more: --json names them all"


def _step(seconds: float | None, *, over: bool) -> str:
    return duration(seconds) if seconds is not None else "not finished" if over else "under way"


def _attempt(one: AttemptView, *, diffs: bool, over: bool) -> Iterator[str]:
    change = one.comparison
    counts = f"{len(change.fixed)} fixed, {len(change.still_failing)} still failing, {len(change.regressed)} regressed"
    author = line(one.origin) or "nobody"
    if one.verdict:
        verdict = line(one.verdict).replace("_", " ")
        yield f"attempt {one.number}: {verdict} ({counts}), by {author}, {duration(one.seconds)}"
    else:
        yield f"attempt {one.number}: {'not judged' if over else 'its tests run'}, by {author}"
    for text in (one.explanation, one.refusal, one.reason, one.failure):
        if text:
            yield f"    {line(text)}"
    if one.reflection is not None:
        yield f"    learned: {line('; '.join(filter(None, (one.reflection.cause, one.reflection.lesson))))}"
    yield from _names("    passed before, fails with it", change.regressed)
    if one.judge is not None:
        yield f"    reviewer: {'approves' if one.judge.approve else 'refuses'}: {line(one.judge.reason)}"
    if one.diff:
        yield f"    diff: +{one.added} -{one.removed} in {line(', '.join(one.paths))}"
    if diffs:
        yield from one.diff.splitlines()[:MOST_DIFF]


def _names(what: str, names: tuple[str, ...], total: int = 0) -> Iterator[str]:
    shown = names[:MOST_LISTED]
    yield from (f"{what}: {line(one)}" for one in shown)
    if (more := max(total, len(names)) - len(shown)) > 0:
        yield f"{what}: and {more} more"


def _document(view: RunView) -> dict[str, Any]:
    plain: dict[str, Any] = to_jsonable_python(dataclasses.asdict(view), bytes_mode="base64", serialize_unknown=True)
    for attempt in plain["attempts"]:
        for name in _ASKED:
            attempt.pop(name, None)
    return plain
