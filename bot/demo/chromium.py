"""The browser for tests of pages."""

import shutil
from pathlib import Path

from bot.demo.packages import Need

NEED = Need(("chromium",), "Tests of pages", "REGREEN_REQUIRE_CHROMIUM")


def program() -> Path | None:
    """Chromium's path, `None` where this machine has none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    return Path(found) if found else None
