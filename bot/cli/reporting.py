"""What every command shares: the settings read, the known errors told, the result shown."""

import json
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.console import Console

from bot import settings as settings_module
from bot.cli.output import OutputError
from bot.cli.statuses import Status
from bot.errors import RegreenError, UnexpectedError
from bot.pipeline.reports.markdown import line as one_line
from bot.pipeline.reports.markdown import plain
from bot.progress import Progress
from bot.settings import Settings
from sandbox.errors import SandboxError

if TYPE_CHECKING:
    from bot.commands import Shown

MOST_TEXT = 1_000_000
MOST_CAUSE = 300
MOST_SAID = 2000

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text, errors too.")]
errors = Console(stderr=True, highlight=False)
progress = Progress(errors)


@contextmanager
def reported(*, as_json: bool = False, logs: bool = False) -> Iterator[Settings]:
    """Read the settings, and turn every error into lines, or a document, and an exit status.

    What is logged is told as progress is, unless `logs` says that this is a process whose log is read.
    """
    # Imported here so that `regreen --help` does not pay for what it does not use; likewise below.
    import structlog  # noqa: PLC0415

    from bot import log  # noqa: PLC0415
    from bot.variables import unknown  # noqa: PLC0415

    try:
        settings = settings_module.load()
        # who works at a problem of Regreen's own wants the log as it is
        told = None if settings.log_level == "debug" else _heard
        log.configure(settings.log_level, log.redactor(settings.secrets), told=None if logs else told)
        for one in unknown(settings_module.named_alike()):
            structlog.get_logger(__name__).warning("no_such_setting", variable=one.name, remedy=one.remedy)
        yield settings
    except (typer.Exit, typer.TyperException, BrokenPipeError, OutputError):
        raise
    except (RegreenError, SandboxError) as error:
        fail(error, as_json=as_json)
    except Exception as error:  # noqa: BLE001 - a script waits for a document and an exit status, whatever happens
        structlog.get_logger(__name__).debug("unexpected", exc_info=error)
        fail(_unexpected(error), as_json=as_json)


def _unexpected(error: Exception) -> UnexpectedError:
    *_, last = traceback.extract_tb(error.__traceback__)
    return UnexpectedError(
        f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}: {str(error)[:MOST_CAUSE]!a}",
        "Report this, with what REGREEN_LOG_LEVEL=debug tells: it should have been refused by name.",
    )


def fail(error: RegreenError | SandboxError, *, as_json: bool) -> NoReturn:
    """Tell of an error, and end with its exit status."""
    progress.end()
    name = type(error).__name__
    if as_json:
        dump(fault(name, error.cause, error.remedy))
    else:
        complain(name, error.cause, error.remedy)
    raise typer.Exit(Status.COULD_NOT_RUN)


def fault(kind: str, cause: str, remedy: str) -> dict[str, Any]:
    """The one document that an error is; `kind` is the error's name in `bot.errors`, or `WrongUsage`."""
    return {"error": {"kind": kind, "cause": cause, "remedy": remedy}}


def complain(kind: str, cause: str, remedy: str) -> None:
    """An error for people."""
    errors.print(f"[bold red]{kind}[/]: ", end="")
    # a cause may end with the log of somebody's build script
    errors.print(plain(f"{cause}\n{remedy}", MOST_TEXT), markup=False, soft_wrap=True)


def say(line: str) -> None:
    """A line for people, beside what a script reads."""
    progress.line(line)


def _heard(level: str, event: str, fields: Mapping[str, object]) -> None:
    """Something that was logged: a detail of what is being done, or a warning."""
    said = "; ".join(str(value) for value in fields.values())
    if level in {"debug", "info"}:
        progress.note(said or event)
    else:
        progress.line(one_line(f"{level}: {event.replace('_', ' ')}: {said}", MOST_SAID), "yellow")


def show(shown: "Shown", *, as_json: bool) -> NoReturn:
    """Print what a command came to, and end with its exit status."""
    progress.end()
    if as_json:
        dump(shown.document)
    for line in () if as_json else shown.lines:
        # test names, diffs and explanations are not ours: nothing in them may steer the terminal
        typer.echo(plain(line, MOST_TEXT))
    raise typer.Exit(Status.DONE if shown.good else Status.NOT_GOOD)


def dump(document: object) -> None:
    """One JSON document on standard output."""
    json.dump(document, sys.stdout, indent=1)
    sys.stdout.write("\n")
