"""What operators do on the pages, what nobody else can, and the same without a mouse and without scripts."""

import re
import time

from pages.browsing import PATIENCE, NewPage, sign_in
from pages.history import HIDDEN
from pages.staging import SECRET, TOKEN, Staging
from playwright.sync_api import Locator, Page, expect


def test_an_operator_cancels_a_run_that_would_not_end(page: Page, staging: Staging, cancelled: str) -> None:
    page.goto(staging.server + cancelled)
    expect(page.locator("#summary")).to_contain_text("Cancelled")
    expect(page.locator("#summary")).to_contain_text("an operator of this Regreen stopped it")
    expect(page.get_by_role("button", name="Retry")).to_have_count(0)


def test_an_operator_retries_it_without_scripts_and_cancels_the_new_run(
    new_page: NewPage, staging: Staging, cancelled: str
) -> None:
    page = new_page(java_script_enabled=False)
    sign_in(page, staging.server)
    page.goto(staging.server + cancelled)
    page.get_by_role("button", name="Retry").click()
    new_run = page.get_by_role("link", name="The new run")
    _look_again(page, new_run)
    new_run.click()
    page.get_by_role("button", name="Cancel the run").click()
    _look_again(page, page.get_by_text("It was cancelled."))


def test_on_this_machine_whoever_did_not_sign_in_reads_and_changes_nothing(
    page: Page, staging: Staging, cancelled: str
) -> None:
    page.goto(staging.server + cancelled)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("main button")).to_have_count(0)
    answer = page.request.post(f"{staging.server}/wishes", form={"identity": "x", "what": "cancel"})
    assert answer.status == 403


def test_elsewhere_everything_asks_for_the_token_and_a_wrong_one_opens_nothing(page: Page, staging: Staging) -> None:
    page.goto(f"{staging.elsewhere}/runs?state=unsolved")
    expect(page).to_have_url(re.compile("/sign-in"))
    page.get_by_label("Operator's token").fill("not-the-token-of-anybody")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_have_text("This is not the operator's token.")
    page.get_by_label("Operator's token").fill(TOKEN)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{staging.elsewhere}/runs?state=unsolved")
    cookie = next(each for each in page.context.cookies() if each.get("name") == "regreen")
    assert (cookie.get("httpOnly"), cookie.get("sameSite")) == (True, "Strict")
    assert page.request.get(f"{staging.elsewhere}/metrics").ok
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{staging.elsewhere}/runs")
    expect(page).to_have_url(re.compile("/sign-in"))
    assert page.request.get(f"{staging.elsewhere}/metrics").status == 401


def test_a_link_on_another_site_leads_an_operator_on(page: Page, staging: Staging) -> None:
    sign_in(page, staging.elsewhere)
    other = staging.github.replace("127.0.0.1", "localhost")
    page.goto(other)
    page.evaluate(
        "address => { const link = document.createElement('a'); link.href = address; link.textContent = 'There';"
        " document.body.append(link) }",
        f"{staging.elsewhere}/repositories",
    )
    page.get_by_text("There", exact=True).click()
    page.get_by_role("link", name="Go on to the page").click()
    expect(page.get_by_role("heading", name="Repositories")).to_be_visible()


def test_hidden_repositories_are_shown_to_operators_alone(page: Page, staging: Staging) -> None:
    lists = ["/runs", "/repositories", f"/runs?repository={SECRET}"]
    ways = [HIDDEN.path, f"{HIDDEN.path}/events", f"{HIDDEN.path}/files/log.jsonl", f"/repositories/{SECRET}"]
    assert [page.request.get(staging.server + way).status for way in ways] == [404] * 4
    assert not any("secret-plans" in page.request.get(staging.server + way).text() for way in lists[:2])
    sign_in(page, staging.server)
    assert [page.request.get(staging.server + way).status for way in (HIDDEN.path, ways[3])] == [200, 200]
    assert all("secret-plans" in page.request.get(staging.server + way).text() for way in lists)


def test_everything_is_done_with_the_keyboard_alone(page: Page, staging: Staging, cancelled: str) -> None:
    page.goto(f"{staging.server}/sign-in?next=/runs")
    expect(page.get_by_label("Operator's token")).to_be_focused()
    page.keyboard.type(TOKEN)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    reach(page, page.get_by_role("link", name=re.compile("Stopped: an operator")).first)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/runs/"))
    assert cancelled
    reach(page, page.get_by_role("button", name="Retry"))
    reach(page, page.get_by_role("button", name="Sign out"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def reach(page: Page, goal: Locator) -> None:
    """Press Tab until it has the focus, and see that."""
    for _ in range(200):
        page.keyboard.press("Tab")
        if goal.evaluate("one => one === document.activeElement"):
            assert goal.evaluate("one => getComputedStyle(one).outlineStyle") != "none"
            return
    raise AssertionError(f"no key leads to {goal}")


def _look_again(page: Page, goal: Locator) -> None:
    """Ask again by the link, as long as a worker takes."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not goal.is_visible():
        assert time.monotonic() < deadline, page.locator("main").inner_text()
        time.sleep(0.5)
        again = page.get_by_role("link", name="Look again")
        if again.is_visible():
            again.click()
