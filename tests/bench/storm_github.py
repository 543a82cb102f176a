"""The storm's stand-in for GitHub: people act, webhooks come late and twice, and some requests go wrong.

`python -m bench.storm_github CONFIG.json` with the fields of `Weathered`. Begins when the file `begin` is there, keeps
`progress.json` up to date, and writes `report.json` when a signal ends it.
"""

import json
import random
import signal
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.storm_acts import OUTSIDER, plots
from bench.storm_shown import shown

from bot.demo.faults import Effect, Fault, Weather
from bot.demo.stand_in import StandIn
from bot.demo.state import AppConfig
from bot.demo.webhooks import HookDelivery

DUPLICATED = LATE = 0.2
STRUCK = 0.05
LATEST_SECONDS = 8.0
TIMEOUT_SECONDS = 35.0
"""Longer than the worker waits for an answer."""
KINDS = (
    *[Fault("*", "", status=502)] * 3,
    *[Fault("POST", "", status=502, after_effect=True)] * 3,
    *[Fault("*", "", effect=Effect.SECONDARY_LIMIT, seconds=1)] * 4,
    *[Fault("*", "", effect=Effect.DROP)] * 3,
    *[Fault("POST", "", effect=Effect.DROP, after_effect=True)] * 3,
    Fault("GET", "", effect=Effect.DELAY, seconds=TIMEOUT_SECONDS),
)
"""Connections that are dropped stand for timeouts: the same to the client, without the wait; some are real."""


@dataclass(frozen=True)
class Weathered:
    """What the driver asks for: so many `deliveries` in all, duplicates included, over about `seconds`."""

    directory: str
    port: int
    hook: str
    secret: str
    seed: int
    subjects: int
    deliveries: int
    seconds: float


class Storm:
    """The stand-in and its people."""

    def __init__(self, asked: Weathered) -> None:
        self.asked = asked
        self.place = Path(asked.directory)
        self.dice = random.Random(asked.seed)  # noqa: S311 - no secret hangs on the order of things
        self.duplicated = self.late = 0
        key = (self.place / "app.pub").read_text()
        (self.place / "github").mkdir()
        self.stand_in = StandIn(AppConfig(key), directory=self.place / "github", port=asked.port)
        self.state = self.stand_in.state
        self.state.add_user(OUTSIDER)
        self.plots = plots(self.state, asked.subjects)
        # What making the repositories announced is none of the storm.
        self.state.hooks.pending.clear()
        self.state.hooks.disorder = self._disorder
        self.stand_in.hook(asked.hook, asked.secret)

    def run(self, stopped: threading.Event) -> None:
        """Act until every delivery is sent; then only what the App itself causes goes on."""
        self.stand_in.start()
        print(f"listening on {self.stand_in.base_url}", flush=True)  # noqa: T201 - the line that the driver waits for
        while not (self.place / "begin").exists():
            if stopped.wait(0.05):
                return
        struck = random.Random(self.asked.seed + 1)  # noqa: S311 - no secret hangs on it
        self.state.faults.weather = Weather(STRUCK, KINDS, struck, path=r"^/api/")
        begun = time.monotonic()
        while not stopped.wait(0.02):
            share = min(1.0, (time.monotonic() - begun) / self.asked.seconds)
            while self._queued() < share * self.asked.deliveries:
                self._act()
            # Subjects may have more to do than there were to be deliveries.
            left = any(plot.acts for plot in self.plots)
            if share == 1.0 and left:
                self._act()
            self._tell(done=share == 1.0 and not left)
        # For the report, all is well.
        self.state.faults.weather = None

    def report(self) -> dict[str, Any]:
        """What is there at the end."""
        with self.state.lock:
            return {
                "deliveries": len(self.state.hooks.log),
                "duplicated": self.duplicated,
                "late": self.late,
                "struck": self.state.faults.struck,
                "requests": len(self.state.requests),
                "violations": [str(one) for one in self.state.violations],
                **shown(self.state, self.plots),
            }

    def _act(self) -> None:
        waiting = [plot for plot in self.plots if plot.acts]
        if waiting:
            self.dice.choice(waiting).acts.pop(0)()
        else:
            self.dice.choice(self.plots).chat()

    def _queued(self) -> int:
        hooks = self.state.hooks
        return len(hooks.log) + len(hooks.pending)

    def _disorder(self, _delivery: HookDelivery) -> tuple[float, ...]:
        late, twice = self.dice.random() < LATE, self.dice.random() < DUPLICATED
        self.late += late
        self.duplicated += twice
        first = self.dice.uniform(0.5, LATEST_SECONDS) if late else 0.0
        return (first, self.dice.uniform(0.0, LATEST_SECONDS)) if twice else (first,)

    def _tell(self, *, done: bool) -> None:
        hooks = self.state.hooks
        told = {"acts": sum(len(plot.acts) for plot in self.plots), "pending": len(hooks.pending), "done": done}
        fresh = self.place / "progress.new"
        fresh.write_text(json.dumps(told | {"sent": len(hooks.log)}))
        fresh.replace(self.place / "progress.json")


def main(path: Path) -> None:
    """Run until a signal comes, then report."""
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    storm = Storm(Weathered(**json.loads(path.read_text())))
    storm.run(stopped)
    (storm.place / "report.json").write_text(json.dumps(storm.report()))
    storm.stand_in.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
