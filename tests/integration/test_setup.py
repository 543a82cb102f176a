"""`regreen setup`, with a script for the browser and a small site for GitHub."""

import html
import json
import re
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from fakes_small_site import SmallSite, small_site

from bot.adapters.github.needs import EVENTS, PERMISSIONS
from bot.commands import Shown
from bot.commands.setup import setup
from bot.commands.setup_plan import Plan
from bot.errors import ConfigurationError
from bot.settings import Settings, load

SECRET = "canary-webhook-secret"
PEM = "-----BEGIN RSA PRIVATE KEY-----\ncanary-key\n-----END RSA PRIVATE KEY-----\n"
MADE = {
    "id": 77,
    "slug": "regreen-acme",
    "html_url": "https://github.test/apps/regreen-acme",
    "webhook_secret": SECRET,
    "pem": PEM,
    "client_secret": "not kept",
}
PLAN = Plan("Regreen", public_url="https://regreen.example")


class Browser:
    """Goes where it is sent in a thread of its own, as a script says; `seen` are the answers."""

    def __init__(self, script: Callable[["Browser", str], None]) -> None:
        self.seen: list[httpx.Response] = []
        self.given: list[str] = []
        self._script = script
        self.thread = threading.Thread()

    def get(self, address: str, **headers: str) -> httpx.Response:
        self.seen.append(httpx.get(address, headers=headers, timeout=10))
        return self.seen[-1]

    def __call__(self, address: str) -> bool:
        self.given.append(address)
        begin = Path(urlsplit(address).path)
        assert stat.S_IMODE(begin.stat().st_mode) == 0o600
        page = re.search(r'url=([^"]+)"', begin.read_text())
        assert page
        self.thread = threading.Thread(target=self._script, args=(self, html.unescape(page[1])), daemon=True)
        self.thread.start()
        return True


def form(page: str) -> tuple[str, dict[str, object]]:
    """Where the form goes to, and the manifest in it."""
    action, value = (re.search(rf'{name}="([^"]*)"', page) for name in ("action", "value"))
    assert action
    assert value
    return html.unescape(action[1]), json.loads(html.unescape(value[1]))


def registers(browser: Browser, address: str) -> None:
    action, manifest = form(browser.get(address).text)
    state = action.partition("state=")[2]
    browser.get(f"{manifest['redirect_url']}?code=c0de&state={state}")


def registered(settings: Settings, browser: Browser) -> Shown:
    """Set up to its end, and the browser to its end too."""
    shown = setup(settings, PLAN, lambda _: None, browser)
    browser.thread.join(10)
    return shown


@pytest.fixture
def github() -> Iterator[SmallSite]:
    with small_site() as site:
        site.answers["POST /api/v3/app-manifests/c0de/conversions"] = (201, {}, json.dumps(MADE).encode())
        yield site


