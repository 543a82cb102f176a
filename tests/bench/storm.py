"""`make storm`: webhooks that come late and twice, a GitHub that fails, a worker that is killed again and again.

`--deliveries N` (2000), `--subjects N` (220), `--kills N` (20), `--seed S`. The webhook server, the worker with its
durable engine and the stand-in for GitHub are processes; the model and what test suites do are scripted. The last line
is one JSON document: `unfinished` counts subjects without exactly one final state, `duplicates` the pull requests,
comments, check runs and spends that are there once too often. The exit status is 1 only when the measurement is
invalid.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from bench.say import finish, say
from bench.storm_github import Weathered
from bench.storm_verdict import Call, Left, Ran, duplicates, unfinished, unsettled
from model_server import ModelServer

from bot.adapters.logs import FileLogs
from bot.adapters.store import connect, metadata
from bot.demo.processes import Child, DemoError, Processes, free_port
from bot.demo.stage import answers, connection, regreen, write_keys
from bot.settings import Settings

REPLY = """\
CAUSE: the comparison leaves the boundary out
PREDICTION: grade(50) gives 'pass'

grades.py
<<<<<<< SEARCH
    if score > 50:
=======
    if score >= 50:
>>>>>>> REPLACE
"""
START_SECONDS = 180.0
STILL_SECONDS = 900.0
"""Without any change, after which what is left is left for good; a delivery is put off for at most ten minutes."""
TOLD_SECONDS = 60.0
LIFE = (3.0, 9.0)
"""Seconds that a worker works before it is killed."""
POLL_SECONDS = 0.5
MODEL = {
    "REGREEN_MODEL": "scripted",
    "REGREEN_PRICES": json.dumps({"scripted": {"prompt": 100, "completion": 100}}),
    "REGREEN_OPENAI_API_KEY": "",
    "REGREEN_MUTATION_SEARCH": "false",
    "REGREEN_ROLES": "none",
}
DOLLARS = 100 / 1_000_000
BUDGETS = ("PULL_REQUEST", "REPOSITORY_DAY", "INSTALLATION_DAY")


@dataclass
class Storm:
    """The processes, the dice, and when workers were killed (seconds since the epoch)."""

    place: Path
    processes: Processes
    environment: dict[str, str]
    dice: random.Random
    kills: list[float] = field(default_factory=list)
    workers: int = 0

    def start_worker(self) -> None:
        """Start the next worker and wait until it works."""
        self.workers += 1
        command = [sys.executable, "-P", "-m", "bench.storm_worker"]
        worker = self.processes.start(f"worker-{self.workers}", command, self.environment)
        self.processes.wait_for("the worker", lambda: b"worker_started" in worker.log.read_bytes(), START_SECONDS)

    def kill_worker(self) -> None:
        """Kill the worker."""
        worker = self._worker()
        self.kills.append(time.time())
        worker.process.kill()
        worker.process.wait()
        self.processes.children.remove(worker)

    def strike(self, kills: int) -> None:
        """Let workers live for random times, `kills` of them; the last one that is started lives on."""
        for number in range(kills):
            self.processes.check()
            time.sleep(self.dice.uniform(*LIFE))
            self.kill_worker()
            self.start_worker()
            told = self.progress()
            say(f"kill {number + 1}: {told.get('sent', 0)} deliveries sent, {told.get('acts', 0)} acts to come")

    def settle(self) -> None:
        """Wait until nothing is to come, nothing waits and no run is open, or nothing changes for `STILL_SECONDS`."""
        quiet, last = 0, dict[str, Any]()
        since = told_at = time.monotonic()
        # What is decided last may make the next delivery.
        while quiet < 5 and time.monotonic() < since + STILL_SECONDS:
            self.processes.check()
            undecided, open_runs = self.waiting()
            now = self.progress() | {"undecided": undecided, "open": open_runs}
            if now != last:
                last, since = now, time.monotonic()
            if time.monotonic() > told_at + TOLD_SECONDS:
                told_at = time.monotonic()
                say(f"{now.get('sent', 0)} deliveries sent, {undecided} not decided, {open_runs} runs open")
            still = now.get("done", False) and not now["pending"] and not undecided and not open_runs
            quiet = quiet + 1 if still else 0
            time.sleep(POLL_SECONDS)

    def progress(self) -> dict[str, Any]:
        """What the stand-in says of itself."""
        path = self.place / "progress.json"
        return dict(json.loads(path.read_text())) if path.exists() else {}

    def waiting(self) -> tuple[int, int]:
        """Deliveries that are not decided, and runs that have not ended."""
        deliveries, runs = metadata.tables["deliveries"], metadata.tables["runs"]
        database = connect(self.database)
        try:
            with database.connect() as connection:
                undecided = sa.select(sa.func.count()).where(deliveries.c.decided_at.is_(None))
                open_runs = sa.select(sa.func.count()).where(runs.c.ended_at.is_(None))
                return connection.scalar(undecided) or 0, connection.scalar(open_runs) or 0
        finally:
            database.dispose()

    @property
    def database(self) -> str:
        """The tables' address."""
        return f"sqlite:///{self.place / 'data' / 'regreen.sqlite'}"

    def _worker(self) -> Child:
        return next(child for child in self.processes.children if child.name.startswith("worker"))


