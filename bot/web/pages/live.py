"""A run's page while the run goes on: server-sent events with the sections that changed.

Each event's id is the number of the log's last line that it tells of; a browser that lost the connection says the last
one that it got, and is told what came since. The stream ends with the run.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import structlog
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from bot.errors import LogError, RegreenError
from bot.pipeline.ports.reading import Reader, RunRow
from bot.pipeline.reading.view import Reading
from bot.pipeline.reading.views import RunView
from bot.web.pages.rendering import Rendering
from bot.web.pages.sections import OF_ROW, Sections, swaps
from bot.web.pages.threads import Threads
from bot.web.pages.visitor import Visitor

MOST_LISTENERS = 64
LOOK_SECONDS = 1.0
BEAT_SECONDS = 15
"""Between two comments that keep the connection open where nothing happens."""
MOST_SECONDS = 600.0
"""After which a stream ends and the browser asks anew: who may no longer see the run finds out then."""
MOST_DIGITS = 9

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Live:
    """Streams to at most `most` listeners at once; each run that has some is looked at every `look_seconds`."""

    reader: Reader
    rendering: Rendering
    most: int = MOST_LISTENERS
    look_seconds: float = LOOK_SECONDS
    most_seconds: float = MOST_SECONDS
    _listeners: set[object] = field(default_factory=set)
    _followed: dict[str, "_Followed"] = field(default_factory=dict)
    # one: a second would only take the processor from webhooks
    _threads: Threads = field(default_factory=lambda: Threads(1))

    def follow(self, request: Request, visitor: Visitor, row: RunRow) -> Response:
        """The stream of one run, from the line on that the browser knows."""
        if len(self._listeners) >= self.most:
            return PlainTextResponse("Too many pages are live: reload later.", 503, {"Retry-After": "30"})
        after = _number(request.headers.get("last-event-id", "") or request.query_params.get("after", ""))
        return EventSourceResponse(self._stream(visitor, row, after), ping=BEAT_SECONDS)

    async def _stream(self, visitor: Visitor, row: RunRow, after: int) -> AsyncIterator[ServerSentEvent]:
        listener = object()
        new = _Followed(self.reader, Sections(self.rendering, Visitor()), row)
        followed = self._followed.setdefault(row.identity, new)
        self._listeners.add(listener)
        followed.listeners.add(listener)
        page = _Page(Sections(self.rendering, visitor), after)
        try:
            for _ in range(max(int(self.most_seconds / self.look_seconds), 1)):
                now = await self._look(followed)
                text = await self._threads.run(page.news, now)
                if text:
                    yield ServerSentEvent(text, event="part", id=str(now.run.last))
                if now.row.ended_at is not None:
                    yield ServerSentEvent("", event="end", id=str(now.run.last))
                    return
                await asyncio.sleep(self.look_seconds)
        except LogError as error:
            # a log that cannot be read now will not be in a second: the page says so, and asks no more
            _log.warning("not_followed", job=row.identity, cause=error.cause)
            yield ServerSentEvent(self.rendering.text("run/damage.html", damage=str(error)), event="part")
            yield ServerSentEvent("", event="end")
        except RegreenError as error:
            # the browser comes back by itself
            _log.warning("not_followed", job=row.identity, cause=error.cause)
        finally:
            self._listeners.discard(listener)
            followed.listeners.discard(listener)
            if not followed.listeners and self._followed.get(row.identity) is followed:
                del self._followed[row.identity]

    async def _look(self, followed: "_Followed") -> "_Now":
        async with followed.lock:
            # half of it: who looks by turns with others, or wakes a moment early, waits no second turn
            if followed.now is None or time.monotonic() - followed.looked >= self.look_seconds / 2:
                followed.now = await self._threads.run(followed.look)
                followed.looked = time.monotonic()
            return followed.now


@dataclass(frozen=True, slots=True)
class _Now:
    """A run at one moment: its sections as everybody gets them; `told` is the last line that changed any.

    `begun` has the line of each attempt's first appearance.
    """

    row: RunRow
    run: RunView
    sections: dict[str, str]
    told: int
    begun: dict[int, int]


@dataclass(slots=True)
class _Followed:
    """One run, for all that listen to it."""

    reader: Reader
    sections: Sections
    row: RunRow
    reading: Reading = field(default_factory=Reading)
    now: _Now | None = None
    looked: float = 0.0
    listeners: set[object] = field(default_factory=set)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _last: int = -1
    _told: int = -1
    _begun: dict[int, int] = field(default_factory=dict)

    def look(self) -> _Now:
        """Take in what came since; only the sections that it touches are drawn anew."""
        # the row first: what ended a run was logged before
        row = self.reader.run(self.row.identity) or self.row
        told = self._told
        for entry in self.reader.entries(self.row.identity, self._last):
            self._last = entry.number
            # most lines are calls, of which a page shows nothing
            if self.reading.take(entry):
                self._told = entry.number
                for number in self.reading.attempts.found.keys() - self._begun.keys():
                    self._begun[number] = entry.number
        if self.now is not None and (row, told) == (self.row, self._told):
            return self.now
        self.row, run = row, self.reading.view()
        return _Now(row, run, self.sections.live(row, run), self._told, dict(self._begun))


@dataclass(slots=True)
class _Page:
    """What one listener's page shows by now; it was made when the log's last line was `after`."""

    sections: Sections
    after: int
    shown: dict[str, str] | None = None
    _seen: _Now | None = None

    def news(self, now: _Now) -> str:
        """The sections that changed since, as one text."""
        if now is self._seen:
            return ""
        self._seen = now
        known = self._known(now) if self.shown is None else self.shown
        self.shown = {**now.sections, "summary": self.sections.summary(now.row, now.run)}
        return swaps(self.shown, known)

    def _known(self, now: _Now) -> dict[str, str]:
        """What a page shows that was just loaded, or that lost the connection: all, or attempts of an older state."""
        if self.after >= now.told:
            # what it shows of the row may be older than the row is
            return {name: text for name, text in now.sections.items() if name not in OF_ROW}
        return {f"attempt-{number}": "" for number, line in now.begun.items() if line <= self.after}


def _number(said: str) -> int:
    return int(said) if said.isascii() and said.isdecimal() and len(said) <= MOST_DIGITS else -1