@pytest.fixture
def settings(github: SmallSite, tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data", github_url=github.url)


def test_the_manifest_asks_for_what_the_table_says_and_for_a_private_app(settings: Settings) -> None:
    browser = Browser(registers)
    registered(settings, browser)
    action, manifest = form(browser.seen[0].text)
    assert action.startswith(f"{settings.github_url}/settings/apps/new?state=")
    assert manifest["default_permissions"] == {one.name: one.level.word for one in PERMISSIONS}
    assert manifest["default_events"] == list(EVENTS)
    assert manifest["public"] is False
    assert manifest["hook_attributes"] == {"url": "https://regreen.example/webhook", "active": True}


def test_what_was_made_is_stored_for_this_user_alone_and_the_settings_find_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = registered(settings, Browser(registers))
    kept = {path.name: path for path in settings.data_dir.iterdir()}
    assert {name: stat.S_IMODE(path.stat().st_mode) for name, path in kept.items()} == {
        "app.env": 0o600,
        "app.pem": 0o600,
    }
    assert kept["app.pem"].read_text() == PEM
    for name in ("REGREEN_APP_ID", "REGREEN_GITHUB_URL", "REGREEN_WEBHOOK_SECRETS", "REGREEN_PRIVATE_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REGREEN_DATA_DIR", str(settings.data_dir))
    found = load()
    assert (found.app_id, found.bot_login) == (77, "regreen-acme[bot]")
    assert found.webhook_secrets[0].get_secret_value() == SECRET
    assert (found.public_url, found.github_url) == ("https://regreen.example", settings.github_url)
    told = json.dumps(shown.document) + "".join(shown.lines)
    assert "canary" not in told


def test_a_browser_is_started_with_nothing_that_another_user_must_not_know(settings: Settings) -> None:
    browser, told = Browser(registers), []
    setup(settings, PLAN, told.append, browser)
    browser.thread.join(10)
    assert browser.given == [(settings.data_dir / "register.html").as_uri()]
    assert "http://127.0.0.1:" in told[0]


def test_who_waits_is_told_until_when_how_to_end_it_and_how_to_reach_it_from_elsewhere(settings: Settings) -> None:
    browser, told = Browser(registers), []
    setup(settings, PLAN, told.append, browser)
    browser.thread.join(10)
    port = re.search(r"http://127\.0\.0\.1:([0-9]+)/", told[0])
    assert port
    assert f"ssh -L {port[1]}:127.0.0.1:{port[1]}" in told[1]
    assert re.search(r"until \d\d:\d\d .*Ctrl-C", told[2])


def test_a_plan_that_cannot_work_is_refused_before_the_page_opens(settings: Settings) -> None:
    plan = Plan("Regreen", public_url="nonsense")
    with pytest.raises(ConfigurationError, match="no https address"):
        setup(settings, plan, lambda _: None, lambda _: pytest.fail("nothing was to be opened"))
    assert not settings.data_dir.exists()


def test_a_code_that_comes_with_another_state_buys_nothing(settings: Settings, github: SmallSite) -> None:
    def attacked_then_registered(browser: Browser, address: str) -> None:
        back = re.sub(r"^(http://[^/]+)/.*", r"\1/created", address)
        browser.get(f"{back}?code=evil&state=guessed")
        browser.get(f"{back}?code=evil")
        registers(browser, address)

    browser = Browser(attacked_then_registered)
    registered(settings, browser)
    assert [answer.status_code for answer in browser.seen] == [403, 403, 200, 200]
    assert [path for _, path, _, _ in github.asked] == ["/api/v3/app-manifests/c0de/conversions"]


def test_the_state_is_shown_neither_at_another_address_nor_under_another_name(settings: Settings) -> None:
    def looked(browser: Browser, address: str) -> None:
        browser.get(re.sub(r"^(http://[^/]+)/.*", r"\1/", address))
        browser.get(address, Host="regreen.evil.example")
        registers(browser, address)

    browser = Browser(looked)
    registered(settings, browser)
    assert [answer.status_code for answer in browser.seen] == [404, 403, 200, 200]
    assert all("state=" not in answer.text for answer in browser.seen[:2])


def test_a_code_that_github_refuses_is_said_and_a_second_try_may_follow(settings: Settings) -> None:
    def twice(browser: Browser, address: str) -> None:
        action, manifest = form(browser.get(address).text)
        state = action.partition("state=")[2]
        browser.get(f"{manifest['redirect_url']}?code=used&state={state}")
        browser.get(f"{manifest['redirect_url']}?code=c0de&state={state}")

    browser = Browser(twice)
    registered(settings, browser)
    assert "refused the code" in browser.seen[1].text
    assert browser.seen[2].status_code == 200


@pytest.mark.parametrize("plan", [Plan("Regreen"), Plan("Regreen", public_url="https://a", smee_url="https://b")])
def test_it_asks_where_webhooks_go_before_anything_else(settings: Settings, plan: Plan) -> None:
    with pytest.raises(ConfigurationError, match="Where webhooks go"):
        setup(settings, plan, lambda _: None, lambda _: pytest.fail("nothing was to be opened"))


def test_a_stored_app_is_never_overwritten_unasked(settings: Settings) -> None:
    registered(settings, Browser(registers))
    with pytest.raises(ConfigurationError, match=r"stored in .* already"):
        setup(settings, PLAN, lambda _: None, lambda _: pytest.fail("nothing was to be opened"))
