"""The pictures in the documentation, taken only when asked for: `make pages PAGES="--screenshots docs/screenshots"`."""

from typing import TYPE_CHECKING

import pytest
from pages.browsing import NewPage, Watched
from pages.history import BIG
from pages.staging import REPAIRED, Staging

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES = 200_000


def test_the_documentation_shows_pages_as_they_are(
    request: pytest.FixtureRequest, new_page: NewPage, staging: Staging, repaired: Watched
) -> None:
    directory: Path | None = request.config.getoption("--screenshots", default=None)
    page = new_page(viewport={"width": 1120, "height": 760})
    dark = new_page(viewport={"width": 1120, "height": 760}, color_scheme="dark")
    phone = new_page(viewport={"width": 390, "height": 760})
    shots = {
        "runs": (page, f"{staging.server}/runs", ""),
        "run": (page, staging.server + repaired.path, ""),
        "run-dark": (dark, staging.server + repaired.path, "#attempt-2"),
        "matrix": (page, staging.server + BIG.path, "#matrix"),
        "repository": (page, f"{staging.server}/repositories/{REPAIRED}", ""),
        "phone": (phone, staging.server + repaired.path, ""),
    }
    for name, (where, address, part) in shots.items():
        where.goto(address)
        if part:
            where.locator(part).scroll_into_view_if_needed()
        picture = where.screenshot()
        assert 0 < len(picture) < MOST_BYTES, name
        if directory is not None:
            directory.mkdir(parents=True, exist_ok=True)
            (directory / f"{name}.png").write_bytes(picture)
