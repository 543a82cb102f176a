"""How a tree gets into a container: several ways, several sizes, the seconds that each adds to a run.

The ways: `packed` packs the tree for every run and sends it; `sent` sends a tar that was packed once; `layer` puts the
tree into an image once and copies it into /repo at each run. What is done once is a figure of its own.
"""

import io
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

from bench.subjects import InvalidMeasurementError

from sandbox.containers.archive import pack
from sandbox.containers.engine import DockerEngine
from sandbox.spec import MIB, File, Limits, RunSpec, Tree, Verdict

TREES = {"100 files, 1 MB": (100, 1), "1,000 files, 20 MB": (1_000, 20), "10,000 files, 200 MB": (10_000, 200)}
REFERENCE = "regreen-bench-upload:layer"
LIMITS = Limits(wall_seconds=120.0, tree=1024 * MIB)
COUNT = "test $(find /repo -type f | wc -l) -eq {}"


@dataclass(frozen=True, slots=True)
class Upload:
    """Seconds that a tree adds to a run, by the way it takes, and seconds that are spent once for a commit."""

    each: Mapping[str, float]
    once: Mapping[str, float]


def tree_of(files: int, megabytes: int) -> Tree:
    """Text-like files of one size; each is different."""
    size = megabytes * 1_000_000 // files
    line = b"a line of source code that is about as long as lines are, number %08d\n"
    return {
        f"src/p{number // 100}/m{number}.py": File((line % number * (size // len(line) + 1))[:size])
        for number in range(files)
    }


def measure(engine: DockerEngine, image: str, repeat: int) -> dict[str, Upload]:
    """Medians over `repeat` runs, less what an empty tree takes; the ways take turns."""
    return {name: _measured(engine, image, tree_of(*size), repeat) for name, size in TREES.items()}


def _measured(engine: DockerEngine, image: str, tree: Tree, repeat: int) -> Upload:
    begin = time.monotonic()
    archive = b"".join(pack({"repo": tree}))
    packing = time.monotonic() - begin
    begin = time.monotonic()
    engine.layer(image, io.BytesIO(b"".join(pack({"base": tree}))), REFERENCE, {})
    layering = time.monotonic() - begin
    check = COUNT.format(len(tree))
    ways: dict[str, Callable[[], float]] = {
        "empty": lambda: _run(engine, image, "true", b"".join(pack({"repo": {}}))),
        "packed": lambda: _run(engine, image, check, b"".join(pack({"repo": tree}))),
        "sent": lambda: _run(engine, image, check, archive),
        "layer": lambda: _run(engine, REFERENCE, f"cp -r /base/. /repo && {check}", b"".join(pack({"repo": {}}))),
    }
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    try:
        for _ in range(repeat):
            for way, once in ways.items():
                begin = time.monotonic()
                once()
                seconds[way].append(time.monotonic() - begin)
    finally:
        engine.remove_image(REFERENCE)
    nothing = median(seconds.pop("empty"))
    each = {way: median(found) - nothing for way, found in seconds.items()}
    return Upload(each, {"sent": packing, "layer": layering})


def _run(engine: DockerEngine, image: str, command: str, archive: bytes) -> float:
    spec = RunSpec(f"bench-{os.getpid()}-{time.monotonic_ns()}", image, ("sh", "-c", command), limits=LIMITS)
    result = engine.run(spec, [archive])
    if result.verdict is not Verdict.EXITED or result.exit_code != 0:
        raise InvalidMeasurementError(f"A run ended {result.verdict} {result.exit_code}: {result.output[-300:]!r}")
    return result.seconds
