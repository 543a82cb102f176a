"""The commands about policy files."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.grammar import Commands
from bot.cli.reporting import Json, reported, show

policy = typer.Typer(cls=Commands, no_args_is_help=True, help="A repository's policy file, .github/regreen.yml.")


@policy.command()
def check(
    path: Annotated[Path, typer.Argument(help="The file, or the repository that has it.")] = Path(
        ".github/regreen.yml"
    ),
    as_json: Json = False,
) -> None:
    """Say what is wrong with a policy file, each fault with its line, before it is pushed."""
    from bot.commands import policy as commands  # noqa: PLC0415

    with reported(as_json=as_json):
        show(commands.check(path), as_json=as_json)


@policy.command("schema")
def print_schema(as_json: Json = False) -> None:
    """Print the JSON Schema that editors check policy files with; it is one document, with --json and without."""
    from bot.commands import policy as commands  # noqa: PLC0415

    with reported(as_json=as_json):
        typer.echo(commands.printed(), nl=False)


def add_to(app: typer.Typer, kind: str) -> None:
    """Give the command line these commands, listed under `kind`."""
    app.add_typer(policy, name="policy", rich_help_panel=kind)
