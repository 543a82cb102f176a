"""A browser and what it looks at, once for the whole session; each test has a page of its own."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages.browsing import PATIENCE, NewPage, Watched, cancel, watch
from pages.history import BIG, write_history
from pages.staging import REPAIRED, Staging, staged
from playwright.sync_api import Browser, Page, expect, sync_playwright

from bot.demo.chromium import NEED, program

SECONDS = 1200
ITSELF = re.compile(r"Failed to load resource: the server responded with a status of 4\d\d")
"""What Chromium says of every page that is refused on purpose."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where to put screenshots, which are made only when asked for."""
    parser.addoption("--screenshots", type=Path, default=None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Processes and a browser take their time on a busy machine.

    They come last, since for as long as a browser is open no other test could begin an event loop in this thread.
    """
    ours = [item for item in items if Path(__file__).parent in item.path.parents]
    for item in ours:
        item.add_marker(pytest.mark.timeout(SECONDS))
        item.add_marker(pytest.mark.slow)
    items.sort(key=ours.__contains__)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    found = program()
    if found is None:
        reason = "Chromium is missing: `make pages` installs it."
        (pytest.fail if os.environ.get(NEED.require) else pytest.skip)(reason)
    # as root it has no sandbox of its own, and the pages are ours
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    expect.set_options(timeout=PATIENCE / 4)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=str(found), args=flags)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def staging(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Staging]:
    """What runs."""
    assert browser.is_connected()
    directory = tmp_path_factory.mktemp("staging")
    with staged(directory) as running:
        write_history(running)
        yield running
    shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture(scope="session")
def repaired(browser: Browser, staging: Staging) -> Watched:
    """The first run: begun by a click on the stand-in, watched to its pull request."""
    page = browser.new_page()
    try:
        return watch(page, staging)
    finally:
        page.close()


@pytest.fixture(scope="session")
def cancelled(browser: Browser, staging: Staging, repaired: Watched) -> str:
    """The path of the second run: it would take for ever, and an operator cancelled it."""
    assert repaired.pull_request
    page = browser.new_page()
    try:
        return cancel(page, staging)
    finally:
        page.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Opens pages, with options as of a browser's context; nothing that runs in one may go wrong."""
    wrong: list[str] = []
    contexts = []

    def make(**options: object) -> Page:
        context = browser.new_context(**options)  # type: ignore[arg-type]  # a test's own words
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        return page

    yield make
    for context in contexts:
        context.close()
    assert [each for each in wrong if not ITSELF.match(each)] == []


@pytest.fixture
def page(new_page: NewPage) -> Page:
    """One of a desk's size."""
    return new_page(viewport={"width": 1280, "height": 800})


@pytest.fixture
def places(staging: Staging, repaired: Watched, cancelled: str) -> dict[str, str]:
    """Every page that whoever is on this machine can open, by a name."""
    return {
        "runs": f"{staging.server}/runs",
        "no runs": f"{staging.server}/runs?text=nothing-like-this",
        "a run": staging.server + repaired.path,
        "a cancelled run": staging.server + cancelled,
        "a big run": staging.server + BIG.path,
        "repositories": f"{staging.server}/repositories",
        "a repository": f"{staging.server}/repositories/{REPAIRED}",
        "signing in": f"{staging.server}/sign-in?next=/runs",
        "nothing": f"{staging.server}/nothing/here",
    }
