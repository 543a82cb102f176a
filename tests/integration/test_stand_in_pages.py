"""The stand-in as a person in a browser sees it, and as a process."""

import json
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fakes_github_site import MAINTAINER, READER, REPOSITORY, GitHubSite, github_client, github_site, key_pair

from bot.demo.server import TOKENS_FILE


@pytest.fixture
def site() -> Iterator[GitHubSite]:
    with github_site() as running:
        yield running


@pytest.fixture
def browser(site: GitHubSite) -> Iterator[httpx.Client]:
    """Somebody at the pages; a browser sends the page's origin with every form."""
    base = site.stand_in.base_url
    with httpx.Client(base_url=base, headers={"Origin": base}, follow_redirects=True, trust_env=False) as client:
        yield client


def act_as(browser: httpx.Client, login: str) -> None:
    assert browser.post("/_as", data={"login": login, "back": "/"}).status_code == 200


def test_a_person_files_an_issue_labels_it_and_comments(site: GitHubSite, browser: httpx.Client) -> None:
    act_as(browser, MAINTAINER)
    filed = browser.post(
        f"/{REPOSITORY}/issues", data={"title": "Totals <b>wrong</b>", "body": "- [ ] fix\r\n- [x] see"}
    )
    assert filed.url.path == f"/{REPOSITORY}/issues/1"
    assert "Totals &lt;b&gt;wrong&lt;/b&gt;" in filed.text
    assert filed.text.count('type="checkbox"') == 2
    assert "+ regreen" in filed.text
    labelled = browser.post(f"/{REPOSITORY}/issues/1/labels", data={"name": "regreen"})
    assert "regreen \N{MULTIPLICATION SIGN}" in labelled.text
    browser.post(f"/{REPOSITORY}/issues/1/comments", data={"body": "**please**"})
    (issue,) = site.state.issues(REPOSITORY)
    assert (issue.author.login, issue.labels, issue.body) == (MAINTAINER, ["regreen"], "- [ ] fix\n- [x] see")
    assert [one.action for one in site.state.hooks.pending] == ["opened", "labeled", "created"]
    browser.post(f"/{REPOSITORY}/issues/1/labels", data={"name": "regreen"})
    assert issue.labels == []


def test_a_reader_cannot_label_or_close(site: GitHubSite, browser: httpx.Client) -> None:
    site.state.open_issue(REPOSITORY, "Wrong")
    act_as(browser, READER)
    assert "may not change labels" in browser.get(f"/{REPOSITORY}/issues/1").text
    assert browser.post(f"/{REPOSITORY}/issues/1/labels", data={"name": "regreen"}).status_code == 403
    assert browser.post(f"/{REPOSITORY}/issues/1/state", data={"state": "closed"}).status_code == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", ""])
def test_another_sites_form_is_refused(site: GitHubSite, browser: httpx.Client, origin: str) -> None:
    sent = browser.post(f"/{REPOSITORY}/issues", data={"title": "spam"}, headers={"Origin": origin})
    assert sent.status_code == 403
    assert site.state.issues(REPOSITORY) == []


def test_a_foreign_name_for_this_machine_reads_nothing(browser: httpx.Client) -> None:
    assert browser.get("/", headers={"Host": "evil.example"}).status_code == 421


def test_a_page_runs_nothing_that_somebody_wrote(site: GitHubSite, browser: httpx.Client) -> None:
    attack = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    site.state.open_issue(REPOSITORY, attack, attack, labels=[attack[:40]])
    page = browser.get(f"/{REPOSITORY}/issues/1")
    assert "<script>alert" not in page.text
    assert "onerror=alert(1)>" not in page.text.replace("onerror=alert(1)&gt;", "")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert re.findall(r"(?:src|href)=\"(https?://[^\"]+)", page.text) == []


