"""What a run's own journal says: how many suites it ran, and where its seconds went."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WRITING = frozenset({"admit", "publish"})

Selected = tuple[tuple[str, ...], bool]
"""Node ids, and whether they ran with a candidate."""


@dataclass(frozen=True, slots=True)
class Event:
    """One line; `at` is seconds since the epoch."""

    name: str
    at: float
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Run:
    """One label that became a pull request after `seconds`; `labelled` is seconds since the epoch."""

    seconds: float
    labelled: float
    log: Path

    @property
    def base_suites(self) -> int:
        """Runs of the whole suite on the base."""
        return sum(int(event.fields["base"]) for event in self._named("evaluated") if not event.fields["selected"])

    @property
    def fix_suites(self) -> int:
        """Runs of the whole suite with a candidate."""
        return sum(int(event.fields["patched"]) for event in self._named("evaluated") if not event.fields["selected"])

    @property
    def selections(self) -> tuple[Selected, ...]:
        """Each run of selected tests: those among them that are the repair's targets, and whether with a candidate."""
        (baseline,) = self._named("baseline")
        targets = set(baseline.fields["targets"])
        found: list[Selected] = []
        for event in self._named("evaluated"):
            ids = tuple(node_id for node_id in event.fields["selected"] if node_id in targets)
            if ids:
                found += [(ids, False)] * int(event.fields["base"]) + [(ids, True)] * int(event.fields["patched"])
        return tuple(found)

    @property
    def work(self) -> tuple[int, int, tuple[Selected, ...]]:
        """Everything that the floor has to run: suites on the base, suites on the fix, selections."""
        return self.base_suites, self.fix_suites, self.selections

    @property
    def seconds_in_turn(self) -> float:
        """What it would have taken at most, had all runs come one after the other, as the floor's do."""
        batches = [event.fields["seconds"] for event in self._named("evaluated")]
        return self.seconds + sum(sum(batch) - max(batch, default=0.0) for batch in batches)

    @property
    def writing(self) -> float:
        """Seconds of the steps that write to GitHub before the pull request is there."""
        return sum(float(e.fields["seconds"]) for e in self._named("step_ended") if e.fields["step"] in WRITING)

    def breakdown(self) -> dict[str, float]:
        """Seconds by name: waiting for the worker, each step, and inside the repair the runs and what is around."""
        found = {"label to first step": next(self.events()).at - self.labelled}
        for event in self._named("step_ended"):
            found[str(event.fields["step"])] = float(event.fields["seconds"])
        runs = [sum(event.fields["seconds"]) for event in self._named("evaluated")]
        (baseline,) = self._named("baseline")
        found["  of baseline: the slowest container"] = float(baseline.fields["seconds"])
        found["  of all: in containers, side by side"] = sum(runs)
        found["  of repair: the proposer"] = sum(float(event.fields["seconds"]) for event in self._named("proposal"))
        return found

    def events(self) -> Iterator[Event]:
        """Whole lines, oldest first."""
        return events(self.log)

    def _named(self, name: str) -> Iterator[Event]:
        return (event for event in self.events() if event.name == name)


def events(log: Path) -> Iterator[Event]:
    """The whole lines of a journal that may still grow; none where there is no file."""
    data = log.read_bytes() if log.is_file() else b""
    for line in data.splitlines(keepends=True):
        if line.endswith(b"\n"):
            entry = json.loads(line)
            yield Event(entry["event"], float(entry["at"]), entry["fields"])
