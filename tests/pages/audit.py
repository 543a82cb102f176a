"""What axe-core finds wrong with a page, as far as it keeps somebody from using it."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SERIOUS = frozenset({"serious", "critical"})


def serious(page: Page) -> list[str]:
    """One line for each rule that is broken badly, with the elements."""
    found = Axe().run(page).response["violations"]
    return [f"{page.url}: {_line(one)}" for one in found if one["impact"] in SERIOUS]


def _line(violation: dict[str, object]) -> str:
    nodes = violation["nodes"]
    assert isinstance(nodes, list)
    places = "; ".join(f"{node['target']} {node['html'][:120]}" for node in nodes[:3])
    return f"{violation['id']} ({violation['impact']}, {len(nodes)} times): {places}"
