"""`make bench-scale`: jobs an hour of 1, 2 and 4 workers on one Postgres, each with 4 slots.

`--rounds N` (6) jobs for each slot, `--seconds S` (1) for each of the 8 steps of a job, which sleep in place of model
and sandbox; a repository for each job. The workers are processes with the real engine; Postgres is real, and its
commits are on disk. An arm's time runs from the first job's being queued to the last one's end. The last line is one
JSON document: `engine_share` is the part of the slots' time, in the worst arm, in which no step of a job slept. The
exit status is 1 only when the measurement is invalid.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from bench.say import finish, say
from bench.scale_worker import SLOTS, STEPS
from postgres_server import Cluster, programs, running

from bot.adapters.store import migrate
from bot.demo.processes import DemoError, Processes

WORKERS = (1, 2, 4)
START_SECONDS, STILL_SECONDS = 180.0, 300.0
SPEED_UP, SHARE = 3.2, 0.05


@dataclass(frozen=True, slots=True)
class Arm:
    """What so many workers did: jobs, the seconds from the first one's queueing, and a slot's part without sleep."""

    workers: int
    jobs: int
    seconds: float
    slept: float

    @property
    def hourly(self) -> float:
        """Jobs an hour."""
        return self.jobs / self.seconds * 3600

    @property
    def share(self) -> float:
        """The engine's part of the slots' time."""
        return 1 - self.jobs * self.slept / (self.workers * SLOTS * self.seconds)


def measure(place: Path, asked: argparse.Namespace) -> dict[str, object]:
    """The last line's content."""
    binaries = programs()
    if binaries is None:
        raise DemoError("there is no Postgres on this machine")
    arms = []
    with running(binaries, durable=True) as cluster:
        for workers in WORKERS:
            directory = place / str(workers)
            directory.mkdir()
            arms.append(_arm(cluster, directory, workers, asked))
            say(f"{workers} workers: {arms[-1].hourly:.0f} jobs an hour, engine share {arms[-1].share:.3f}")
    return report(arms)


def report(arms: Sequence[Arm]) -> dict[str, object]:
    """One line's content."""
    hourly = {str(arm.workers): round(arm.hourly) for arm in arms}
    share = max(arm.share for arm in arms)
    met = arms[-1].hourly >= SPEED_UP * arms[0].hourly and share <= SHARE
    return {"jobs_per_hour": hourly, "engine_share": round(share, 4), "met": met}


def _arm(cluster: Cluster, directory: Path, workers: int, asked: argparse.Namespace) -> Arm:
    url, jobs = cluster.create(), workers * SLOTS * asked.rounds
    migrate(url)
    processes = Processes(directory)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    try:
        for number in range(workers):
            command = [sys.executable, "-P", "-m", "bench.scale_worker", str(directory / f"w{number}"), url]
            command += [str(asked.seconds), str(0 if number else jobs)]
            child = processes.start(f"worker-{number}", command, environment)
            # One makes the engine's tables, the others find them.
            processes.wait_for(f"worker {number}", lambda log=child.log: b"ready" in log.read_bytes(), START_SECONDS)
        begun = time.time()
        (directory / "begin").touch()
        limit = STILL_SECONDS + 4 * asked.rounds * STEPS * asked.seconds
        processes.wait_for("the last job's end", lambda: len(_notes(directory)) >= jobs, limit)
    finally:
        processes.stop()
        cluster.drop(url)
    return arm(workers, begun, _notes(directory), asked)


def arm(workers: int, begun: float, notes: Sequence[Mapping[str, Any]], asked: argparse.Namespace) -> Arm:
    """Raises `DemoError` where a job did not run exactly once."""
    ran = Counter(str(note["job"]) for note in notes)
    wanted = workers * SLOTS * asked.rounds
    if len(ran) != wanted or set(ran.values()) != {1}:
        raise DemoError(f"{wanted} jobs were queued, {len(ran)} ran, {sum(ran.values())} times")
    return Arm(workers, wanted, max(note["ended"] for note in notes) - begun, STEPS * asked.seconds)


def _notes(directory: Path) -> list[dict[str, Any]]:
    texts = [path.read_text() for path in directory.glob("w*/jobs.jsonl")]
    return [json.loads(line) for text in texts for line in text.split("\n")[:-1]]


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 1 when there is no valid figure."""
    parser = argparse.ArgumentParser(prog="make bench-scale", description=__doc__)
    parser.add_argument("--rounds", type=int, default=6, choices=range(1, 1001), metavar="N")
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args(arguments)
    # So that what was started is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    invalid = (DemoError, OSError, RuntimeError, ValueError, sa.exc.SQLAlchemyError)
    with tempfile.TemporaryDirectory(prefix="regreen-scale-") as place:
        return finish(lambda: measure(Path(place), options), invalid)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