def measure(place: Path, asked: argparse.Namespace, seed: int) -> dict[str, object]:
    """The last line's content."""
    github, server = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
    write_keys(place)
    connected = connection(place, github, server)
    with ModelServer([{"text": REPLY}] * 100_000, place / "model.jsonl") as model:
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("REGREEN_", "OPENAI_"))},
            **connected,
            **MODEL,
            **{f"REGREEN_MAX_DOLLARS_{name}": "1000000" for name in BUDGETS},
            "REGREEN_OPENAI_BASE_URL": model.base_url,
            "REGREEN_WRITE_SPACING": "0",
            "REGREEN_EDIT_SPACING": "0",
            "REGREEN_PARALLEL_JOBS": "8",
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        dice = random.Random(seed)  # noqa: S311 - no secret hangs on when a worker is killed
        storm = Storm(place, Processes(place), environment, dice)
        try:
            seconds = max(5.0, asked.kills * (sum(LIFE) / 2 + 3.0))
            secret = connected["REGREEN_WEBHOOK_SECRETS"]
            hook, port = f"{server}/webhook", int(github.rpartition(":")[2])
            wanted = Weathered(str(place), port, hook, secret, seed, asked.subjects, asked.deliveries, seconds)
            _begin(storm, wanted, server)
            storm.strike(asked.kills)
            storm.settle()
            undecided, _ = storm.waiting()
            github_process = storm.processes.children[0]
            github_process.process.terminate()
            github_process.process.wait(START_SECONDS)
        finally:
            storm.processes.stop()
        calls = [call_of(entry) for entry in model.chats]
    return _verdict(_left(storm, undecided, calls), len(storm.kills), asked)


def _begin(storm: Storm, wanted: Weathered, server: str) -> None:
    config = storm.place / "storm.json"
    config.touch(mode=0o600)
    config.write_text(json.dumps(asdict(wanted)))
    command = [sys.executable, "-P", "-m", "bench.storm_github", str(config)]
    stand_in = storm.processes.start("github", command, storm.environment)
    regreen(storm.processes, "serve", storm.environment)
    storm.processes.wait_for("the stand-in", lambda: "listening on" in stand_in.tail(), START_SECONDS)
    storm.processes.wait_for("the webhook server", lambda: answers(f"{server}/readyz"), START_SECONDS)
    storm.start_worker()
    (storm.place / "begin").touch()


def call_of(entry: dict[str, Any]) -> Call:
    """What a chat of the model server's log cost."""
    prompt = json.dumps(entry["body"]["messages"])
    tokens = sum(len(message["content"]) for message in entry["body"]["messages"]) // 4 + 1 + len(REPLY) // 4 + 1
    return Call(prompt, entry["at"], round(tokens * DOLLARS * 1_000_000))


def _left(storm: Storm, undecided: int, calls: Sequence[Call]) -> Left:
    report = json.loads((storm.place / "report.json").read_text())
    runs, spends = metadata.tables["runs"], metadata.tables["spends"]
    settings = Settings(data_dir=storm.place / "data")
    database = connect(storm.database)
    try:
        with database.connect() as connection:
            ran = [
                Ran(row.identity, row.repository, row.subject, row.state or "", _ends(settings, row.identity))
                for row in connection.execute(sa.select(runs))
            ]
            spent = [
                (str(row.identity), int(row.spent), row.settled_at is not None)
                for row in connection.execute(sa.select(spends))
            ]
    finally:
        database.dispose()
    return Left(report, ran, undecided, calls, spent, storm.kills)


def _ends(settings: Settings, identity: str) -> int:
    log = FileLogs(settings.data_dir / "runs").directory(identity) / "log.jsonl"
    lines = log.read_bytes().split(b"\n")[:-1] if log.exists() else []
    return sum(json.loads(line)["event"] == "ended" for line in lines)


def _verdict(left: Left, kills: int, asked: argparse.Namespace) -> dict[str, object]:
    report = left.report
    if report["violations"]:
        say(f"refused by GitHub's description: {report['violations'][:5]}")
    say(f"{report['duplicated']} duplicated, {report['late']} late, {report['struck']} of {report['requests']} struck")
    states: dict[str, int] = {}
    for run in left.runs:
        states[run.state] = states.get(run.state, 0) + 1
    say(f"runs {states}, {len(left.calls)} model calls, {unsettled(left)} reservations unsettled")
    lacking, doubled = list(unfinished(left)), list(duplicates(left))
    for line in (*lacking, *doubled):
        say(line)
    enough = report["deliveries"] >= asked.deliveries and len(report["subjects"]) >= asked.subjects
    return {
        "deliveries": report["deliveries"],
        "subjects": len(report["subjects"]),
        "kills": kills,
        "unfinished": len(lacking),
        "duplicates": len(doubled),
        "met": enough and kills >= asked.kills and not lacking and not doubled and not report["violations"],
    }


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 1 when there is no valid figure."""
    parser = argparse.ArgumentParser(prog="make storm", description=__doc__)
    parser.add_argument("--deliveries", type=int, default=2000, choices=range(1, 100_001), metavar="N")
    parser.add_argument("--subjects", type=int, default=220, choices=range(1, 10_001), metavar="N")
    parser.add_argument("--kills", type=int, default=20, choices=range(1001), metavar="N")
    parser.add_argument("--seed", type=int, default=None, help="repeats the moments of an earlier storm")
    parser.add_argument("--keep", type=Path, default=None, help="an empty directory for logs and tables")
    options = parser.parse_args(arguments)
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    say(f"--seed {seed}")
    # So that what was started is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    invalid = (DemoError, OSError, ValueError, sa.exc.SQLAlchemyError)
    if options.keep:
        options.keep.mkdir(parents=True)
        return finish(lambda: measure(options.keep.absolute(), options, seed), invalid)
    with tempfile.TemporaryDirectory(prefix="regreen-storm-") as place:
        return finish(lambda: measure(Path(place), options, seed), invalid)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
