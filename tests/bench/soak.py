"""`make soak`: a worker that is killed again and again while it has work; nothing is lost and nothing is left behind.

`--kills N` (100), `--seed S`. Everything is real but GitHub. The last line is one JSON document: `leaked` counts the
containers, images, volumes, directories and processes that are there after the last worker ended and were not before,
`lost_jobs` the labels that did not lead to exactly one pull request and one comment. The exit status is 1 only when
the measurement is invalid.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from bench.leftovers import Leftovers
from bench.say import finish, say
from docker import APIClient
from docker.errors import APIError, DockerException

from bot.adapters.journal import read
from bot.adapters.store import SqlRuns, connect
from bot.demo import samples
from bot.demo.processes import Child, DemoError
from bot.demo.stage import Stage, set_up
from bot.settings import Settings, load

LONGEST_LIFE = 14.0
"""Seconds; a worker lives a random part of it. A job that is killed in the same step ten times in a row is given up,
so a worker has to live longer than a step takes often enough."""
WAITING = 2
"""So many labelled issues wait at any time, so that a worker is always killed at work."""
LAST_SECONDS = 900.0
"""For the jobs that are under way when the killing ends."""
POLL_SECONDS = 0.5


@dataclass
class Soak:
    """The stage, the dice, and the issues labelled so far."""

    stage: Stage
    dice: random.Random
    issues: list[int] = field(default_factory=list)

    def kill(self, kills: int) -> None:
        """Let workers live for random times, `kills` of them; the last one that is started lives on.

        The environment is built before, and once more under fire.
        """
        self._keep_busy()
        self.finish()
        if self.lost():
            raise DemoError(f"no pull request came before anything was killed; the logs are in {self.stage.directory}")
        for number in range(kills):
            self._keep_busy()
            if number == kills // 2:
                self._forget_environment()
            time.sleep(self.dice.uniform(0.0, LONGEST_LIFE))
            worker = self._worker()
            worker.process.kill()
            worker.process.wait()
            self.stage.processes.children.remove(worker)
            self.stage.start_worker()
            if (number + 1) % 10 == 0:
                say(f"{number + 1} kills, {len(self.issues)} jobs, {len(self._ended())} ended")

    def finish(self) -> None:
        """Wait until every job has ended. Raises `DemoError` when the worker or a server ends by itself."""
        end = time.monotonic() + LAST_SECONDS
        while len(self._ended()) < len(self.issues) and time.monotonic() < end:
            self.stage.processes.check()
            time.sleep(POLL_SECONDS)

    def lost(self) -> list[int]:
        """The issues without exactly one pull request, one comment that names it, and one end in the log."""
        person, repository = self.stage.person, samples.from_issue().repository
        heads = [pull.head for pull in person.pulls(repository)]
        ends = self._ends()
        return [
            issue
            for issue in self.issues
            if heads.count(f"regreen/issue-{issue}") != 1
            or len(person.comments(repository, issue)) != 1
            or ends.count(issue) != 1
        ]

    def _keep_busy(self) -> None:
        sample = samples.from_issue()
        while len(self.issues) - len(self._ended()) < WAITING:
            issue = self.stage.person.open_issue(sample.repository, sample.title, sample.body)
            self.stage.person.label(sample.repository, issue, "regreen")
            self.issues.append(issue)

    def _forget_environment(self) -> None:
        client = APIClient(load().docker_host, version="auto")
        try:
            for image in client.images(filters={"label": f"regreen.repository={samples.from_issue().repository}"}):
                client.remove_image(str(image["Id"]), force=True)
        except APIError as error:
            say(f"An environment is in use: {error.explanation}")
        finally:
            client.close()

    def _worker(self) -> Child:
        return next(child for child in self.stage.processes.children if child.name == "worker")

    def _ended(self) -> set[int]:
        """The issues whose runs have an outcome, be it that they were given up."""
        database = connect(f"sqlite:///{self.stage.directory / 'data' / 'regreen.sqlite'}")
        try:
            runs = SqlRuns(database).recent(len(self.issues) + 1)
        finally:
            database.dispose()
        ended = {run.subject for run in runs if run.outcome is not None}
        return {issue for issue in self.issues if f"issue-{issue}" in ended}

    def _ends(self) -> list[int]:
        """The issue of every end in every log; a line that is being written is left for the next look."""
        found = []
        for issue in self.issues:
            for log in self.stage.runs.glob(f"*issue-{issue}_*/log.jsonl"):
                found += [issue for line in log.read_bytes().split(b"\n")[:-1] if json.loads(line)["event"] == "ended"]
        return found


def measure(place: Path, kills: int, seed: int) -> dict[str, object]:
    """The last line's content."""
    settings = load()
    leftovers = Leftovers.now(settings.docker_host)
    stage = set_up(Settings(data_dir=place), {**os.environ, "REGREEN_DATA_DIR": str(place)})
    try:
        soak = Soak(stage, random.Random(seed))  # noqa: S311 - no secret hangs on when a worker is killed
        soak.kill(kills)
        soak.finish()
        lost = soak.lost()
        for log in stage.runs.glob("*/log.jsonl"):
            read(log)
    finally:
        stage.person.client.close()
        stage.processes.stop()
    leaked = leftovers.new(stage.directory / "data")
    for issue in lost:
        say(f"lost: issue {issue}")
    for one in leaked:
        say(f"leaked: {one}")
    met = not lost and not leaked
    return {"kills": kills, "jobs": len(soak.issues), "leaked": len(leaked), "lost_jobs": len(lost), "met": met}


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 1 when there is no valid figure."""
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--kills", type=int, default=100, choices=range(1, 10_001), metavar="N")
    parser.add_argument("--seed", type=int, default=None, help="repeats the moments of an earlier soak")
    options = parser.parse_args(arguments)
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    say(f"--seed {seed}")
    with tempfile.TemporaryDirectory(prefix="regreen-soak-") as place:
        return finish(
            lambda: measure(Path(place), options.kills, seed),
            (DemoError, DockerException, httpx.HTTPError, OSError, ValueError),
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
