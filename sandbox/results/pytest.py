"""Runs of pytest 6 to 9, reported by our plugin and cross-checked against the exit code."""

import hashlib
import hmac
import json
from dataclasses import replace

from sandbox.results import session
from sandbox.results.plan import MOUNT, Plan, unproven
from sandbox.spec import File, Recipe, RunResult, RunState, TestRun

NOTHING_COLLECTED = 5
_SEAL = b'{"kind": "seal"'


def plan(recipe: Recipe, node_ids: tuple[str, ...], nonce: str) -> Plan:
    """The recipe's command with our plugin; the node ids go in a file, so that any number of them fits.

    The nonce goes there too, as the key that seals the results; names show only its digest.
    """
    name = public(nonce)
    home = f"/{MOUNT}/{name}"
    # A recipe that sets PYTHONPATH itself keeps it.
    command = [
        word.replace("PYTHONPATH=", f"PYTHONPATH={home}:", 1) if word.startswith("PYTHONPATH=") else word
        for word in recipe.test_command
    ]
    selection = {"node_ids": node_ids or None, "key": nonce}
    return Plan(
        ("env", f"PYTHONPATH={home}", *command, "-p", module(name)),
        {**plugin(name), f"{name}/selection.json": File(json.dumps(selection).encode())},
    )


def module(nonce: str) -> str:
    """The plugin's module name."""
    return f"regreen_{nonce}"


def plugin(nonce: str) -> dict[str, File]:
    """The plugin's file."""
    return {f"{nonce}/{module(nonce)}.py": session.guest("pytest_plugin.py")}


def public(nonce: str) -> str:
    """The name of a run's files, which the workload sees; it does not tell the nonce."""
    return hashlib.sha256(nonce.encode()).hexdigest()[:16]


def parse(result: RunResult, nonce: str) -> TestRun:
    """What the container's end and the plugin's file prove together; whole results count only under their seal."""
    name = public(nonce)
    body, seal = _split(result.results.get(f"{name}.jsonl", b""))
    unsealed = replace(result, results={f"{name}.jsonl": body})
    run = session.parse(unsealed, name, (NOTHING_COLLECTED,), canaries=True)
    if run.state is RunState.COMPLETE and not hmac.compare_digest(seal, _seal(body, nonce)):
        return unproven(RunState.INCONSISTENT, result)
    return run


def sealed(body: bytes, nonce: str) -> bytes:
    """The file as the plugin writes it."""
    return body + _seal(body, nonce)


def _seal(body: bytes, nonce: str) -> bytes:
    mac = hmac.new(nonce.encode(), body, "sha256").hexdigest()
    return json.dumps({"kind": "seal", "mac": mac}).encode() + b"\n"


def _split(data: bytes) -> tuple[bytes, bytes]:
    """The file without its last line, if that is a seal, and that line."""
    start = data.rfind(b"\n", 0, max(len(data) - 1, 0)) + 1
    return (data[:start], data[start:]) if data.startswith(_SEAL, start) else (data, b"")
