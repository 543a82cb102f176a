"""A cancelled job's container is killed at once, not when its tests are through."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import docker
import pytest
from fakes_ports import ScriptedWorkspace, ports
from fakes_store import FakeRuns, fix_issue
from fakes_trees import OneTree

from bot.adapters.artifacts import FileArtifacts
from bot.engine.durable import DurableEngine, DurableSettings, Wrap
from bot.engine.endings import Endings
from bot.jobs import Job, JobOutcome, State
from bot.pipeline.ports.job import Trees
from bot.repair.types import Base, Patch, Selection
from bot.wiring.sandbox import SANDBOX_LABEL, Sandbox
from sandbox.spec import MIB, Limits, Recipe, RunSpec, RunState, TestRun

pytestmark = pytest.mark.engine

LIMITS = Limits(wall_seconds=300, memory=64 * MIB, tree=16 * MIB, scratch=16 * MIB, results=1 * MIB)
PATH = (("PATH", "/usr/bin:/bin"),)
STOPPED = JobOutcome(State.CANCELLED, "Stopped by maintainer")


class SleepingWorkspace(ScriptedWorkspace):
    """A suite that sleeps for five minutes in a real container."""

    def __init__(self, sandbox: Sandbox, image: str) -> None:
        super().__init__()
        self.sandbox, self.image = sandbox, image

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        del base, patches, selection
        spec = RunSpec("stopped-1", self.image, ("sleep", "290"), limits=LIMITS, environment=PATH)
        self.sandbox.engine.run(spec, ())
        return (TestRun(RunState.COMPLETE),)


def test_it_ends_at_once_and_the_job_takes_no_further_step(
    engine_sandbox: Callable[[Trees], Sandbox], base_image: str, docker_host: str, tmp_path: Path
) -> None:
    sandbox = engine_sandbox(OneTree({"a.py": ""}))
    workspace = SleepingWorkspace(sandbox, base_image)
    unwound, runs = threading.Event(), FakeRuns()

    def run(job: Job, wrap: Wrap) -> JobOutcome:
        try:
            base = Base(job.repository, "a" * 40, Recipe("python", (), ("pytest",), "x"))
            for _ in range(2):
                wrap(ports(workspace=workspace)).workspace.evaluate(base, (Patch(()),), Selection(()))
        finally:
            unwound.set()
        return JobOutcome(State.GREEN, "Nothing to fix")

    def containers() -> list[object]:
        found = client.containers(filters={"label": f"{SANDBOX_LABEL}={sandbox.mark}"})
        return list(found)

    client = docker.APIClient(docker_host)
    artifacts = FileArtifacts(tmp_path / "artifacts")
    endings = Endings(kill=lambda _: sandbox.stop())  # type: ignore[func-returns-value]  # it returns nothing
    engine = DurableEngine(DurableSettings(tmp_path), run, runs, artifacts, endings)
    with engine:
        identity = engine.enqueue(fix_issue())
        deadline = time.monotonic() + 60
        while not containers():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert engine.cancel(identity, STOPPED)
        assert unwound.wait(60)
        assert containers() == []
        assert engine.outcome(identity) == runs.outcomes[identity] == STOPPED
    client.close()
