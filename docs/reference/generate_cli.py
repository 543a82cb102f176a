"""Prints docs/reference/cli.md from `bot.cli`; `make docs` writes it, a test holds it true."""  # noqa: INP001 - a script beside the pages

import inspect
import sys
from collections.abc import Iterator
from typing import Any

import typer.main

from bot.cli import app
from bot.cli.statuses import MEANINGS

HEAD = """# The command line

This page is written by `make docs` from `bot/cli/`; each command's `--help` says the same. How they are used together
is in [the guide](../guides/command-line.md).

Every command takes `--json`: it then prints one JSON document on standard output, also where it fails:
`{"error": {"kind", "cause", "remedy"}}`. `regreen serve`, `worker` and `smee` go on until they are stopped, and print
one only where they fail; `regreen logs --follow` prints one a line. What is said meanwhile goes to standard error.

## Exit statuses

| status | what it means |
|---|---|
"""
COMMANDS = """
## Commands
"""


def statuses() -> Iterator[str]:
    """One table row a status."""
    for status, meaning in MEANINGS.items():
        yield f"| {status.value} | {meaning} |"


def commands(group: Any, words: str) -> Iterator[str]:
    """A section for each command, in the order of the help."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{words} {name}")
        elif not command.hidden:
            yield from section(command, f"{words} {name}")


def section(command: Any, words: str) -> Iterator[str]:
    """One command: what it does, its arguments and options."""
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option" and "--json" not in one.opts]
    named = " ".join(argument(one) for one in arguments)
    yield f"\n### `{f'{words} {named}'.strip()}`\n"
    yield inspect.cleandoc(command.help or "").replace("\n", " ")
    rows = [f"| `{argument(one)}` | {cell(one)} |" for one in arguments]
    rows += [
        f"| {', '.join(f'`{name}`' for name in (*one.opts, *one.secondary_opts))} | {cell(one)} |" for one in options
    ]
    if rows:
        yield "\n| | |\n|---|---|"
    yield from rows


def argument(one: Any) -> str:
    """As a usage line has it."""
    return str(one.metavar or one.name).upper()


def cell(one: Any) -> str:
    """What it is for, and what counts where it is left out."""
    said = str(one.help or "").replace("|", "\\|")
    default = one.default
    if isinstance(default, bool) or not isinstance(default, str | int | float) or default == "":
        return said
    return f"{said} Default: `{default if isinstance(default, str) else f'{default:g}'}`."


root = typer.main.get_command(app)
sys.stdout.write(HEAD + "\n".join(statuses()) + "\n" + COMMANDS + "\n".join(commands(root, "regreen")) + "\n")
