"""The commands about the App: registering it, its webhooks while developing, its deliveries."""

import webbrowser
from typing import Annotated

import typer

from bot.cli.grammar import Commands
from bot.cli.reporting import Json, progress, reported, say, show


def setup(
    *,
    url: Annotated[str, typer.Option(help="This server's public address, such as https://regreen.example.")] = "",
    smee: Annotated[str, typer.Option(help="To develop: a smee.io channel, or `new` for a new one.")] = "",
    name: Annotated[str, typer.Option(help="The App's name; GitHub wants one that nobody else has.")] = "Regreen",
    organization: Annotated[str, typer.Option(help="Whose App it is; your own when left out.")] = "",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page on this machine; 0: any.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page; otherwise only its address is shown.")] = True,
    replace: Annotated[bool, typer.Option("--replace", help="Register another App than the one stored.")] = False,
    as_json: Json = False,
) -> None:
    """Register a GitHub App in the browser, and store its key and secret in the data directory (0600)."""
    from bot.adapters.smee import new_channel  # noqa: PLC0415
    from bot.commands import setup as commands  # noqa: PLC0415
    from bot.commands.setup_plan import Plan  # noqa: PLC0415

    with reported(as_json=as_json) as settings:
        channel = new_channel(settings.smee_site) if smee == "new" else smee
        plan = Plan(name, organization, url.rstrip("/"), channel, port, replace=replace)
        show(commands.setup(settings, plan, say, webbrowser.open if browser else lambda _: False), as_json=as_json)


def smee(as_json: Json = False) -> None:
    """Bring webhooks from the smee.io channel of the settings to the server here: to develop."""
    from bot.commands import smee as commands  # noqa: PLC0415

    with reported(as_json=as_json) as settings:
        commands.smee(settings, say)


deliveries = typer.Typer(
    cls=Commands, no_args_is_help=True, help="Webhook deliveries: what arrived, and what became of it."
)
Id = Annotated[str, typer.Argument(metavar="ID", help="A delivery's id, or how it begins.")]


@deliveries.command("list")
def list_deliveries(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many, the newest ones.")] = 20,
    as_json: Json = False,
) -> None:
    """List the newest deliveries and what was decided."""
    from bot.commands import deliveries as commands  # noqa: PLC0415

    with reported(as_json=as_json) as settings:
        show(commands.listed(settings, limit), as_json=as_json)


@deliveries.command("show")
def show_delivery(delivery: Id, as_json: Json = False) -> None:
    """Show one delivery, with what GitHub sent."""
    from bot.commands import deliveries as commands  # noqa: PLC0415

    with reported(as_json=as_json) as settings:
        show(commands.shown(settings, delivery), as_json=as_json)


@deliveries.command("replay")
def replay_delivery(
    delivery: Id,
    apply: Annotated[bool, typer.Option("--apply", help="Have the worker decide it again.")] = False,
    as_json: Json = False,
) -> None:
    """Say what would be decided of a delivery now; nothing is done unless --apply is given."""
    from bot.commands import deliveries as commands  # noqa: PLC0415

    with reported(as_json=as_json) as settings, progress.doing("asking GitHub"):
        show(commands.replayed(settings, delivery, commands.decider(settings), apply=apply), as_json=as_json)


def add_to(app: typer.Typer, kind: str) -> None:
    """Make these commands of the command line, listed under `kind`."""
    app.command(rich_help_panel=kind)(setup)
    app.command(rich_help_panel=kind)(smee)
    app.add_typer(deliveries, name="deliveries", rich_help_panel=kind)
