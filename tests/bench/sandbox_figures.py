"""`make bench-sandbox`: what a run of the sandbox costs, and how it ends at its deadline.

The last line is one JSON document, all figures in seconds. `docker_run_s` are plain containers of the same command,
made in turns with the runs; `overhead_s` is what a run takes longer than the plain container before it (`overlapped`:
all of a run whose container was made while a model thought). `upload_s` is what a tree adds to a run, by its size, for
the way that the sandbox sends it; the other ways are printed. `parallel` is how many runs of one second end in a
second, by how many run at once. `deadline_s` is from a deadline to nothing of the run being alive.

The exit status is 1 only when the measurement is invalid. `--repeat N`, `--deadlines N`.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import cycle, islice
from statistics import quantiles
from typing import Any

from bench import overhead, upload
from bench.say import finish, say
from bench.subjects import InvalidMeasurementError
from bench.upload import Upload

from bot.settings import Settings, load
from sandbox.containers.ahead import Ahead
from sandbox.containers.engine import DockerEngine
from sandbox.containers.upload import Packed
from sandbox.errors import SandboxError

GVISOR = "runsc"
OVERHEAD_TARGETS = {"runc": 0.5, GVISOR: 1.0, "overlapped": 0.1}
UPLOAD_TARGET, DEADLINE_TARGET = 2.0, 1.0
THINK_SECONDS = 1.5
AT_ONCE = (1, 2, 4)
RUNS_SIDE_BY_SIDE = 8


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """The 50th, 90th and 99th, interpolated."""
    cuts = quantiles(values, n=100, method="inclusive")
    return {name: round(cuts[at - 1], 3) for name, at in (("p50", 50), ("p90", 90), ("p99", 99))}


def overheads(engine: DockerEngine, settings: Settings, repeat: int) -> dict[str, dict[str, Any]]:
    """`docker_run_s` and `overhead_s`."""
    image, host = settings.sandbox_base_image, settings.docker_host
    base = Packed.of(overhead.TREE)
    ahead = Ahead(engine, 1)
    try:
        found = overhead.in_turns(
            {
                "docker runc": partial(overhead.docker_run, host, image, None),
                "runc": partial(overhead.sandbox_run, engine, image, None),
                f"docker {GVISOR}": partial(overhead.docker_run, host, image, GVISOR),
                GVISOR: partial(overhead.sandbox_run, engine, image, GVISOR),
                "overlapped": partial(overhead.waiting_run, ahead, image, base, THINK_SECONDS),
            },
            repeat,
        )
    finally:
        ahead.close()
    more = {
        name: [ours - theirs for ours, theirs in zip(found[name], found[f"docker {name}"], strict=True)]
        for name in ("runc", GVISOR)
    }
    plain = {name: percentiles(found[f"docker {name}"]) for name in ("runc", GVISOR)}
    return {
        "docker_run_s": plain,
        "overhead_s": {name: percentiles(more.get(name, found[name])) for name in OVERHEAD_TARGETS},
    }


def deadlines(engine: DockerEngine, image: str, count: int) -> dict[str, float]:
    """`deadline_s`: every kind of workload that does not want to end, in turns."""
    commands = islice(cycle(overhead.UNTIL_KILLED.values()), count)
    return percentiles([overhead.past_deadline(engine, image, command, None) for command in commands])


def document(
    figures: Mapping[str, Any], uploads: Mapping[str, Upload], parallel: Mapping[int, float], late: Mapping[str, float]
) -> dict[str, Any]:
    """The last line's content; what a target was missed by can be read in it."""
    sent = {name: round(one.each["sent"], 3) for name, one in uploads.items()}
    missed = [name for name, most in OVERHEAD_TARGETS.items() if figures["overhead_s"][name]["p50"] > most]
    missed += [name for name, seconds in sent.items() if seconds > UPLOAD_TARGET]
    missed += ["deadline"] * (late["p99"] >= DEADLINE_TARGET)
    return {
        **figures,
        "upload_s": sent,
        "parallel": {str(count): round(RUNS_SIDE_BY_SIDE / seconds, 3) for count, seconds in parallel.items()},
        "deadline_s": late,
        "missed": missed,
        "met": not missed,
    }


def table(uploads: Mapping[str, Upload]) -> list[str]:
    """The ways to bring a tree in: seconds for each run, and seconds once for each commit."""
    lines = [f"{'tree':24}{'way':10}{'each run':>10}{'once':>10}"]
    for name, one in uploads.items():
        lines += [f"{name:24}{way:10}{each:10.2f}{one.once.get(way, 0.0):10.2f}" for way, each in one.each.items()]
    return lines


def measure(settings: Settings, repeat: int, count: int) -> dict[str, Any]:
    """Every figure, and the table for people on the way."""
    engine, image = DockerEngine(settings.docker_host), settings.sandbox_base_image
    if GVISOR not in engine.ping().runtimes:
        raise InvalidMeasurementError(f"The engine knows no runtime {GVISOR}")
    figures = overheads(engine, settings, repeat)
    for name, one in figures.items():
        say(f"{name}: {one}")
    uploads = upload.measure(engine, image, max(repeat // 6, 1))
    for line in table(uploads):
        say(line)
    parallel = {at: overhead.side_by_side(engine, image, RUNS_SIDE_BY_SIDE, at) for at in AT_ONCE}
    return document(figures, uploads, parallel, deadlines(engine, image, count))


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 1 when there is no valid figure."""
    parser = argparse.ArgumentParser(prog="make bench-sandbox", description="What a run of the sandbox costs.")
    parser.add_argument("--repeat", type=int, default=30, choices=range(2, 1001), metavar="N", help="rounds")
    parser.add_argument("--deadlines", type=int, default=200, choices=range(2, 10_001), metavar="N", help="runs killed")
    options = parser.parse_args(arguments)
    say(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start")
    return finish(
        lambda: measure(load(), options.repeat, options.deadlines), (InvalidMeasurementError, SandboxError, OSError)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
