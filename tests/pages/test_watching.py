"""From a label, by a click, to a pull request, seen by somebody who only looks."""

import re

from pages.browsing import Watched
from pages.history import BIG
from pages.staging import REPAIRED, Staging
from playwright.sync_api import Page, expect

MOST_BYTES = 2 * 1024 * 1024


def test_a_label_by_click_becomes_a_pull_request_while_the_page_follows_without_loading_again(
    repaired: Watched,
) -> None:
    assert re.fullmatch(r"Pull request #\d+", repaired.pull_request)
    assert repaired.reloads == 0
    assert repaired.looks == sorted(repaired.looks)
    # first steps came, then attempts, and all of them before the end
    assert len({steps for steps, _ in repaired.looks}) >= 3
    assert len({attempts for _, attempts in repaired.looks}) >= 3
    assert len(repaired.said) >= 3
    assert repaired.said[-1] == "The run has ended: Pull request."


def test_the_run_tells_what_each_attempt_changed_predicted_and_did(
    page: Page, staging: Staging, repaired: Watched
) -> None:
    page.goto(staging.server + repaired.path)
    first, second = (page.locator(f"#attempt-{number}") for number in (1, 2))
    for one, verdict, line in ((first, "Broke others", "score >= 0"), (second, "Solved", "score >= 50")):
        expect(one.get_by_text(verdict, exact=True)).to_be_visible()
        if not one.locator("pre.diff").is_visible():
            one.locator("summary").first.click()
        expect(one.locator("pre.diff .added")).to_contain_text(line)
    expect(first).to_contain_text("test_zero")
    expect(first).to_contain_text("every score should pass")
    expect(page.locator("#costs")).to_contain_text("scripted")
    expect(page.locator("#environment")).to_contain_text("pytest")


def test_the_matrix_shows_what_changed_and_folds_what_did_not(page: Page, staging: Staging, repaired: Watched) -> None:
    page.goto(staging.server + repaired.path)
    matrix = page.locator("#matrix")
    rows = matrix.locator("tbody tr")
    names = rows.locator("th").all_inner_texts()
    assert any("test_fifty" in name for name in names)
    assert any("test_zero" in name for name in names)
    assert not any("test_steady" in name for name in names)
    expect(matrix).to_contain_text(re.compile(r"6\d other tests pass"))
    assert {"fails", "fixed", "regressed"} <= set(re.findall(r'cell "\S+? ?([a-z]+)"', matrix.aria_snapshot()))


def test_every_download_is_there(page: Page, staging: Staging, repaired: Watched) -> None:
    page.goto(staging.server + repaired.path)
    links = page.locator("#files a").all()
    assert len(links) >= 5
    for link in links:
        answer = page.request.get(staging.server + str(link.get_attribute("href")))
        assert answer.ok
        assert answer.headers["content-disposition"].startswith("attachment")


def test_raw_output_comes_when_its_fold_is_opened(page: Page, staging: Staging, repaired: Watched) -> None:
    page.goto(staging.server + BIG.path)
    assert repaired.pull_request
    one = page.locator("#attempt-1")
    if not one.locator(".fold").first.is_visible():
        one.locator("summary").first.click()
    one.get_by_text(re.compile(r"^1 test run")).click()
    one.get_by_text("Raw output").click()
    expect(one.locator(".output")).to_contain_text(re.compile("FFFF|no longer|attempt"))


def test_five_thousand_tests_and_ten_attempts_fit_in_two_megabytes(page: Page, staging: Staging) -> None:
    answer = page.goto(staging.server + BIG.path)
    assert answer
    assert len(answer.body()) < MOST_BYTES
    expect(page.locator("#matrix")).to_contain_text(re.compile(r"4,\d\d\d other tests pass"))
    assert page.locator("#matrix tbody tr").count() <= 1_500
    assert page.locator("article.attempt").count() == 10


def test_runs_are_found_by_their_words_while_somebody_types(page: Page, staging: Staging, repaired: Watched) -> None:
    page.goto(f"{staging.server}/runs")
    assert repaired.pull_request
    page.get_by_label("State").select_option("not_reproduced")
    expect(page.locator("#found")).not_to_contain_text("pass again")
    page.get_by_label("Search").fill("no test shows")
    expect(page.locator("#found li").first).to_contain_text("No test shows what the issue says")
    expect(page.get_by_role("status")).to_have_text("6 runs.")
    page.get_by_role("link", name="Reset").click()
    expect(page.get_by_label("Search")).to_have_value("")
    page.get_by_role("link", name="Runs", exact=True).click()
    expect(page.locator("#found")).to_contain_text(REPAIRED)


def test_a_repository_shows_its_plots_and_the_same_as_a_table(page: Page, staging: Staging) -> None:
    page.goto(f"{staging.server}/repositories")
    page.get_by_role("link", name=REPAIRED).click()
    expect(page.get_by_role("img")).to_have_count(3)
    assert page.locator("rect.bar").count() > 20
    page.get_by_text("The same as a table").click()
    assert page.locator("table tbody tr").count() > 10
    page.get_by_role("link", name="7 days").click()
    expect(page.get_by_role("link", name="7 days")).to_have_attribute("aria-current", "true")
