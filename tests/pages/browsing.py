"""What people do with a mouse: on the stand-in for GitHub, and on the pages."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from pages.staged_worker import ENDLESS
from pages.staging import MAINTAINER, REPAIRED, TOKEN, Staging
from playwright.sync_api import Page, expect

PATIENCE = 240_000.0
"""Milliseconds: the machine may be busy with something else."""
LOOK_SECONDS = 0.3

NewPage = Callable[..., Page]
"""Opens a page, with options as of a browser's context."""


@dataclass
class Watched:
    """What was seen of a run from its first moment on: `looks` are its steps and attempts, as they changed."""

    path: str
    looks: list[tuple[int, int]] = field(default_factory=list)
    reloads: int = 0
    pull_request: str = ""
    said: list[str] = field(default_factory=list)
    """What a screen reader was told meanwhile."""


def label(page: Page, staging: Staging, repository: str) -> None:
    """Put the label on issue 1, by a click."""
    page.goto(f"{staging.github}/{repository}/issues/1")
    if page.locator("select[name=login]").input_value() != MAINTAINER:
        page.select_option("select[name=login]", MAINTAINER)
        page.get_by_role("button", name="Switch").click()
    page.get_by_role("button", name="+ regreen", exact=True).click()
    expect(page.get_by_role("button", name=re.compile("^regreen "))).to_be_visible()


def open_run(page: Page, staging: Staging, repository: str) -> str:
    """Follow the link of the status comment to the run's page; returns its path."""
    link = page.locator(f"article a[href^='{staging.server}/runs/']").first
    deadline = time.monotonic() + PATIENCE / 1000
    while not link.is_visible():
        assert time.monotonic() < deadline, f"no status comment on {repository}"
        time.sleep(LOOK_SECONDS)
        page.goto(f"{staging.github}/{repository}/issues/1")
    link.click()
    expect(page).to_have_url(re.compile("/runs/"))
    return page.url.removeprefix(staging.server)


def watch(page: Page, staging: Staging) -> Watched:
    """Begin the first run, and look at its page until it has its pull request."""
    label(page, staging, REPAIRED)
    seen = Watched(open_run(page, staging, REPAIRED))
    page.on("load", lambda _: setattr(seen, "reloads", seen.reloads + 1))
    done = page.get_by_role("link", name=re.compile(r"^Pull request #\d+"))
    deadline = time.monotonic() + PATIENCE / 1000
    while not done.is_visible():
        assert time.monotonic() < deadline, page.locator("main").inner_text()
        look = page.locator(".steps li").count(), page.locator("article.attempt").count()
        if not seen.looks or seen.looks[-1] != look:
            seen.looks.append(look)
        status = page.get_by_role("status").inner_text().strip()
        if status not in seen.said[-1:]:
            seen.said.append(status)
        time.sleep(LOOK_SECONDS)
    seen.pull_request = done.inner_text()
    seen.said.append(page.get_by_role("status").inner_text().strip())
    seen.looks.append((page.locator(".steps li").count(), page.locator("article.attempt").count()))
    return seen


def sign_in(page: Page, server: str) -> None:
    """Say the token."""
    page.goto(f"{server}/sign-in?next=/runs")
    page.get_by_label("Operator's token").fill(TOKEN)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def cancel(page: Page, staging: Staging) -> str:
    """Begin the run that would not end, and cancel it as an operator; returns its path."""
    label(page, staging, ENDLESS)
    path = open_run(page, staging, ENDLESS)
    sign_in(page, staging.server)
    page.goto(staging.server + path)
    page.get_by_role("button", name="Cancel the run").click()
    expect(page.get_by_text("It was cancelled.")).to_be_visible(timeout=PATIENCE)
    return path
