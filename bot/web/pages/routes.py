"""Every page and what belongs to it."""

from starlette.routing import BaseRoute

from bot.pipeline.ports.reading import Reader
from bot.web.pages.live import Live
from bot.web.pages.rendering import Rendering, static_routes
from bot.web.pages.run import RunPage
from bot.web.pages.runs import RunsPage
from bot.web.pages.visitor import Visiting, anybody


def page_routes(reader: Reader, rendering: Rendering, visiting: Visiting = anybody) -> list[BaseRoute]:
    """`/`, `/runs`, `/runs/{id}` with its events and artifacts, `/static/…`."""
    lists, one = RunsPage(reader, rendering, visiting), RunPage(reader, rendering, visiting, Live(reader, rendering))
    return [*static_routes(), *lists.routes(), *one.routes()]
