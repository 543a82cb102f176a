"""The command line: nothing but argument handling."""

import json
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console

from bot import settings as settings_module
from bot.errors import RegreenError, UnexpectedError
from bot.settings import Settings
from sandbox.errors import SandboxError

if TYPE_CHECKING:
    from bot.commands import Shown

MOST_TEXT = 1_000_000
MOST_CAUSE = 300
NO_FIX = 1
COULD_NOT_RUN = 3

HELP = """Turns red into green and shows its work.

Exit status: 0 done, 1 no fix, 2 wrong usage, 3 could not run. Settings are variables named REGREEN_*.
"""

app = typer.Typer(no_args_is_help=True, add_completion=True, pretty_exceptions_enable=False, help=HELP)
_errors = Console(stderr=True, highlight=False)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
TestCommand = Annotated[
    str, typer.Option("--test-command", help="How the whole suite is run; found out when left out.")
]


def main() -> None:
    """Run the command line; errors end in one line with cause and remedy."""
    app()


@contextmanager
def _reported(*, as_json: bool = False) -> Iterator[Settings]:
    """Read the settings, and turn the known errors into lines, or a document, and an exit status."""
    # Imported here so that `regreen --help` does not pay for what it does not use; likewise below.
    from bot import log  # noqa: PLC0415

    try:
        settings = settings_module.load()
        log.configure(settings.log_level, log.redactor(settings.secrets))
        yield settings
    except (RegreenError, SandboxError) as error:
        _fail(error, as_json=as_json)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        # Strangers' text ends in one of these where nothing refuses it earlier; a script waits for an exit status.
        _fail(_unexpected(error), as_json=as_json)


def _unexpected(error: Exception) -> UnexpectedError:
    *_, last = traceback.extract_tb(error.__traceback__)
    return UnexpectedError(
        f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}: {str(error)[:MOST_CAUSE]!a}",
        "Report this: whatever brought it about should have been refused by name.",
    )


def _fail(error: RegreenError | SandboxError, *, as_json: bool) -> NoReturn:
    from bot.pipeline.markdown import plain  # noqa: PLC0415

    if as_json:
        _dump({"error": type(error).__name__, "cause": error.cause, "remedy": error.remedy})
        raise typer.Exit(COULD_NOT_RUN)
    _errors.print(f"[bold red]{type(error).__name__}[/]: ", end="")
    # a cause may end with the log of somebody's build script
    _errors.print(plain(f"{error.cause}\n{error.remedy}", MOST_TEXT), markup=False, soft_wrap=True)
    raise typer.Exit(COULD_NOT_RUN)


@app.command()
def serve() -> None:
    """Run the webhook server."""
    from bot.commands import worker as commands  # noqa: PLC0415

    with _reported() as settings:
        commands.serve(settings)


@app.command()
def worker() -> None:
    """Run the worker: read deliveries, decide, fix. One for each data directory."""
    from bot import wiring  # noqa: PLC0415
    from bot.commands import worker as commands  # noqa: PLC0415

    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with _reported() as settings:
        commands.work(wiring.worker(settings), stop)


@app.command()
def fix(
    path: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="The repository's working directory.")],
    test_command: TestCommand = "",
    issue_file: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="What is wrong; first line: title.")
    ] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Write the fix into the working directory.")] = False,
    explain_environment: Annotated[
        bool, typer.Option("--explain-environment", help="Say how the tests would be set up, and why; run nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Repair the failing tests of a local repository; nothing is written unless --apply is given."""
    from bot import commands  # noqa: PLC0415

    if explain_environment:
        from bot.commands.explain import explain  # noqa: PLC0415

        with _reported(as_json=as_json) as settings:
            _show(explain(settings, path, test_command), as_json=as_json)
    with _reported(as_json=as_json) as settings:
        issue = issue_file.read_text(errors="replace") if issue_file else ""
        _show(commands.fix(settings, path, test_command, issue, apply=apply, say=_say), as_json=as_json)


@app.command()
def gate(
    path: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="The repository's working directory.")],
    patch: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A unified diff against it.")],
    test_command: TestCommand = "",
    as_json: Json = False,
) -> None:
    """Judge a patch: does it fix failing tests and break none? Exit status 0 when it passes the gate."""
    from bot import commands  # noqa: PLC0415

    with _reported(as_json=as_json) as settings:
        _show(commands.gate(settings, path, patch.read_bytes(), test_command), as_json=as_json)


@app.command()
def solve(
    task: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="The description.")],
    tests: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="Hidden tests: unittest, pytest, or a script.")
    ],
    as_json: Json = False,
) -> None:
    """Write code from a description until hidden tests pass. Needs a model."""
    from bot import commands  # noqa: PLC0415

    with _reported(as_json=as_json) as settings:
        shown = commands.solve(settings, task.read_text(errors="replace"), tests.read_text(errors="replace"))
        _show(shown, as_json=as_json)


@app.command()
def replay(
    log: Annotated[Path, typer.Argument(dir_okay=False, help="The log.jsonl of a run.")],
    head: Annotated[str, typer.Option(help="The digest that the pull request names, or its first 12 letters.")] = "",
    as_json: Json = False,
) -> None:
    """Make a run's decisions again from its log, without a model. Exit status 0 when the result is the same."""
    from bot.commands import replay as commands  # noqa: PLC0415

    with _reported(as_json=as_json):
        _show(commands.replay(log, head), as_json=as_json)


@app.command()
def base(
    toolchain: Annotated[str, typer.Option(help="What it is for: python, node or go.")] = "python",
) -> None:
    """Get one of the sandbox's base images: pull it, else build it with debootstrap."""
    from bot.commands import base as commands  # noqa: PLC0415

    with _reported() as settings:
        typer.echo(commands.ensure_base(settings, toolchain, lambda line: _errors.print(line, markup=False)))


@app.command()
def doctor(
    runtime: Annotated[str | None, typer.Option(help="Check this OCI runtime instead of the configured one.")] = None,
    as_json: Json = False,
) -> None:
    """Try to break every limit of the sandbox here, and look through the settings. Exit status 0 when all is well."""
    from bot.commands import doctor as commands  # noqa: PLC0415

    with _reported(as_json=as_json) as settings:
        report = commands.doctor(settings, runtime)
        if as_json:
            _dump(report.as_json())
        else:
            Console(highlight=False).print(report.table())
        raise typer.Exit(0 if report.good else NO_FIX)


@app.command()
def demo(
    keep: Annotated[bool, typer.Option("--keep", help="Leave everything running and print the addresses.")] = False,
) -> None:
    """Show the whole path on a GitHub stand-in on this machine."""
    try:
        from bot.demo import scenario  # noqa: PLC0415
    except ImportError as error:
        _errors.print(f"The demo is an extra that is not installed here ({error.name}): pip install 'regreen[demo]'")
        raise typer.Exit(COULD_NOT_RUN) from None
    raise typer.Exit(scenario.run(keep=keep))


def _say(line: str) -> None:
    _errors.print(line, markup=False, soft_wrap=True)


def _show(shown: "Shown", *, as_json: bool) -> NoReturn:
    from bot.pipeline.markdown import plain  # noqa: PLC0415

    if as_json:
        _dump(shown.document)
    for line in () if as_json else shown.lines:
        # test names, diffs and explanations are not ours: nothing in them may steer the terminal
        typer.echo(plain(line, MOST_TEXT))
    raise typer.Exit(0 if shown.good else NO_FIX)


def _dump(document: object) -> None:
    json.dump(document, sys.stdout, indent=1)
    sys.stdout.write("\n")
