"""The browser for tests of pages, from Debian's package: found, or, agreed, installed."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from bot.demo import machine
from bot.demo.machine import NotReadyError, Say

REQUIRE = "REGREEN_REQUIRE_CHROMIUM"
PACKAGES = ("chromium",)


def program() -> Path | None:
    """Chromium's path, `None` where this machine has none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    return Path(found) if found else None


def provide(environ: Mapping[str, str], say: Say, found: Callable[[], Path | None] = program) -> None:
    """Have it on this machine, or say what a person has to do.

    Raises `NotReadyError`, which says it, where `environ` requires it.
    """
    if found():
        return
    try:
        machine.install(PACKAGES, "Tests of pages need a browser, and Chromium is missing.", environ, say)
    except NotReadyError as error:
        if environ.get(REQUIRE):
            raise
        say(f"{error} Until then, tests of pages are left out.")
