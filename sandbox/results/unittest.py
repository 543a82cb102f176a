"""Runs of `python -m unittest`, which our runner takes the place of."""

import json
import shlex
from itertools import pairwise

from sandbox.errors import DetectionError
from sandbox.results import session
from sandbox.results.plan import MOUNT, Plan
from sandbox.spec import File, Recipe, RunResult, TestRun

NOTHING_COLLECTED = 5


def plan(recipe: Recipe, node_ids: tuple[str, ...], nonce: str, seed: int | None = None) -> Plan:
    """The recipe's command with our runner for unittest, and its arguments as they are. Raises `DetectionError`."""
    runner = f"{nonce}/regreen_{nonce}.py"
    command = list(recipe.test_command)
    pairs = enumerate(pairwise(command))
    at = next((at for at, words in pairs if words == ("-m", "unittest")), None)
    if at is None:
        raise DetectionError(f"`{shlex.join(command)}` does not start unittest", "Name `python -m unittest`.")
    command[at : at + 2] = [f"/{MOUNT}/{runner}"]
    # Set empty, it leaves the interpreter no place of the repository to start from; the runner sets it.
    paths = [word.partition("=")[2] for word in command[:at] if word.startswith("PYTHONPATH=")]
    command = [
        "env",
        "PYTHONPATH=",
        *(word for word in command if word not in {f"PYTHONPATH={path}" for path in paths}),
    ]
    selection = {"node_ids": node_ids or None, "seed": seed, "path": paths[-1] if paths else None}
    tree = {
        runner: session.guest("unittest_runner.py"),
        f"{nonce}/python_raised.py": session.guest("python_raised.py"),
        f"{nonce}/unittest_watched.py": session.guest("unittest_watched.py"),
        f"{nonce}/selection.json": File(json.dumps(selection).encode()),
    }
    return Plan(tuple(command), tree)


def parse(result: RunResult, nonce: str) -> TestRun:
    """What the container's end and the runner's file prove together."""
    return session.parse(result, nonce, (NOTHING_COLLECTED,))
