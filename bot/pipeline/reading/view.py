"""From a log's lines to the view of a run."""

from collections.abc import Iterable

from bot.pipeline.logs.runlog import Entry
from bot.pipeline.reading.views import RunView


def read(entries: Iterable[Entry]) -> RunView:
    """What the lines say; those that nobody knows, of a later version or damaged in their fields, are left out."""
    last = max((entry.number for entry in entries), default=-1)
    return RunView(last)
