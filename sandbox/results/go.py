"""Runs of `go test`, whose events our runner turns into a session."""

import json

from sandbox.results import session
from sandbox.results.plan import MOUNT, Plan
from sandbox.spec import File, Recipe, RunResult, TestRun


def plan(recipe: Recipe, node_ids: tuple[str, ...], nonce: str, seed: int | None = None) -> Plan:
    """The recipe's command below our runner; with a seed, in the order that Go makes of it."""
    runner = f"{nonce}/go_runner.py"
    words = list(recipe.test_command)
    if seed is not None and "test" in words:
        words = [word for word in words if word.lstrip("-").removeprefix("test.").partition("=")[0] != "shuffle"]
        words.insert(words.index("test") + 1, f"-shuffle={seed}")
    tree = {
        runner: session.guest("go_runner.py"),
        f"{nonce}/selection.json": File(json.dumps(node_ids or None).encode()),
    }
    return Plan(("python3", "-I", f"/{MOUNT}/{runner}", *words), tree)


def parse(result: RunResult, nonce: str) -> TestRun:
    """What the container's end and the runner's file prove together."""
    return session.parse(result, nonce)
