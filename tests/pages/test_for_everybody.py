"""Every page, for whoever reads it with whatever: light and dark, on a phone and on a desk, by ear, without scripts."""

from collections.abc import Callable
from typing import Literal

import pytest
from pages.audit import serious
from pages.browsing import NewPage, sign_in
from pages.history import BIG
from pages.staging import Staging
from playwright.sync_api import Page, expect

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 800}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_axe_finds_nothing_serious_on_any_page(
    new_page: NewPage,
    staging: Staging,
    places: dict[str, str],
    theme: Literal["light", "dark"],
    size: dict[str, int],
    record_property: Callable[[str, object], None],
) -> None:
    page = new_page(viewport=size, color_scheme=theme)
    found: list[str] = []
    for address in places.values():
        page.goto(address)
        unfold(page)
        found += serious(page)
    found += as_an_operator(page, staging, places["a cancelled run"])
    record_property("serious_a11y", len(found))
    assert found == [], "\n".join(found)


def unfold(page: Page) -> None:
    """Open what is folded, but for the many of a big run."""
    page.evaluate("[...document.querySelectorAll('details')].slice(0, 12).forEach(one => { one.open = true })")


def as_an_operator(page: Page, staging: Staging, cancelled: str) -> list[str]:
    """The pages of signing in, and those that only operators have."""
    page.goto(f"{staging.elsewhere}/sign-in")
    page.get_by_label("Operator's token").fill("not-the-token-of-anybody")
    page.get_by_role("button", name="Sign in").click()
    found = serious(page)
    sign_in(page, staging.server)
    for address in (f"{staging.server}/wishes/1", cancelled):
        page.goto(address)
        found += serious(page)
    return found


def test_nothing_is_wider_than_a_phone(new_page: NewPage, places: dict[str, str]) -> None:
    page = new_page(viewport=PHONE)
    wide = {}
    for name, address in places.items():
        page.goto(address)
        unfold(page)
        excess = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if excess > 0:
            wide[name] = excess
    assert wide == {}


def test_without_scripts_everything_is_there_to_read(new_page: NewPage, places: dict[str, str]) -> None:
    page = new_page(java_script_enabled=False)
    for name, address in places.items():
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.title().endswith("Regreen"), name
    page.goto(places["runs"])
    page.get_by_label("State").select_option("unsolved")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("#found li").first).to_contain_text("No attempt passed")


def test_a_desk_shows_a_big_run_without_scrolling_sideways(page: Page, staging: Staging) -> None:
    page.goto(staging.server + BIG.path)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
