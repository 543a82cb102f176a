"""`regreen doctor` says whether installs may reach where the registries' names lead."""

import pytest

from bot.commands.checks import Check, State
from bot.commands.doctor_registries import registries
from bot.settings import Settings

HOSTS = {"index.example": ("10.0.0.1",), "files.example": ("8.8.8.8", "fd00::1"), "public.example": ("8.8.4.4",)}


def look(*listed: str, **hosts: tuple[str, ...]) -> Check:
    known = HOSTS | {f"{name}.example": found for name, found in hosts.items()}
    return registries(Settings(private_hosts=listed), known, lambda host: known[host])


def test_every_private_registry_that_is_not_allowed_is_named_at_once_with_the_whole_value() -> None:
    check = look("mine.example", "Index.example")
    assert (check.state, check.seen.count("example")) == (State.BROKEN, 1)
    assert "`REGREEN_PRIVATE_HOSTS=mine.example,Index.example,files.example`" in check.remedy
    assert "`REGREEN_PRIVATE_HOSTS=index.example,files.example`" in look().remedy
    assert "`make base`" in look().remedy


def test_what_is_allowed_holds_and_is_told() -> None:
    check = look("index.example", "files.example")
    assert (check.state, check.remedy) == (State.HOLDS, "")
    assert "private, and allowed: index.example, files.example" in check.seen


@pytest.mark.parametrize("listed", [("index.example", "files.example")])
def test_a_registry_without_an_address_is_open(listed: tuple[str, ...]) -> None:
    check = look(*listed, lost=())
    assert (check.state, check.seen) == (State.OPEN, "no address: lost.example")
