"""The commands of operators: which runs there are, what they do, and what is wished of them."""

import re
import sys
from shutil import get_terminal_size
from typing import Annotated, NoReturn

import typer

from bot.cli.reporting import Json, dump, progress, reported, say, show
from bot.cli.statuses import Status
from bot.jobs import State
from bot.pipeline.ports.reading import MOST_ROWS, OPEN, Filter

STATES = (OPEN, *(state.value for state in State))
MOST_TEXT = 10_000_000
MOST_SEQUENCE = 2**63 - 1
_OFFERED = re.compile(r"[A-Za-z0-9._/:-]{1,300}")
"""What a shell is given to complete: an id with anything else in it would have to be quoted, for each shell anew."""


def ids(incomplete: str) -> list[tuple[str, str]]:
    """The newest runs whose ids begin so, each with its state; none, and no word, whatever is wrong: a shell waits."""
    from bot import settings  # noqa: PLC0415 - imported here as everywhere: `--help` does not pay for it
    from bot.wiring.operating import desk  # noqa: PLC0415

    try:
        with desk(settings.load()) as found:
            rows = found.reader.runs(Filter(prefix=incomplete))
    except Exception:  # noqa: BLE001 - whatever it is, the command itself will say it
        return []
    return [(one.identity, one.shown) for one in rows if _OFFERED.fullmatch(one.identity)]


def repositories(incomplete: str) -> list[str]:
    """The repositories that had runs."""
    from bot import settings  # noqa: PLC0415
    from bot.wiring.operating import desk  # noqa: PLC0415

    try:
        with desk(settings.load()) as found:
            names = found.reader.repositories(MOST_ROWS)
    except Exception:  # noqa: BLE001 - as above
        return []
    return [one for one in names if one.startswith(incomplete) and _OFFERED.fullmatch(one)]


def states(incomplete: str) -> list[str]:
    """The states of a run."""
    return [one for one in STATES if one.startswith(incomplete)]


def _known(state: str) -> str:
    if state and state not in STATES:
        raise typer.BadParameter(f"one of {', '.join(STATES)}")
    return state


Run = Annotated[str, typer.Argument(metavar="RUN", autocompletion=ids, help="A run's id, or how it alone begins.")]
Wait = Annotated[float, typer.Option("--wait", min=0, help="Seconds to wait for a worker's answer; 0: none.")]


