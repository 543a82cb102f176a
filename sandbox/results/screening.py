"""Many mutants in one container: hints for a search, never verdicts. They are sent as splices of the base's files."""

import base64
import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import islice

from sandbox.results import records, session
from sandbox.results.plan import MOUNT, Plan
from sandbox.results.pytest import module, plugin
from sandbox.spec import File, Recipe, RunResult, Tree

NOT_SCREENED = (False, "not screened")

Mutant = Mapping[str, bytes | None]
"""Path → new content, `None` to delete the file."""


def plan(
    recipe: Recipe, node_ids: tuple[str, ...], base: Tree, mutants: Sequence[Mutant], seconds: float, nonce: str
) -> Plan | None:
    """How to screen mutants of `base` within `seconds`; `None` where the recipe does not start pytest directly."""
    split = _split(recipe.test_command)
    if recipe.ecosystem != "python" or split is None:
        return None
    interpreter, arguments, in_path = split
    nothing = File(b"")
    manifest = {
        "plugin": module(nonce),
        "arguments": arguments,
        "in_path": in_path,
        "selection": node_ids or None,
        "seconds_total": seconds,
        "mutants": [
            {path: _spliced(base.get(path, nothing).data, data) for path, data in mutant.items()} for mutant in mutants
        ],
    }
    tree = {
        **plugin(nonce),
        f"{nonce}/screen.py": session.guest("screen.py"),
        f"{nonce}/regreen_warm.py": session.guest("regreen_warm.py"),
        f"{nonce}/screen.json": File(json.dumps(manifest).encode()),
    }
    return Plan((*interpreter, f"/{MOUNT}/{nonce}/screen.py"), tree)


def _spliced(old: bytes, new: bytes | None) -> tuple[int, int, str] | None:
    """Where the two differ in `old`, and what is there in `new`; `None` for a file that is deleted."""
    if new is None:
        return None
    most = min(len(old), len(new))
    start = bisect_left(range(most), True, key=lambda end: old[: end + 1] != new[: end + 1])  # noqa: FBT003 (a value)
    old_end, new_end = old[start:], new[start:]
    kept = bisect_left(
        range(most - start),
        True,  # noqa: FBT003 (a value)
        key=lambda length: old_end[-length - 1 :] != new_end[-length - 1 :],
    )
    middle = new[start : len(new) - kept]
    return start, len(old) - kept, base64.b64encode(middle).decode("ascii")


def parse(result: RunResult, count: int, nonce: str) -> tuple[tuple[bool, str], ...]:
    """For each mutant whether it is plausible, and why not; what is missing or odd counts as not screened."""
    lines = records.lines(result.results.get(f"{nonce}.jsonl", b""))
    found = [_read(line) for line in islice(lines, count)]
    return (*found, *[NOT_SCREENED] * (count - len(found)))


def _read(line: bytes) -> tuple[bool, str]:
    try:
        record = records.parsed(line)
        detail = records.string(record, "detail", records.MAX_TEXT)
        return record["plausible"] is True, detail
    except (ValueError, TypeError, AttributeError, KeyError):
        return NOT_SCREENED


def _split(command: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...], bool] | None:
    """Interpreter with its environment, pytest's arguments, and whether `python -m` puts /repo on the path."""
    start = next((number for number, word in enumerate(command) if word != "env" and "=" not in word), len(command))
    prefix = ("env", *command[:start]) if start and command[0] != "env" else command[:start]
    match command[start:]:
        case ["pytest" | "py.test", *arguments]:
            return (*prefix, "python3"), tuple(arguments), False
        case [python, "-m", "pytest", *arguments] if python.rpartition("/")[2].startswith("python"):
            return (*prefix, python), tuple(arguments), True
        case _:
            return None
