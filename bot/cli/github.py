"""The commands about the App: registering it, its webhooks while developing, its deliveries."""

import webbrowser
from typing import Annotated

import typer

from bot.cli.reporting import Json, reported, say, show


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

    with reported(as_json=as_json) as settings:
        channel = new_channel() if smee == "new" else smee
        plan = commands.Plan(name, organization, url.rstrip("/"), channel, port, replace=replace)
        show(commands.setup(settings, plan, say, webbrowser.open if browser else lambda _: False), as_json=as_json)


def smee() -> None:
    """Bring webhooks from the smee.io channel of the settings to the server here: to develop."""
    from bot.commands import smee as commands  # noqa: PLC0415

    with reported() as settings:
        commands.smee(settings, say)


def add_to(app: typer.Typer) -> None:
    """Make these commands of the command line."""
    app.command()(setup)
    app.command()(smee)
