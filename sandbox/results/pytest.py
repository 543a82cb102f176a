"""Runs of pytest 6 to 9, reported by our plugin and cross-checked against the exit code."""

import json

from sandbox.results import session
from sandbox.results.plan import MOUNT, Plan
from sandbox.spec import File, Recipe, RunResult, TestRun

NOTHING_COLLECTED = 5


def plan(recipe: Recipe, node_ids: tuple[str, ...], nonce: str) -> Plan:
    """The recipe's command with our plugin; the node ids go in a file, so that any number of them fits."""
    home = f"/{MOUNT}/{nonce}"
    # A recipe that sets PYTHONPATH itself keeps it.
    command = [
        word.replace("PYTHONPATH=", f"PYTHONPATH={home}:", 1) if word.startswith("PYTHONPATH=") else word
        for word in recipe.test_command
    ]
    return Plan(
        ("env", f"PYTHONPATH={home}", *command, "-p", module(nonce)),
        {**plugin(nonce), f"{nonce}/selection.json": File(json.dumps(node_ids or None).encode())},
    )


def module(nonce: str) -> str:
    """The plugin's module name."""
    return f"regreen_{nonce}"


def plugin(nonce: str) -> dict[str, File]:
    """The plugin's file."""
    return {f"{nonce}/{module(nonce)}.py": session.guest("pytest_plugin.py")}


def parse(result: RunResult, nonce: str) -> TestRun:
    """What the container's end and the plugin's file prove together."""
    return session.parse(result, nonce, (NOTHING_COLLECTED,), canaries=True)
