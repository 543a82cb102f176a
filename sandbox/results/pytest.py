"""Runs of pytest 6 to 9, reported by our plugin and cross-checked against the exit code."""

import hashlib
import hmac
import json
from dataclasses import replace

from sandbox.results import session, starting
from sandbox.results.plan import MOUNT, Plan, unproven
from sandbox.spec import File, Recipe, RunResult, RunState, TestRun

NOTHING_COLLECTED = 5
_SEAL = b'{"kind": "seal"'


def plan(recipe: Recipe, node_ids: tuple[str, ...], nonce: str, seed: int | None = None) -> Plan:
    """The recipe's pytest, started by our launcher; the node ids go in a file, so that any number of them fits.

    The nonce goes there too, as the key that seals the results; names show only its digest. A command that the
    launcher cannot stand in for stays, and loads it as a plugin.
    """
    name = public(nonce)
    home = f"/{MOUNT}/{name}"
    launcher = f"regreen_start_{name}"
    found = starting.start(recipe.test_command)
    selection = {"node_ids": node_ids or None, "seed": seed, "key": nonce}
    selection |= {"program": None, "in_path": False, "path": None}
    if found is None:
        # A recipe that sets PYTHONPATH itself keeps it.
        own = (word.replace("PYTHONPATH=", f"PYTHONPATH={home}:", 1) for word in recipe.test_command)
        pairs = zip(recipe.test_command, own, strict=True)
        words = [new if old.startswith("PYTHONPATH=") else old for old, new in pairs]
        command = ("env", f"PYTHONPATH={home}", *words, "-p", launcher)
    else:
        selection |= {"program": found.program, "in_path": found.in_path, "path": found.path}
        # Empty, it is as good as unset: the interpreter starts without any place of the repository.
        command = ("env", "PYTHONPATH=", *found.interpreter, f"{home}/{launcher}.py", *found.arguments)
    tree = {
        **plugin(name),
        f"{name}/{launcher}.py": session.guest("pytest_start.py"),
        f"{name}/selection.json": File(json.dumps(selection).encode()),
    }
    return Plan(command, tree)


def module(nonce: str) -> str:
    """The plugin's module name."""
    return f"regreen_{nonce}"


def plugin(nonce: str) -> dict[str, File]:
    """The plugin's files."""
    return {
        f"{nonce}/{module(nonce)}.py": session.guest("pytest_plugin.py"),
        f"{nonce}/regreen_locals_{nonce}.py": session.guest("pytest_locals.py"),
        f"{nonce}/regreen_raised_{nonce}.py": session.guest("python_raised.py"),
    }


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
