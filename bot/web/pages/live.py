"""A run's page while the run goes on: server-sent events with the sections that changed.

Each event's id is the number of the log's last line that it tells of; a browser that lost the connection says the last
one that it got, and is told what came since. The stream ends with the run.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import structlog
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from bot.errors import LogError, RegreenError
from bot.pipeline.logs.runlog import Entry
from bot.pipeline.ports.reading import Reader, RunRow
from bot.pipeline.reading.view import Reading
from bot.web.pages.rendering import Rendering
from bot.web.pages.sections import Sections
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
    """Streams to at most `most` listeners at once; each looks at its run's log every `look_seconds`."""

    reader: Reader
    rendering: Rendering
    most: int = MOST_LISTENERS
    look_seconds: float = LOOK_SECONDS
    most_seconds: float = MOST_SECONDS
    _listeners: set[object] = field(default_factory=set)

    def follow(self, request: Request, visitor: Visitor, row: RunRow) -> Response:
        """The stream of one run, from the line on that the browser knows."""
        if len(self._listeners) >= self.most:
            return PlainTextResponse("Too many pages are live: reload later.", 503, {"Retry-After": "30"})
        after = _number(request.headers.get("last-event-id", "") or request.query_params.get("after", ""))
        follower = _Follower(self.reader, Sections(self.rendering, visitor), row)
        return EventSourceResponse(self._stream(follower, after), ping=BEAT_SECONDS)

    async def _stream(self, follower: "_Follower", after: int) -> AsyncIterator[ServerSentEvent]:
        listener = object()
        self._listeners.add(listener)
        try:
            looks = max(int(self.most_seconds / self.look_seconds), 1)
            await run_in_threadpool(follower.begin, after)
            for _ in range(looks):
                text = await run_in_threadpool(follower.look)
                if text:
                    yield ServerSentEvent(text, event="part", id=str(follower.last))
                if follower.row.ended_at is not None:
                    yield ServerSentEvent("", event="end", id=str(follower.last))
                    return
                await asyncio.sleep(self.look_seconds)
        except LogError as error:
            # a log that cannot be read now will not be in a second: the page says so, and asks no more
            _log.warning("not_followed", job=follower.row.identity, cause=error.cause)
            yield ServerSentEvent(self.rendering.text("run/damage.html", damage=str(error)), event="part")
            yield ServerSentEvent("", event="end")
        except RegreenError as error:
            # the browser comes back by itself
            _log.warning("not_followed", job=follower.row.identity, cause=error.cause)
        finally:
            self._listeners.discard(listener)


@dataclass(slots=True)
class _Follower:
    """What one listener's page shows by now."""

    reader: Reader
    sections: Sections
    row: RunRow
    reading: Reading = field(default_factory=Reading)
    shown: dict[str, str] = field(default_factory=dict)
    last: int = -1
    _seen: RunRow | None = None

    def begin(self, after: int) -> None:
        """Take in what the page knows."""
        for entry in self.reader.entries(self.row.identity, -1):
            if entry.number <= after:
                self._take(entry)
        self.shown = self.sections.live(self.row, self.reading.view())
        # what it shows of the row may be older than the row is
        del self.shown["summary"]

    def look(self) -> str:
        """The sections that changed since, as one text."""
        # most lines are calls, of which a page shows nothing
        telling = [self._take(entry) for entry in self.reader.entries(self.row.identity, self.last)]
        self.row = self.reader.run(self.row.identity) or self.row
        if not any(telling) and self.row == self._seen:
            return ""
        self._seen = self.row
        text, self.shown = self.sections.changed(self.row, self.reading.view(), self.shown)
        return text

    def _take(self, entry: Entry) -> bool:
        self.last = entry.number
        return self.reading.take(entry)


def _number(said: str) -> int:
    return int(said) if said.isascii() and said.isdecimal() and len(said) <= MOST_DIGITS else -1
