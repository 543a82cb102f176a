"""The running product: a stage is what `regreen fix` acts through, with every model behind the cache of replies."""

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bench.loop.found import Stage
from bench.loop.replies import CachedModel, HonestClock
from bench.loop.tasks import BenchTask

from bot.pipeline.ports.job import LoopPorts
from bot.repair.ports import Model
from bot.repair.team.roles import Role
from bot.settings import Settings
from bot.wiring import application
from bot.wiring.sandbox import build_reaper
from sandbox.spec import Tree

SIGNALLED = 128
"""Added to a signal's number in an exit status, as shells do."""


@dataclass(frozen=True, slots=True)
class OneTree:
    """`bot.pipeline.ports.job.Trees` over one task."""

    task: BenchTask

    def tree(self, repository: str, commit: str) -> Tree:
        """The task's, whatever it is called."""
        del repository, commit
        return self.task.tree


class Product:
    """`Stages` over the composition root and this machine's container engine."""

    @contextmanager
    def open(
        self, task: BenchTask, settings: Settings, log: Path, replies: Path
    ) -> Iterator[tuple[Stage, HonestClock, tuple[CachedModel, ...]]]:
        """Prepare the environment, which later stages of the same set find ready."""
        local = application.local(settings, OneTree(task), log)
        try:
            base = local.sandbox.environments.prepare(task.repository, task.commit, task.given)
            ports, models = behind(local.ports, lambda model: CachedModel(model, replies))
            clock = HonestClock(ports.clock, models)
            stage = Stage(base, replace(ports, clock=clock), local.terms)
            yield stage, clock, models
        finally:
            local.sandbox.close()


def begin(settings: Settings) -> None:
    """Remove what a measurement that was killed left on the engine, and end in order when this one is."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(SIGNALLED + number))
    build_reaper(settings).sweep(time.time())


def behind(ports: LoopPorts, cached: Callable[[Model], CachedModel]) -> tuple[LoopPorts, tuple[CachedModel, ...]]:
    """The same ports with every role's model behind a cache, and those caches."""
    caches: list[CachedModel] = []

    def wrap(_: Role, model: Model) -> CachedModel:
        caches.append(cached(model))
        return caches[-1]

    models = ports.models.each(wrap)
    return replace(ports, models=models), tuple(caches)
