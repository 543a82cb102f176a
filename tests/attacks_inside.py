"""Hostile programs for the sandbox, and what they tell of their attempts."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from sandbox.spec import MIB, File, Limits, RunResult

PROGRAMS = Path(__file__).parent / "attacks" / "programs"
SMALL = Limits(
    wall_seconds=60, memory=96 * MIB, pids=256, tree=4 * MIB, scratch=4 * MIB, inodes=2000, results=1 * MIB,
    output_total=1 * MIB,
)  # fmt: skip
FEW_PIDS = 64
"""For runc. gVisor's own threads are counted too; where they run out it ends, with code 2 and nothing said."""
ENVIRONMENT = (("PATH", "/usr/bin:/bin"), ("HOME", "/tmp"), ("PYTHONDONTWRITEBYTECODE", "1"))  # noqa: S108 (the container's)

Attack = Callable[..., RunResult]
Told = Mapping[str, tuple[bool, str]]


def program_tree() -> dict[str, File]:
    """Every program, so that each finds `attempts` beside it."""
    return {path.name: File(path.read_bytes()) for path in PROGRAMS.glob("*.py")}


def told(result: RunResult) -> Told:
    """What a program said of its attempts: name → whether it came through, and what it saw."""
    found: dict[str, tuple[bool, str]] = {}
    for line in result.output.splitlines():
        if line.startswith(b'["'):
            name, done, detail = json.loads(line)
            found[name] = done, detail
    return found


def came_through(result: RunResult) -> dict[str, str]:
    """The attempts that did, with what they saw."""
    return {name: detail for name, (done, detail) in told(result).items() if done}


def processes(*needles: str) -> list[int]:
    """The host's processes, other than this one, whose command line holds one of these words."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if int(entry.name) != os.getpid() and any(needle.encode() in line for needle in needles):
            found.append(int(entry.name))
    return found
