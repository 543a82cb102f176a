"""One repository: how many runs published something, how long that took, what was spent, day by day."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from statistics import median

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bot.jobs import State
from bot.pipeline.ports.reading import DayFigures, Filter, Reader, RepositoryFigures
from bot.web.pages import words
from bot.web.pages.plots import HEIGHT, LEFT, WIDTH, Plot, Series, plot
from bot.web.pages.rendering import NOWHERE, Rendering
from bot.web.pages.visitor import Visiting, Visitor

RANGES = (7, 30, 90)
USUAL = 30
NEWEST = 10
MOST_LISTED = 200
FEW = 4
"""Runs that a day's scale has room for at least."""
NO_ATTEMPT = frozenset({State.GREEN, State.CANCELLED})
"""What says nothing of success: nothing was red, or somebody stopped it."""


@dataclass(frozen=True, slots=True)
class Sum:
    """All days together. `tried` are the runs that ended by themselves with something to do.

    `published` are those that opened a pull request, and those that went on with one.
    """

    ended: int
    tried: int
    published: int
    dollars: float
    tokens: int
    typical: float | None
    slow: float | None

    @property
    def share(self) -> float | None:
        """Which part of what was tried was published."""
        return self.published / self.tried if self.tried else None


@dataclass(frozen=True, slots=True)
class Day:
    """One day as the table and the plots have it."""

    day: str
    tried: int
    published: int
    typical: float | None
    dollars: float
    tokens: int


class RepositoryPage:
    """`/repositories/OWNER/NAME`, with `?days=` one of `RANGES`, and the list of all."""

    def __init__(self, reader: Reader, rendering: Rendering, visiting: Visiting) -> None:
        """Keep the parts."""
        self._reader = reader
        self._rendering = rendering
        self._visiting = visiting

    def routes(self) -> list[BaseRoute]:
        """The list and each."""
        return [
            Route("/repositories", self._show(self._list)),
            Route("/repositories/{owner}/{name}", self._show(self._page)),
        ]

    def _show(self, page: Callable[[Request, Visitor], Response]) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            return await run_in_threadpool(page, request, self._visiting(request))

        return endpoint

    def _list(self, request: Request, visitor: Visitor) -> Response:
        known = [name for name in self._reader.repositories(MOST_LISTED, visitor.hidden) if visitor.sees(name)]
        return self._rendering.page(request, visitor, "repositories.html", repositories=known)

    def _page(self, request: Request, visitor: Visitor) -> Response:
        name = f"{request.path_params['owner']}/{request.path_params['name']}"
        asked = request.query_params.get("days", "")
        days = next((each for each in RANGES if str(each) == asked), USUAL)
        found = self._reader.repository(name, days) if visitor.sees(name) else None
        if found is None or not found.known:
            return self._rendering.missing(request, visitor, NOWHERE)
        newest = self._reader.runs(Filter(repository=name, hidden=visitor.hidden, limit=NEWEST))
        table = tuple(_day(each) for each in found.days)
        return self._rendering.page(
            request,
            visitor,
            "repository.html",
            name=name,
            figures=found,
            sum=summed(found),
            table=[each for each in table if each.tried or each.dollars or each.published],
            plots=plotted(table),
            ranges=RANGES,
            days=days,
            newest=newest,
            size=(WIDTH, HEIGHT, LEFT),
        )


def summed(figures: RepositoryFigures) -> Sum:
    """All days of it together."""
    took = sorted(seconds for day in figures.days for seconds in day.to_pull_request)
    days = [_day(each) for each in figures.days]
    return Sum(
        ended=sum(each.ended for each in figures.days),
        tried=sum(each.tried for each in days),
        published=sum(each.published for each in days),
        dollars=sum(each.dollars for each in days),
        tokens=sum(each.tokens for each in days),
        typical=median(took) if took else None,
        slow=took[-(-len(took) * 9 // 10) - 1] if took else None,
    )


def plotted(table: tuple[Day, ...]) -> tuple[tuple[str, str, Plot], ...]:
    """The three plots: a name for each, what it says, and the bars."""
    days = [each.day for each in table]
    published = Series("good", "published", [float(each.published) for each in table])
    others = Series("quiet", "not published", [float(each.tried - each.published) for each in table])
    unit, name = _unit(max((each.typical or 0.0 for each in table), default=0.0))
    took = Series("note", "typically", [(each.typical or 0.0) / unit for each in table])
    spent = Series("warn", "", [each.dollars for each in table])
    return (
        (
            "Runs",
            "Runs that ended each day: published, and not.",
            plot(days, (published, others), _count, FEW),
        ),
        (
            "Time to publish",
            "Median time each day from queue to what was published.",
            plot(days, (took,), lambda value: f"{value:.3g} {name}"),
        ),
        ("Spend", "Dollars spent on runs that ended each day.", plot(days, (spent,), words.dollars)),
    )


def _unit(seconds: float) -> tuple[int, str]:
    """In what such a time is told, with its name."""
    return next(
        (unit, name)
        for unit, name in ((words.HOUR, "h"), (words.MINUTE, "min"), (1, "s"))
        if seconds >= 2 * unit or unit == 1
    )


def _count(value: float) -> str:
    return f"{value:g}"


def _day(figures: DayFigures) -> Day:
    states = dict(figures.states)
    return Day(
        figures.day,
        tried=sum(count for state, count in states.items() if state not in NO_ATTEMPT),
        published=states.get(State.PUBLISHED, 0),
        typical=median(figures.to_pull_request) if figures.to_pull_request else None,
        dollars=figures.dollars,
        tokens=figures.tokens,
    )
