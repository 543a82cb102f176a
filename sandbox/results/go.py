"""Runs of `go test`, whose events our runner turns into a session."""

import json

from sandbox.results import session
from sandbox.results.plan import MOUNT, Plan
from sandbox.spec import File, Recipe, RunResult, TestRun


def plan(recipe: Recipe, node_ids: tuple[str, ...], nonce: str) -> Plan:
    """The recipe's command below our runner."""
    runner = f"{nonce}/go_runner.py"
    tree = {
        runner: session.guest("go_runner.py"),
        f"{nonce}/selection.json": File(json.dumps(node_ids or None).encode()),
    }
    return Plan(("python3", "-I", f"/{MOUNT}/{runner}", *recipe.test_command), tree)


def parse(result: RunResult, nonce: str) -> TestRun:
    """What the container's end and the runner's file prove together."""
    return session.parse(result, nonce)
