"""One worker of `make bench-scale`: the real engine on Postgres, over jobs whose model and sandbox only sleep.

`python -m bench.scale_worker DIRECTORY URL SECONDS [JOBS]`; says `ready`, queues so many jobs as soon as the file
`begin` is beside the directory, and works until a signal comes. `jobs.jsonl` holds a line for each job that ran here.
"""

import json
import signal
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from fakes_ports import EchoModel, ScriptedWorkspace, ports
from fakes_store import fix_issue
from fakes_workspace import BASE

from bot.adapters.artifacts import FileArtifacts
from bot.adapters.store import SqlRuns, connect
from bot.engine.durable import DurableEngine, DurableSettings, Wrap
from bot.jobs import Job, JobOutcome, State, job_id
from bot.repair.team.roles import Models
from bot.repair.types import Base, Completion, CompletionLimits, Message, Patch, Selection
from bot.wiring.engine import build_fleet
from sandbox.spec import TestRun

SLOTS = 4
STEPS = 8


@dataclass(frozen=True)
class Sleepy:
    """A `Model` and what a `Workspace` needs to run tests; each call takes the same time."""

    seconds: float
    name: str = "sleepy"

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        time.sleep(self.seconds)
        return EchoModel().complete(messages, limits)


@dataclass
class SleepyWorkspace(ScriptedWorkspace):
    """`ScriptedWorkspace` whose runs take their time."""

    seconds: float = 0.0

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        time.sleep(self.seconds)
        return super().evaluate(base, patches, selection)


@dataclass(frozen=True)
class Running:
    """Runs a job of `STEPS` steps, and notes when."""

    notes: Path
    seconds: float

    def __call__(self, job: Job, wrap: Wrap) -> JobOutcome:
        begun = time.time()
        world = wrap(ports(models=Models(coder=Sleepy(self.seconds)), workspace=SleepyWorkspace(seconds=self.seconds)))
        assert world.models.coder is not None
        for number in range(STEPS // 2):
            world.models.coder.complete((Message("user", str(number)),), CompletionLimits())
            world.workspace.evaluate(BASE, (Patch(()),), Selection())
        with self.notes.open("a") as file:
            file.write(json.dumps({"job": job_id(job), "begun": begun, "ended": time.time()}) + "\n")
        return JobOutcome(State.GREEN, "Nothing to fix")


def queue(engine: DurableEngine, runs: SqlRuns, jobs: int) -> None:
    """As the dispatcher does: noted, then queued; each of a repository of its own."""
    for number in range(jobs):
        job = fix_issue(1, f"octo/r{number}")
        runs.started(job_id(job), job)
        engine.enqueue(job)


def main(directory: Path, url: str, seconds: float, jobs: int = 0) -> None:
    """Work until a signal comes."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    directory.mkdir()
    runs = SqlRuns(connect(url))
    running = Running(directory / "jobs.jsonl", seconds)
    settings = DurableSettings(directory, SLOTS, url=url)
    artifacts = FileArtifacts(directory / "artifacts")
    with DurableEngine(settings, running, runs, artifacts, fleet=build_fleet(url, settings.lease)) as engine:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while jobs and not stop.wait(0.02):
            if (directory.parent / "begin").exists():
                queue(engine, runs, jobs)
                break
        stop.wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4]) if sys.argv[4:] else 0)
