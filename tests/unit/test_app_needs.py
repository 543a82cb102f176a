"""The one table of what the App needs, and who has to agree with it."""

import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bot.adapters import github
from bot.adapters.github.needs import EVENTS, PERMISSIONS, SUBSCRIPTIONS, Level, lacking, unheard, unneeded
from bot.demo.state import AppConfig
from bot.events import HANDLED

ROOT = Path(__file__).parents[2]
GRANTED = {one.name: one.level.word for one in PERMISSIONS}
ALWAYS_SENT = {"installation", "installation_repositories"}


def test_every_event_that_something_is_done_for_is_subscribed_to_and_no_other() -> None:
    assert set(EVENTS) == set(HANDLED) - ALWAYS_SENT


def test_no_event_needs_a_permission_that_is_not_asked_for() -> None:
    assert {one.permission for one in SUBSCRIPTIONS} <= GRANTED.keys()


def asked() -> Iterator[tuple[str, str, str]]:
    """Module, permission and level of every token that the adapters ask for."""
    for found in pkgutil.iter_modules(github.__path__):
        module = importlib.import_module(f"{github.__name__}.{found.name}")
        for value in vars(module).values():
            pairs = value if isinstance(value, tuple) else ()
            for one in pairs:
                if isinstance(one, tuple) and len(one) == 2 and one[1] in {"read", "write"}:
                    yield found.name, *one


def test_every_token_is_within_what_is_asked_for() -> None:
    found = list(asked())
    assert len(found) > 10
    assert not [one for one in found if Level[one[2].upper()] > Level[GRANTED.get(one[1], "none").upper()]]


def test_what_the_demo_and_the_tests_show_is_shown_with_no_more_than_is_asked_for() -> None:
    app = AppConfig("")
    assert (app.permissions, set(app.events)) == (GRANTED, set(EVENTS))


def test_what_lacks_and_what_is_too_much_is_named() -> None:
    assert lacking(GRANTED) == ()
    assert [one.name for one in lacking(GRANTED | {"checks": "read", "contents": "none"})] == ["contents", "checks"]
    assert lacking(GRANTED | {"contents": "admin"}) == ()
    assert unneeded(GRANTED | {"workflows": "write", "actions": "write"}) == ("actions: write", "workflows: write")
    assert unheard(("issues", *EVENTS[2:])) == ("issue_comment",)


def test_the_page_is_written_from_the_table() -> None:
    printed = subprocess.run(
        [sys.executable, "-P", ROOT / "docs" / "reference" / "generate_app.py"],
        capture_output=True,
        check=True,
        text=True,
    )
    assert printed.stdout == (ROOT / "docs" / "reference" / "github-app.md").read_text(), "run `make docs`"
