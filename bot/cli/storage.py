"""The commands about what is kept: the database's schema, backups."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.reporting import Json, progress, reported, show


def migrate(
    to: Annotated[str, typer.Option(metavar="SCHEMA", help="Up or back to this schema; back needs --lose-data.")] = "",
    lose: Annotated[
        bool, typer.Option("--lose-data", help="Going back may drop what the older schema has no place for.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Change nothing; exit status 1 unless up to date.")] = False,
    as_json: Json = False,
) -> None:
    """Bring the database up to date. The server and the worker do so too when they start."""
    from bot.commands import migrate as commands  # noqa: PLC0415

    with reported(as_json=as_json) as settings:
        show(commands.check(settings) if check else commands.migrate(settings, to, lose=lose), as_json=as_json)


def backup(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A new file; compressed when its name ends in .gz.")],
    as_json: Json = False,
) -> None:
    """Save queue, runs, logs and results into one file, while everything runs. Holds no keys and no settings."""
    from bot.commands import backup as commands  # noqa: PLC0415

    with reported(as_json=as_json) as settings, progress.doing("saving"):
        show(commands.backup(settings, path), as_json=as_json)


def restore(
    path: Annotated[Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="A backup.")],
    as_json: Json = False,
) -> None:
    """Put a backup into an empty data directory, or an empty Postgres database."""
    from bot.commands import backup as commands  # noqa: PLC0415

    with reported(as_json=as_json) as settings, progress.doing("restoring"):
        show(commands.restore(settings, path), as_json=as_json)


def add_to(app: typer.Typer, kind: str) -> None:
    """Make these commands of the command line, listed under `kind`."""
    app.command(rich_help_panel=kind)(migrate)
    app.command(rich_help_panel=kind)(backup)
    app.command(rich_help_panel=kind)(restore)
