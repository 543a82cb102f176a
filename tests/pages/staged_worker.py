"""The worker behind the pages: the real one with its durable engine, over suites that need no container.

`python -m pages.staged_worker`, configured by REGREEN_* as `regreen worker` is. Suites take a moment, so that somebody
can watch; those of `ENDLESS` take until they are stopped.
"""

import signal
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

from bench.storm_worker import GradingWorkspace
from fakes_fix import ScriptedEnvironments, grading
from fakes_workspace import ScriptedWorkspace

from bot.adapters.trees import RecentTrees
from bot.commands.worker import work
from bot.errors import EngineDownError
from bot.pipeline.ports.job import Environments, Trees
from bot.repair.ports import Workspace
from bot.repair.types import Base, Patch, Selection
from bot.settings import Settings, load
from bot.wiring import application
from sandbox.spec import Outcome, TestResult, TestRun

ENDLESS = "riverside/endless"
MOMENT = 0.6
LONGEST = 300.0
STEADY = 60
"""Tests beside the three that matter, which pass whatever is done."""


def suite(files: Mapping[str, bytes]) -> dict[str, TestResult]:
    """What the tests do with this source."""
    steady = (f"tests/test_steady.py::test_{number:02}" for number in range(STEADY))
    return grading(files) | {node_id: TestResult(node_id, Outcome.PASSED) for node_id in steady}


@dataclass(frozen=True)
class PatientWorkspace(GradingWorkspace):
    """Takes its time."""

    stopped: threading.Event = field(default_factory=threading.Event)

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        """Every test run of the loop comes by here."""
        if self.stopped.wait(LONGEST if base.repository == ENDLESS else MOMENT):
            raise EngineDownError("The run was stopped", "Retry it.")
        return super().evaluate(base, patches, selection)

    def _at(self, base: Base) -> ScriptedWorkspace:
        tree = self.trees.tree(base.repository, base.commit)
        return ScriptedWorkspace({path: file.data for path, file in tree.items()}, suite)


@dataclass(frozen=True)
class PatientSandbox:
    """A `JobSandbox`."""

    workspace: Workspace
    environments: Environments
    stopped: threading.Event

    def stop(self) -> None:
        """End the suite that runs."""
        self.stopped.set()

    def close(self) -> None:
        """There is nothing to close."""


def sandbox_for(_settings: Settings, trees: Trees, _identify: Callable[[str], str]) -> PatientSandbox:
    """One for each job."""
    stopped = threading.Event()
    return PatientSandbox(PatientWorkspace(RecentTrees(trees), stopped), ScriptedEnvironments(), stopped)


def main() -> None:
    """Work until a signal comes."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    worker = application.worker(load(), sandbox_for)
    # There is no container engine: nothing to try and nothing to clean up.
    trusting: Any = SimpleNamespace(require=lambda: SimpleNamespace(version="none", runtimes=()))
    idle: Any = SimpleNamespace(sweep=lambda _now: time.sleep(0))
    work(cast("application.Worker", replace(worker, containment=trusting, reaper=idle)), stop)


if __name__ == "__main__":
    main()
