"""The command line: nothing but argument handling."""

import signal
import sys
import threading
from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bot.cli import completion, github, policy, runs, storage
from bot.cli.grammar import Commands
from bot.cli.reporting import Json, dump, fail, fault, progress, reported, say, show
from bot.cli.statuses import Status
from bot.errors import ConfigurationError

HELP = """Turns red into green and shows its work.

Exit status: 0 done, 1 the answer is no, 2 wrong usage, 3 could not run. Settings are variables named REGREEN_*.
"""
RUNS, SERVICE, LOCAL, BESIDE = "Runs", "Service", "Local repositories", "Beside that"

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # plain text, on a terminal and off it: no boxes, no colours, whatever a CI service sets
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=HELP,
)
TestCommand = Annotated[
    str, typer.Option("--test-command", help="How the whole suite is run; found out when left out.")
]


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"regreen {metadata.version('regreen')}")
        raise typer.Exit


runs.add_to(app, RUNS)
github.add_to(app, SERVICE)
storage.add_to(app, SERVICE)
policy.add_to(app, LOCAL)
completion.add_to(app, BESIDE)


@app.callback()
def options(
    *,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Say which version this is.")
    ] = False,
) -> None:
    """Take what stands before a command."""


def main() -> None:
    """Run the command line; errors end in one line with cause and remedy."""
    _end_with(Status.TERMINATED)
    app()


def _end_with(status: Status) -> None:
    """Unwind at SIGTERM, so that what was begun is put away: a container, a terminal's cursor."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(status))


@app.command(rich_help_panel=SERVICE)
def serve(as_json: Json = False) -> None:
    """Run the webhook server."""
    from bot.commands import worker as commands  # noqa: PLC0415

    _end_with(Status.DONE)
    with reported(as_json=as_json, logs=True) as settings:
        try:
            commands.serve(settings)
        except SystemExit as end:
            if end.code != Status.COULD_NOT_RUN:
                raise
            raise ConfigurationError(
                f"Nothing can be served at {settings.host}:{settings.port}",
                "Set REGREEN_HOST and REGREEN_PORT to an address of this machine that no other process has.",
            ) from None


@app.command(rich_help_panel=SERVICE)
def worker(as_json: Json = False) -> None:
    """Run the worker: read deliveries, decide, fix. One for each data directory."""
    from bot.commands import worker as commands  # noqa: PLC0415
    from bot.wiring import application  # noqa: PLC0415

    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with reported(as_json=as_json, logs=True) as settings:
        commands.work(application.worker(settings), stop)


@app.command(rich_help_panel=LOCAL)
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
    from bot.commands import local as commands  # noqa: PLC0415

    if explain_environment:
        from bot.commands.explain import explain  # noqa: PLC0415

        with reported(as_json=as_json) as settings:
            show(explain(settings, path, test_command), as_json=as_json)
    with reported(as_json=as_json) as settings:
        issue = issue_file.read_text(errors="replace") if issue_file else ""
        show(commands.fix(settings, path, test_command, issue, progress, apply=apply), as_json=as_json)


@app.command(rich_help_panel=LOCAL)
def gate(
    path: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="The repository's working directory.")],
    patch: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A unified diff against it.")],
    test_command: TestCommand = "",
    as_json: Json = False,
) -> None:
    """Judge a patch: does it fix failing tests and break none? Exit status 0 when it passes the gate."""
    from bot.commands import local as commands  # noqa: PLC0415

    with reported(as_json=as_json) as settings:
        show(commands.gate(settings, path, patch.read_bytes(), test_command, progress), as_json=as_json)


@app.command(rich_help_panel=LOCAL)
def solve(
    task: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="The description.")],
    tests: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="Hidden tests: unittest, pytest, or a script.")
    ],
    as_json: Json = False,
) -> None:
    """Write code from a description until hidden tests pass. Needs a model."""
    from bot.commands import local as commands  # noqa: PLC0415

    with reported(as_json=as_json) as settings:
        what, hidden = task.read_text(errors="replace"), tests.read_text(errors="replace")
        show(commands.solve(settings, what, hidden, progress), as_json=as_json)


@app.command(rich_help_panel=LOCAL)
def replay(
    log: Annotated[Path, typer.Argument(dir_okay=False, help="The log.jsonl of a run.")],
    head: Annotated[str, typer.Option(help="The digest that the pull request names, or its first 12 letters.")] = "",
    as_json: Json = False,
) -> None:
    """Make a run's decisions again from its log, without a model. Exit status 0 when the result is the same."""
    from bot.commands import replay as commands  # noqa: PLC0415

    with reported(as_json=as_json), progress.doing("making the decisions again"):
        show(commands.replay(log, head), as_json=as_json)


@app.command(rich_help_panel=SERVICE)
def base(
    toolchain: Annotated[str, typer.Option(help="What it is for: python, node or go.")] = "python",
    as_json: Json = False,
) -> None:
    """Get one of the sandbox's base images: pull it, else build it with debootstrap."""
    from bot.commands import base as commands  # noqa: PLC0415

    with reported(as_json=as_json) as settings, progress.doing("base image"):
        show(commands.ensured(settings, toolchain, say), as_json=as_json)


@app.command(rich_help_panel=SERVICE)
def doctor(
    runtime: Annotated[str | None, typer.Option(help="Check this OCI runtime instead of the configured one.")] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Ask neither GitHub nor model servers; need no App.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Try the sandbox's limits, the settings, the App at GitHub and the models. Exit status 0 when all is well."""
    from bot.commands import doctor as commands  # noqa: PLC0415

    with reported(as_json=as_json) as settings:
        report = commands.doctor(settings, runtime, progress, offline=offline)
        if as_json:
            dump(report.as_json())
        else:
            Console(highlight=False).print(report.table())
        raise typer.Exit(Status.DONE if report.good else Status.NOT_GOOD)


@app.command(rich_help_panel=BESIDE)
def demo(
    keep: Annotated[bool, typer.Option("--keep", help="Leave everything running and print the addresses.")] = False,
    as_json: Json = False,
) -> None:
    """Show the whole path on a GitHub stand-in on this machine."""
    try:
        from bot.demo import scenario  # noqa: PLC0415
    except ImportError as error:
        missing = ConfigurationError(
            f"The demo is an extra that is not installed here ({error.name})", "pip install 'regreen[demo]'"
        )
        fail(missing, as_json=as_json)
    ended = scenario.run(keep=keep, aside=as_json)
    if as_json and ended.cause:
        dump(
            fault("DemoError", ended.cause, f"Look into {ended.logs}." if ended.logs else "Mend that, and start again.")
        )
    elif as_json:
        dump({"good": True, "kept": keep, "seconds": round(ended.seconds, 1), "logs": ended.logs})
    raise typer.Exit(Status.COULD_NOT_RUN if not ended.began else Status.NOT_GOOD if ended.cause else Status.DONE)