def test_a_pull_request_page_shows_diff_commits_checks_and_closes(site: GitHubSite, browser: httpx.Client) -> None:
    sha = site.state.commit(
        REPOSITORY, "regreen/issue-1", {"src/shop.py": "def total(prices):\n    return 0\n"}, "Fix it"
    )
    repository = github_client(site).get_repo(REPOSITORY)
    pull = repository.create_pull(base="main", head="regreen/issue-1", title="Fix", body="Fixes #9", draft=True)
    site.state.complete_suite(REPOSITORY, sha, "failure", [("test", "failure", "FAILED <one>\n")])
    page = browser.get(pull.html_url).text
    for part in (
        'class="badge draft"',
        '<span class="added">+    return 0',
        '<span class="removed">-',
        "Fix it",
        "issues/9",
    ):
        assert part in page
    run = re.search(rf'href="(/{REPOSITORY}/runs/\d+)"', page)
    assert run is not None
    assert "FAILED &lt;one&gt;" in browser.get(run[1]).text
    closed = browser.post(f"/{REPOSITORY}/issues/{pull.number}/state", data={"state": "closed"})
    assert 'class="badge closed"' in closed.text
    assert repository.get_pull(pull.number).state == "closed"


def test_every_other_page_answers_and_unknown_ones_say_so(site: GitHubSite, browser: httpx.Client) -> None:
    sha = site.state.commit(REPOSITORY, "main", {"a": "b"}, "Change")
    for path in (
        "/",
        f"/{REPOSITORY}",
        f"/{REPOSITORY}/pulls",
        f"/{REPOSITORY}/issues/new",
        f"/{REPOSITORY}/commit/{sha}",
    ):
        assert browser.get(path).status_code == 200, path
    assert "text/css" in browser.get("/_static/style.css").headers["content-type"]
    for path in ("/octo/none", f"/{REPOSITORY}/issues/99", f"/{REPOSITORY}/runs/1", "/_static/base.html"):
        assert browser.get(path).status_code == 404, path


def test_one_of_a_kind_is_counted_as_one(site: GitHubSite, browser: httpx.Client) -> None:
    assert "0 open issues" in browser.get("/").text
    site.state.open_issue(REPOSITORY, "Wrong")
    browser.post(f"/{REPOSITORY}/issues/1/comments", data={"body": "yes"})
    assert re.search(r"1 open issue\s", browser.get("/").text)
    assert re.search(r"1 comment\s*<", browser.get(f"/{REPOSITORY}/issues").text)


def test_a_delivery_is_sent_again_from_its_page(site: GitHubSite, browser: httpx.Client) -> None:
    site.stand_in.hook("http://127.0.0.1:9/webhook", "a secret of some length")
    site.state.open_issue(REPOSITORY, "Wrong")
    assert site.state.hooks.wait_idle()
    (first,) = site.state.hooks.log
    browser.post(f"/_deliveries/{first.id}")
    assert site.state.hooks.wait_idle()
    assert browser.get("/_deliveries").text.count(first.guid) == 2


@pytest.mark.slow
def test_runs_as_a_process_from_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "README.md").write_text("# Shop\n")
    (tmp_path / "app.pub").write_text(key_pair()[1])
    (tmp_path / "webhook.secret").write_text("a secret of some length\n")
    config = {
        "app": {"public_key_file": "app.pub"},
        "webhook": {"url": "http://127.0.0.1:9/webhook", "secret_file": "webhook.secret"},
        "repositories": [{"full_name": REPOSITORY, "source": "shop", "collaborators": {MAINTAINER: "maintain"}}],
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    state = tmp_path / "state"
    state.mkdir()
    command = [
        sys.executable,
        "-m",
        "bot.demo.server",
        "--state-dir",
        str(state),
        "--config",
        str(tmp_path / "config.json"),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        base = process.stdout.readline().split()[-1]
        tokens = state / TOKENS_FILE
        headers = {"Authorization": f"Bearer {json.loads(tokens.read_text())[MAINTAINER]}"}
        answer = httpx.get(f"{base}/api/v3/repos/{REPOSITORY}", headers=headers, trust_env=False)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    assert answer.json()["permissions"]["maintain"] is True
    assert stat.S_IMODE(tokens.stat().st_mode) == 0o600
