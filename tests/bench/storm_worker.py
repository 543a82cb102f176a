"""The storm's worker: the real one with its durable engine, over a workspace without containers.

`python -m bench.storm_worker`, configured by REGREEN_* as `regreen worker` is. What a suite does follows from the
sources of the commit, which come from the stand-in's git server as ever.
"""

import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, cast

from fakes_fix import ScriptedEnvironments, grading
from fakes_workspace import ScriptedWorkspace

from bot.adapters.trees import RecentTrees
from bot.commands.worker import work
from bot.pipeline.ports.job import Environments, Trees
from bot.repair.localisation.observed import Covered, Observation, Probe
from bot.repair.ports import Workspace
from bot.repair.types import Base, Patch, Screening, Selection, SourceFile
from bot.settings import Settings, load
from bot.wiring import application
from sandbox.spec import TestRun


@dataclass(frozen=True)
class GradingWorkspace:
    """`ScriptedWorkspace` over the tree of each commit."""

    trees: Trees

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        return self._at(base).evaluate(base, patches, selection)

    def screen(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[Screening, ...]:
        return self._at(base).screen(base, patches, selection)

    def coverage(self, base: Base, patch: Patch, selection: Selection) -> tuple[Covered, ...]:
        return self._at(base).coverage(base, patch, selection)

    def trace(self, base: Base, patch: Patch, node_id: str, probes: tuple[Probe, ...]) -> tuple[Observation, ...]:
        return self._at(base).trace(base, patch, node_id, probes)

    def read(self, base: Base, paths: tuple[str, ...]) -> tuple[SourceFile, ...]:
        return self._at(base).read(base, paths)

    def paths(self, base: Base) -> tuple[str, ...]:
        return self._at(base).paths(base)

    def links(self, base: Base) -> tuple[tuple[str, str], ...]:
        return self._at(base).links(base)

    def _at(self, base: Base) -> ScriptedWorkspace:
        tree = self.trees.tree(base.repository, base.commit)
        return ScriptedWorkspace({path: file.data for path, file in tree.items()}, grading)


@dataclass(frozen=True)
class GradingSandbox:
    """A `JobSandbox`."""

    workspace: Workspace
    environments: Environments

    def stop(self) -> None:
        """There is nothing to stop: no test of this suite takes any time."""

    def close(self) -> None:
        """There is nothing to close."""


def sandbox_for(_settings: Settings, trees: Trees, _identify: Callable[[str], str]) -> GradingSandbox:
    return GradingSandbox(GradingWorkspace(RecentTrees(trees)), ScriptedEnvironments())


def main() -> None:
    """Work until a signal comes."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    worker = application.worker(load(), sandbox_for)
    # There is no container engine: nothing to try and nothing to clean up.
    trusting: Any = SimpleNamespace(require=lambda: SimpleNamespace(version="none", runtimes=()))
    idle: Any = SimpleNamespace(sweep=lambda _now: None)
    work(cast("application.Worker", replace(worker, containment=trusting, reaper=idle)), stop)


if __name__ == "__main__":
    main()
