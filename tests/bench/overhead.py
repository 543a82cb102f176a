"""What a run costs over the plain container that it stands for, in turns; and how a run ends at its deadline."""

import os
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.subjects import InvalidMeasurementError

from sandbox.containers.ahead import Ahead
from sandbox.containers.archive import pack
from sandbox.containers.engine import DockerEngine
from sandbox.containers.upload import MOUNT, Packed, upload
from sandbox.spec import MIB, File, Limits, RunResult, RunSpec, Tree, Verdict

TREE: Tree = {f"src/m{number}.py": File(b"value = 1\n" * 200) for number in range(200)}
CHANGED = "src/m7.py"
NOTHING = ("true",)
LIMITS = Limits(wall_seconds=60.0)
DEADLINE = 0.4
DEADLINE_LIMITS = Limits(wall_seconds=DEADLINE, memory=256 * MIB, output_total=1 << 50)
MARK = "regreen-bench-proof"
TRAPS = "trap '' TERM INT HUP QUIT; while :; do sleep 1; done"
UNTIL_KILLED = {
    "sleeping": ("sleep", "1000"),
    "flooding": ("sh", "-c", "yes & yes >&2 & wait"),
    "deaf to signals": ("sh", "-c", TRAPS, MARK),
    "detached": ("sh", "-c", f'for i in 1 2 3; do setsid sh -c "{TRAPS}" {MARK} & done; wait'),
}
SLEEP = ("sleep", "1")


def docker_run(docker_host: str, image: str, runtime: str | None) -> float:
    """Seconds of `docker run --rm` of the command that does nothing, without a network as ours."""
    options = ("--runtime", runtime) if runtime else ()
    argv = ["docker", "--host", docker_host, "run", "--rm", "--network", "none", *options, image, *NOTHING]
    begin = time.monotonic()
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        raise InvalidMeasurementError(f"docker run ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return time.monotonic() - begin


def sandbox_run(engine: DockerEngine, image: str, runtime: str | None) -> float:
    """Seconds of a run of the same command: 200 files go in, results come back, the container is gone."""
    begin = time.monotonic()
    expect(engine.run(spec(image, NOTHING, LIMITS, runtime), pack({"repo": TREE})), Verdict.EXITED)
    return time.monotonic() - begin


def waiting_run(ahead: Ahead, image: str, base: Packed, think_seconds: float) -> float:
    """Seconds of the same run where its container was made while a model thought for `think_seconds`."""
    mine = spec(image, NOTHING, LIMITS, None)
    ahead.prepare(mine, base)
    time.sleep(think_seconds)
    begin = time.monotonic()
    expect(ahead.run(mine, upload(base, {MOUNT: {**TREE, CHANGED: File(b"value = 2\n")}})), Verdict.EXITED)
    return time.monotonic() - begin


def past_deadline(engine: DockerEngine, image: str, command: tuple[str, ...], runtime: str | None) -> float:
    """Seconds from a run's deadline until it returned, when nothing of it lives any more."""
    result = engine.run(spec(image, command, DEADLINE_LIMITS, runtime), pack({"repo": {}}))
    expect(result, Verdict.TIMEOUT)
    if any(MARK in _command_line(process) for process in Path("/proc").glob("[0-9]*")):
        raise InvalidMeasurementError("A process of a run lives on after the run has returned")
    return result.seconds - DEADLINE


def side_by_side(engine: DockerEngine, image: str, runs: int, at_once: int) -> float:
    """Seconds for so many runs of one second each, so many at once."""

    def one(_: int) -> None:
        expect(engine.run(spec(image, SLEEP, LIMITS, None), pack({"repo": TREE})), Verdict.EXITED)

    begin = time.monotonic()
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(one, range(runs)))
    return time.monotonic() - begin


def in_turns(ways: dict[str, Callable[[], float]], repeat: int) -> dict[str, list[float]]:
    """The figures of each way; one round is not counted, and each round goes through all of them."""
    found: dict[str, list[float]] = {way: [] for way in ways}
    for number in range(repeat + 1):
        for way, once in ways.items():
            seconds = once()
            if number:
                found[way].append(seconds)
    return found


def spec(image: str, command: tuple[str, ...], limits: Limits, runtime: str | None) -> RunSpec:
    """A run of our own, found by its label."""
    return RunSpec(f"bench-{os.getpid()}-{time.monotonic_ns()}", image, command, limits=limits, runtime=runtime)


def expect(result: RunResult, verdict: Verdict) -> None:
    """Raise `InvalidMeasurementError` for a run that did not do what is measured."""
    if result.verdict is not verdict or (verdict is Verdict.EXITED and result.exit_code != 0):
        raise InvalidMeasurementError(f"A run ended {result.verdict} {result.exit_code}: {result.output[-300:]!r}")


def _command_line(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""
