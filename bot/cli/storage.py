"""The commands about what is kept: the database's schema, backups."""

from typing import Annotated

import typer

from bot.cli.reporting import Json, reported, show


def migrate(
    to: Annotated[str, typer.Option(metavar="SCHEMA", help="Up or back to this schema; back loses data.")] = "",
    check: Annotated[bool, typer.Option("--check", help="Change nothing; exit status 1 unless up to date.")] = False,
    as_json: Json = False,
) -> None:
    """Bring the database up to date. The server and the worker do so too when they start."""
    from bot.commands import migrate as commands  # noqa: PLC0415

    with reported(as_json=as_json) as settings:
        show(commands.check(settings) if check else commands.migrate(settings, to), as_json=as_json)


def add_to(app: typer.Typer, kind: str) -> None:
    """Make these commands of the command line, listed under `kind`."""
    app.command(rich_help_panel=kind)(migrate)