def runs(  # noqa: PLR0917 - one parameter an option is typer's interface
    repository: Annotated[
        str, typer.Option("--repository", "-r", autocompletion=repositories, help="Those of owner/name only.")
    ] = "",
    state: Annotated[
        str,
        typer.Option("--state", "-s", autocompletion=states, callback=_known, help=f"One of {', '.join(STATES)}."),
    ] = "",
    subject: Annotated[str, typer.Option(help="Those about issue-7, check-main or pull-12 only.")] = "",
    text: Annotated[
        str, typer.Option(help="Those whose headline, title, sender, repository or subject holds this.")
    ] = "",
    limit: Annotated[int, typer.Option(min=1, max=MOST_ROWS, help="How many, the newest ones.")] = 20,
    before: Annotated[
        int | None, typer.Option(min=1, max=MOST_SEQUENCE, help="Those before this `sequence` of --json.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the newest runs: state, when they were asked for, how long they took, dollars, id, headline, title."""
    from bot.commands import runs as commands  # noqa: PLC0415
    from bot.wiring.operating import desk  # noqa: PLC0415

    wanted = Filter(repository, state, subject, text, limit=limit, before=before)
    width = get_terminal_size().columns if sys.stdout.isatty() else 0
    with reported(as_json=as_json) as settings, desk(settings) as found:
        show(commands.listed(found.reader, wanted, width), as_json=as_json)


def show_run(
    run: Run,
    diffs: Annotated[bool, typer.Option("--diffs", help="With each attempt's diff.")] = False,
    artifact: Annotated[str, typer.Option(help="Print this artifact of the run, whole, instead.")] = "",
    as_json: Json = False,
) -> None:
    """Show one run: steps, attempts, what was learned, why it stopped, cost by role, artifacts."""
    from bot.commands import runs as commands  # noqa: PLC0415
    from bot.wiring.operating import desk  # noqa: PLC0415

    with reported(as_json=as_json) as settings, desk(settings) as found:
        if artifact:
            _print(*commands.artifact(found.reader, run, artifact), as_json=as_json)
        show(commands.shown(found.reader, run, found.site, diffs=diffs), as_json=as_json)


def _print(document: dict[str, object], data: bytes, *, as_json: bool) -> NoReturn:
    from bot.pipeline.reports.markdown import plain  # noqa: PLC0415

    if as_json:
        dump(document)
    elif sys.stdout.isatty():
        # somebody else's bytes: a file gets them as they are, a terminal only what it can show
        typer.echo(plain(data.decode(errors="replace"), MOST_TEXT))
    else:
        sys.stdout.buffer.write(data)
    raise typer.Exit(Status.DONE)


def logs(
    run: Run,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until the run has ended.")] = False,
    every: Annotated[bool, typer.Option("--all", "-a", help="With every call that a replay answers.")] = False,
    as_json: Json = False,
) -> None:
    """Print a run's log, a line or a few an event; --json prints all of it, with --follow one document a line."""
    from bot.commands import run_logs as commands  # noqa: PLC0415
    from bot.wiring.operating import desk  # noqa: PLC0415

    with reported(as_json=as_json) as settings, desk(settings) as found:
        if not follow:
            show(commands.kept(found.reader, run, calls=every), as_json=as_json)
        telling = commands.Lines(calls=every)
        for entry in commands.followed(found.reader, run, say):
            for text in [commands.document(entry)] if as_json else telling.of(entry):
                typer.echo(text)
            sys.stdout.flush()


def cancel(run: Run, wait: Wait = 30.0, as_json: Json = False) -> None:
    """End a run that is queued or works, as `/regreen stop` on GitHub does."""
    _ask(run, "cancel", wait, as_json=as_json)


def retry(run: Run, wait: Wait = 30.0, as_json: Json = False) -> None:
    """Begin a run that has ended again, as `/regreen retry` on GitHub does, under a new id."""
    _ask(run, "retry", wait, as_json=as_json)


def _ask(run: str, what: str, wait: float, *, as_json: bool) -> NoReturn:
    import os  # noqa: PLC0415
    import pwd  # noqa: PLC0415

    from bot.commands.wishes import Operator  # noqa: PLC0415
    from bot.pipeline.ports.store import Asked  # noqa: PLC0415
    from bot.wiring.operating import desk  # noqa: PLC0415

    with reported(as_json=as_json) as settings, desk(settings) as found, progress.doing("waiting for a worker"):
        try:
            who = pwd.getpwuid(os.getuid()).pw_name
        except KeyError:
            # containers run as users without a name
            who = f"user {os.getuid()}"
        asking = Operator(found.reader, found.wishes, f"{who}, on the command line", wait)
        show(asking.ask(run, Asked(what)), as_json=as_json)


def workers(as_json: Json = False) -> None:
    """Say which workers run, what they have in their hands and when they were heard last."""
    from bot.commands import workers as commands  # noqa: PLC0415
    from bot.wiring.operating import desk  # noqa: PLC0415

    with reported(as_json=as_json) as settings, desk(settings) as found:
        if found.fleet is None:
            show(commands.of_one(found.alone(), str(settings.data_dir)), as_json=as_json)
        show(commands.of_many(found.fleet()), as_json=as_json)


def add_to(app: typer.Typer, kind: str) -> None:
    """Give the command line these commands, listed under `kind`."""
    app.command(rich_help_panel=kind)(runs)
    app.command("show", rich_help_panel=kind)(show_run)
    for command in (logs, cancel, retry, workers):
        app.command(rich_help_panel=kind)(command)
