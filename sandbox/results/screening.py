"""Many mutants in one container: hints for a search, never verdicts."""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import islice

from sandbox.results import records
from sandbox.results.plan import MOUNT, Plan
from sandbox.results.pytest import module, plugin
from sandbox.spec import File, Recipe, RunResult

NOT_SCREENED = (False, "not screened")

Mutant = Mapping[str, bytes | None]
"""Path → new content, `None` to delete the file."""


def plan(
    recipe: Recipe, node_ids: tuple[str, ...], mutants: Sequence[Mutant], seconds: float, nonce: str
) -> Plan | None:
    """How to screen these mutants within `seconds`; `None` where the recipe does not start pytest directly."""
    split = _split(recipe.test_command)
    if recipe.ecosystem != "python" or split is None:
        return None
    interpreter, arguments, in_path = split
    manifest = {
        "plugin": module(nonce),
        "arguments": arguments,
        "in_path": in_path,
        "selection": node_ids or None,
        "seconds_total": seconds,
        "mutants": [{path: data is not None for path, data in mutant.items()} for mutant in mutants],
    }
    contents = {
        f"mutants/{number}/{path}": File(data)
        for number, mutant in enumerate(mutants)
        for path, data in mutant.items()
        if data is not None
    }
    tree = {
        **plugin(nonce),
        f"{nonce}/screen.py": File(files("sandbox").joinpath("guest/screen.py").read_bytes()),
        f"{nonce}/screen.json": File(json.dumps(manifest).encode()),
        **contents,
    }
    return Plan((*interpreter, f"/{MOUNT}/{nonce}/screen.py"), tree)


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
