"""What the store holds, as metrics: read at each scrape, so that web and worker need not share memory."""

from collections.abc import Callable, Iterator, Mapping

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bot.errors import RegreenError

Count = Callable[[], Mapping[str, int]]


class StoreCollector(Collector):
    """`regreen_deliveries{decision}` and `regreen_runs{state}`; a store that does not answer yields no samples."""

    def __init__(self, deliveries: Count, runs: Count) -> None:
        """Keep both; nothing is read before a scrape."""
        self._sources = (
            ("regreen_deliveries", "Recorded deliveries by what was decided.", "decision", deliveries),
            ("regreen_runs", "Jobs by state.", "state", runs),
        )

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
