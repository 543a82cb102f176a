"""The doctor's look at GitHub and at model servers, over a small site of a test's own."""

import json
import time
from collections.abc import Iterator, Mapping
from email.utils import formatdate
from typing import Any

import pytest
from fakes_small_site import SmallSite, small_site
from github_worlds import Keys
from pydantic import SecretStr

from bot.adapters.github.needs import EVENTS, PERMISSIONS
from bot.adapters.github.tokens import InstallationTokens
from bot.commands.checks import Check, State
from bot.commands.doctor_models import models
from bot.commands.doctor_site import Site
from bot.settings import Settings

GRANTED = {one.name: one.level.word for one in PERMISSIONS}
APP = {"slug": "regreen", "permissions": GRANTED, "events": list(EVENTS)}
INSTALLED = {"account": {"login": "acme"}, "suspended_at": None, "permissions": GRANTED}


def delivery(number: int, status: int) -> dict[str, Any]:
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60 * number))
    return {"id": number, "guid": f"g{number}", "delivered_at": at, "event": "issues", "status_code": status}


class GitHubSite:
    """A GitHub that answers what a doctor asks; `change` one answer for a test."""

    def __init__(self, site: SmallSite, keys: Keys) -> None:
        self.site = site
        self.settings = Settings(github_url=site.url, public_url=site.url)
        self.tokens = InstallationTokens(42, SecretStr(keys.private), f"{site.url}/api/v3", backoff=0.01)
        self.change("GET /api/v3/rate_limit", {})
        self.change("GET /api/v3/app", APP)
        self.change("GET /api/v3/app/installations", [INSTALLED])
        self.change("GET /api/v3/app/hook/config", {"url": f"{site.url}/webhook"})
        self.change("GET /api/v3/app/hook/deliveries", [delivery(1, 202), delivery(2, 502)])
        self.change("POST /webhook", {"outcome": "bad_signature"}, 401)

    def change(self, request: str, answer: object, status: int = 200, **headers: str) -> None:
        self.site.answers[request] = (status, headers, json.dumps(answer).encode())

    def checks(self) -> dict[str, Check]:
        return {one.topic: one for one in Site(self.settings, self.tokens).checks()}

    def broken(self) -> dict[str, str]:
        return {topic: one.seen for topic, one in self.checks().items() if one.state is State.BROKEN}


@pytest.fixture(scope="module")
def keys() -> Keys:
    return Keys.make()


@pytest.fixture
def github(keys: Keys) -> Iterator[GitHubSite]:
    with small_site() as site:
        yield GitHubSite(site, keys)


def test_an_app_with_what_it_needs_is_well_whose_webhook_refuses_what_is_unsigned(github: GitHubSite) -> None:
    found = github.checks()
    assert {one.state for one in found.values()} == {State.HOLDS}
    assert "401" in found["webhook"].seen
    assert "2 in 3 days, 1 of them failed" in found["deliveries"].seen


def test_what_the_app_lacks_is_named_one_by_one(github: GitHubSite) -> None:
    less = {**GRANTED, "issues": "read"}
    del less["statuses"]
    github.change("GET /api/v3/app", {**APP, "permissions": less, "events": ["issues", "push"]})
    found = github.broken()
    assert found["permissions"] == "missing: issues: write, statuses: read"
    assert "check_suite" in found["events"]
    assert "issues," not in found["events"]


def test_what_it_has_beyond_need_is_told_and_breaks_nothing(github: GitHubSite) -> None:
    github.change("GET /api/v3/app", {**APP, "permissions": {**GRANTED, "workflows": "write"}})
    assert github.broken() == {}
    assert github.checks()["permissions beyond need"].seen == "workflows: write"


def test_permissions_that_an_installation_has_not_accepted_are_broken_and_suspension_is_told(
    github: GitHubSite,
) -> None:
    lagging = {**INSTALLED, "account": {"login": "old"}, "permissions": {"metadata": "read"}}
    suspended = {**INSTALLED, "account": {"login": "off"}, "suspended_at": "2026-11-30T00:00:00Z"}
    github.change("GET /api/v3/app/installations", [INSTALLED, lagging, suspended])
    assert github.broken() == {"permissions accepted": "not by old"}
    assert github.checks()["suspended"].seen == "off"


@pytest.mark.parametrize(("status", "said"), [(404, "answers 404"), (200, "answers 200")])
def test_a_webhook_that_leads_to_something_else_is_broken(github: GitHubSite, status: int, said: str) -> None:
    github.change("POST /webhook", {}, status)
    assert said in github.broken()["webhook"]


def test_a_webhook_that_goes_elsewhere_than_the_settings_say_is_broken(github: GitHubSite) -> None:
    github.change("GET /api/v3/app/hook/config", {"url": "https://old.example/webhook"})
    assert github.broken() == {"webhook": "goes to https://old.example/webhook"}


def test_a_newest_delivery_that_failed_is_broken_and_none_at_all_is_open(github: GitHubSite) -> None:
    github.change("GET /api/v3/app/hook/deliveries", [delivery(1, 502), delivery(2, 202)])
    assert "failed" in github.broken()["deliveries"]
    github.change("GET /api/v3/app/hook/deliveries", [])
    assert github.checks()["deliveries"].state is State.OPEN


@pytest.mark.parametrize(("ahead", "state"), [(5.0, State.HOLDS), (95.0, State.BROKEN)])
def test_a_clock_that_is_far_from_githubs_is_broken(github: GitHubSite, ahead: float, state: State) -> None:
    github.site.dated = formatdate(time.time() - ahead, usegmt=True)
    assert github.checks()["clock"].state is state


def test_a_key_that_github_refuses_is_named_and_nothing_more_is_asked(github: GitHubSite) -> None:
    github.change("GET /api/v3/app", {"message": "A JSON web token could not be decoded"}, 401)
    assert "credentials" in github.broken()["GitHub"]
    assert "webhook" not in github.checks()


@pytest.fixture
def model_server() -> Iterator[SmallSite]:
    with small_site() as site:
        site.answers["GET /v1/models"] = (200, {"Content-Type": "application/json"}, b'{"data": [{"id": "small"}]}')
        yield site


def looked(site: SmallSite, **changes: object) -> Mapping[str, Check]:
    chosen = Settings().model_copy(update={"openai_base_url": f"{site.url}/v1", "model": "small", **changes})
    return {one.topic: one for one in models(chosen)}


def test_a_model_that_is_served_and_free_is_well(model_server: SmallSite) -> None:
    found = looked(model_server, free_models=("small",))
    assert {one.state for one in found.values()} == {State.HOLDS}


def test_a_model_without_a_price_is_broken_before_a_worker_ends_at_it(model_server: SmallSite) -> None:
    assert looked(model_server)["price: coder"].state is State.BROKEN


def test_a_model_that_is_not_listed_is_open_and_a_server_that_is_down_is_broken(model_server: SmallSite) -> None:
    found = looked(model_server, model="large", free_models=("*",))
    assert found["model server: coder"].state is State.OPEN
    gone = looked(model_server, openai_base_url="http://127.0.0.1:9/v1")
    assert gone["model server: coder"].state is State.BROKEN
    assert "OPENAI_BASE_URL" in gone["model server: coder"].remedy
