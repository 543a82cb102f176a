"""What is done to the workers while they fix, case by case; each gives the subjects that must look untouched by it."""

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from bench.storm_acts import Plot
from chaos.holds import hold, steps_of
from chaos.stage import Machine, Stage, place_of

from bot.demo.processes import DemoError

HOLD_SECONDS = 300.0
END_SECONDS = 600.0
DRAIN_SECONDS = 60.0
CLOCK_SECONDS = 40.0
"""How wrong a clock goes; GitHub refuses an App whose clock is a minute ahead."""
MARGIN_SECONDS = 3.0

Plots = tuple[Plot, ...]


def undisturbed(stage: Stage) -> Plots:
    """Nothing: two issues of one repository, and one of each of two others."""
    busy = stage.repository()
    plots = (stage.issue(busy), stage.issue(busy), *_singles(stage, 2))
    _require(stage, plots, "fixed")
    return plots


def killed_at(stage: Stage, step: int, issues: int) -> Plots:
    """A worker is killed when a step has had its effect and its record is not kept yet."""
    stage.muster_two()
    with _held(stage, step, issues) as (machine, plots):
        stage.kill(machine)
    stage.start(machine)
    return plots


def all_killed(stage: Stage, step: int) -> Plots:
    """Every worker is killed at once; others come."""
    with _held(stage, step, 2) as (_, held):
        plots = (*held, *_singles(stage, 3))
        for machine in stage.machines.values():
            stage.kill(machine)
    stage.muster()
    _require(stage, plots, "fixed")
    return plots


def cut_off(stage: Stage, step: int, seconds: float, *, reset: bool) -> Plots:
    """A worker loses Postgres in a step; its jobs go on elsewhere before what it sent arrives, late."""
    with _held(stage, step, 2) as (machine, plots):
        begun = time.time()
        machine.proxy.cut()
    plots = (*plots, *_singles(stage, 1))
    try:
        _require(stage, plots, f"taken over from {machine.name}, which is cut off")
        time.sleep(max(0.0, begun + seconds - time.time()))
    finally:
        machine.proxy.mend(reset=reset)
        stage.cuts.append((begun - MARGIN_SECONDS, time.time()))
    time.sleep(stage.lease)
    stage.muster()
    return plots


def paused(stage: Stage, step: int) -> Plots:
    """A worker's machine stands still for longer than its lease, and goes on as if nothing had been."""
    with _held(stage, step, 2) as (machine, plots):
        begun = time.time()
        stage.signal(machine, signal.SIGSTOP)
    try:
        _require(stage, plots, f"taken over from {machine.name}, which stands still")
    finally:
        stage.signal(machine, signal.SIGCONT)
        stage.cuts.append((begun - MARGIN_SECONDS, time.time()))
    time.sleep(stage.lease)
    stage.muster()
    return plots


def drained(stage: Stage, step: int) -> Plots:
    """A worker is stopped in good order in a step; it ends that one, and others the job, sooner than a lease lasts."""
    with _held(stage, step, 2) as (machine, plots):
        stage.signal(machine, signal.SIGTERM)
        time.sleep(0.5)
    try:
        code = stage.stop(machine, DRAIN_SECONDS)
    except subprocess.TimeoutExpired:
        raise DemoError(f"worker {machine.name} did not end within {DRAIN_SECONDS:.0f} s") from None
    if code:
        raise DemoError(f"worker {machine.name} ended with exit code {code}")
    _require(stage, plots, "fixed by others")
    stage.muster()
    return plots


def restarted(stage: Stage, step: int, down: float, *, crash: bool) -> Plots:
    """Postgres goes down, or crashes, in the middle of several fixes, and comes back after `down` seconds."""
    busy = stage.repository()
    plots = (stage.issue(busy), stage.issue(busy), *_singles(stage, 3))
    stage.until("some steps", partial(_came_to, stage, plots[0], step // 2), HOLD_SECONDS)
    begun = time.time()
    stage.cluster.stop(crash=crash)
    time.sleep(down)
    stage.cluster.start()
    stage.cuts.append((begun - MARGIN_SECONDS, time.time() + stage.lease))
    _require(stage, plots, "fixed after Postgres came back")
    stage.muster()
    return plots


def wrong_clocks(stage: Stage, step: int) -> Plots:
    """One machine's clock is ahead, another's behind: nobody takes a living worker's jobs; a dead one's are taken."""
    for machine in stage.machines.values():
        stage.stop(machine, DRAIN_SECONDS)
    ahead, behind, _ = stage.machines.values()
    ahead.clock, behind.clock = CLOCK_SECONDS, -CLOCK_SECONDS
    try:
        stage.muster()
        busy = stage.repository()
        calm = (stage.issue(busy), stage.issue(busy), *_singles(stage, 4))
        _require(stage, calm, "fixed with wrong clocks")
        if taken := [place_of(plot) for plot in calm if stage.started(plot) != 1]:
            raise DemoError(f"taken from workers that live: {taken}")
        with _held(stage, step, 2) as (machine, plots):
            stage.kill(machine)
        stage.start(machine)
        _require(stage, plots, "taken over with wrong clocks")
    finally:
        for machine in stage.machines.values():
            machine.clock = 0.0
            if machine.worker is not None:
                stage.stop(machine, DRAIN_SECONDS)
        stage.muster()
    return (*calm, *plots)


@contextmanager
def _held(stage: Stage, step: int, issues: int) -> Iterator[tuple[Machine, Plots]]:
    """The machine that fixes the first of so many issues of one repository, held at a step until the block ends."""
    repository = stage.repository()
    with hold(stage.database, f"{repository}:issue-1:", step) as held:
        plots = tuple(stage.issue(repository) for _ in range(issues))
        yield stage.holder(held.client_port(HOLD_SECONDS)), plots


def _singles(stage: Stage, count: int) -> Plots:
    return tuple(stage.issue(stage.repository()) for _ in range(count))


def _came_to(stage: Stage, plot: Plot, step: int) -> bool:
    return len(steps_of(stage.database, place_of(plot))) >= step


def _require(stage: Stage, plots: Plots, what: str) -> None:
    if not stage.await_ends(plots, END_SECONDS):
        raise DemoError(f"{stage.open_runs(plots)} of {len(plots)} were not {what} within {END_SECONDS:.0f} s")
