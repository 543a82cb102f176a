"""How the command line is read: wrong usage told like every other error, and help that is plain text everywhere."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import typer
from typer.core import TyperGroup

from bot.cli.output import OutputError, is_open, prepare
from bot.cli.reporting import complain, dump, fault
from bot.cli.statuses import Status

_WITHOUT = {"install_completion", "show_completion"}
"""Options of typer's whose scripts split a run's id at its colons; those of `regreen completion` do not."""
MOST_HELP = 200


class Commands(TyperGroup):
    """All commands; every way in which a call can fail ends in one line, or one document, and an exit status."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its own options."""
        return [one for one in super().get_params(ctx) if one.name not in _WITHOUT]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """A section for each kind of command, in the order in which they were added."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                kind = getattr(command, "rich_help_panel", None)
                sections.setdefault(kind if isinstance(kind, str) else "Commands", []).append(
                    (name, command.get_short_help_str(MOST_HELP))
                )
        for kind, rows in sections.items():
            with formatter.section(kind):
                formatter.write_dl(rows)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and leave the process with its status."""
        del standalone_mode, windows_expand_args
        words = list(sys.argv[1:] if args is None else args)
        if not is_open():
            # before anything is opened, which would take its number
            sys.exit(_lost("it is closed"))
        prepare()
        try:
            try:
                status = super().main(words, prog_name, complete_var, standalone_mode=False, **extra)
            except typer.TyperException as error:
                status = _wrong(error, as_json=asks_for_json(words))
            sys.stdout.flush()
        except BrokenPipeError:
            status = _unread()
        except OutputError as error:
            _unread()
            status = _lost(str(error))
        sys.exit(status or Status.DONE)

    def invoke(self, ctx: Any) -> Any:
        """Run what was asked for; a pipe that nobody reads is not an error of ours."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise typer.Exit(_unread()) from None


def asks_for_json(words: Sequence[str]) -> bool:
    """Whether a document is wanted, told before anything is understood: of a call that cannot be, too."""
    options = words[: words.index("--")] if "--" in words else words
    return "--json" in options


def _unread() -> Status:
    """Have what is still to be written go nowhere, so that Python does not complain at its exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Status.PIPE_CLOSED


def _lost(why: str) -> Status:
    """Say that what was to be told has no place to go; not in a document, for which there is none either."""
    complain("OutputError", f"Standard output cannot be written: {why}", "Write to where there is room.")
    return Status.COULD_NOT_RUN


def _wrong(error: typer.TyperException, *, as_json: bool) -> int:
    where: Any = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(error.format_message(), err=True)
        return error.exit_code
    remedy = f"Try `{where.command_path if where else 'regreen'} --help`."
    message = " ".join(error.format_message().split())
    if as_json:
        dump(fault("WrongUsage", message, remedy))
        return error.exit_code
    if where:
        typer.echo(where.get_usage(), err=True)
    complain("Wrong usage", message, remedy)
    return error.exit_code
