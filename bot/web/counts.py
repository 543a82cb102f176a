"""What the store holds, as metrics: read at each scrape, so that web and worker need not share memory."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Protocol

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bot.errors import RegreenError

Count = Callable[[], Mapping[str, int]]


class StoreCollector(Collector):
    """`regreen_deliveries{decision}`, `regreen_runs{state}`; `regreen_workers{state}` where workers share a database.

    A store that does not answer yields no samples.
    """

    def __init__(self, deliveries: Count, runs: Count, workers: Count | None = None) -> None:
        """Keep them; nothing is read before a scrape."""
        self._sources = [
            ("regreen_deliveries", "Recorded deliveries by what was decided.", "decision", deliveries),
            ("regreen_runs", "Jobs by state.", "state", runs),
        ]
        if workers is not None:
            self._sources.append(("regreen_workers", "Workers that share the database, by state.", "state", workers))

    def describe(self) -> list[GaugeMetricFamily]:
        """The families without samples, so that registering reads nothing."""
        return [GaugeMetricFamily(name, text, labels=[label]) for name, text, label, _ in self._sources]

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """One sample for each label value."""
        for name, text, label, count in self._sources:
            family = GaugeMetricFamily(name, text, labels=[label])
            try:
                for value, number in sorted(count().items()):
                    family.add_metric([value], number)
            except RegreenError:
                continue
            yield family


class Waiting(Protocol):
    """What waits in a queue."""

    @property
    def number(self) -> int:
        """How many."""
        ...

    @property
    def seconds(self) -> float:
        """For how long the oldest has."""
        ...


class QueueCollector(Collector):
    """`regreen_queue{queue}` and `regreen_queue_oldest_seconds{queue}`; one that does not answer yields no samples."""

    def __init__(self, queues: Mapping[str, Callable[[], Waiting]]) -> None:
        """Keep what to ask of each queue; nothing is read before a scrape."""
        self._queues = dict(queues)

    def describe(self) -> list[GaugeMetricFamily]:
        """The families without samples, so that registering reads nothing."""
        return [
            GaugeMetricFamily(
                "regreen_queue", "Deliveries that are due, jobs that wait for their turn.", labels=["queue"]
            ),
            GaugeMetricFamily("regreen_queue_oldest_seconds", "For how long the oldest has waited.", labels=["queue"]),
        ]

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """One sample for each queue."""
        numbers, ages = self.describe()
        for name, waiting in self._queues.items():
            with suppress(RegreenError):
                found = waiting()
                numbers.add_metric([name], found.number)
                ages.add_metric([name], found.seconds)
        yield numbers
        yield ages
