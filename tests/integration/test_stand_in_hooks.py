"""The stand-in's webhooks, check suites, job logs and faults."""

import hashlib
import hmac
import json
import random
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from fakes_github_site import (
    MAINTAINER,
    REPOSITORY,
    GitHubSite,
    app_jwt,
    github_client,
    github_site,
    installation_token,
    rest,
)

from bot.demo.faults import Effect, Fault, Weather

SECRET = "it's a secret to everybody"
ISSUES = f"repos/{REPOSITORY}/issues"


class Receiver:
    """Keeps what it was sent and answers with `status`."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.status = 202
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append(({key.lower(): value for key, value in self.headers.items()}, body))
                self.send_response(receiver.status)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/webhook"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def events(self) -> list[str]:
        return [f"{headers['x-github-event']}.{json.loads(body).get('action', '')}" for headers, body in self.got]


@pytest.fixture
def site() -> Iterator[GitHubSite]:
    with github_site() as running:
        yield running


@pytest.fixture
def receiver(site: GitHubSite) -> Iterator[Receiver]:
    receiver = Receiver()
    site.stand_in.hook(receiver.url, SECRET)
    yield receiver
    receiver.server.shutdown()
    receiver.server.server_close()


def test_a_label_is_delivered_signed_with_what_a_receiver_needs(site: GitHubSite, receiver: Receiver) -> None:
    issue = site.state.open_issue(REPOSITORY, "Wrong", "body", by=MAINTAINER)
    site.state.add_label(REPOSITORY, issue.number, "regreen", by=MAINTAINER)
    assert site.state.hooks.wait_idle()
    assert receiver.events() == ["issues.opened", "issues.labeled"]
    headers, body = receiver.got[1]
    expected = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    assert headers["x-hub-signature-256"] == expected
    payload = json.loads(body)
    assert payload["label"]["name"] == "regreen"
    assert payload["installation"]["id"] == site.installation.id
    assert (payload["repository"]["full_name"], payload["sender"]["login"]) == (REPOSITORY, MAINTAINER)
    assert (payload["issue"]["number"], payload["issue"]["title"], payload["issue"]["body"]) == (1, "Wrong", "body")


def test_a_redelivery_asked_for_over_rest_keeps_guid_and_bytes(site: GitHubSite, receiver: Receiver) -> None:
    receiver.status = 500
    site.state.open_issue(REPOSITORY, "Wrong")
    assert site.state.hooks.wait_idle()
    with rest(site, app_jwt(site)) as client:
        (listed,) = client.get("app/hook/deliveries").json()
        assert (listed["status_code"], listed["redelivery"]) == (500, False)
        receiver.status = 202
        assert client.post(f"app/hook/deliveries/{listed['id']}/attempts").status_code == 202
        assert site.state.hooks.wait_idle()
        newest = client.get("app/hook/deliveries").json()[0]
        whole = client.get(f"app/hook/deliveries/{newest['id']}").json()
    assert (newest["guid"], newest["redelivery"], newest["status_code"]) == (listed["guid"], True, 202)
    assert whole["request"]["payload"]["action"] == "opened"
    first, second = receiver.got
    assert first[1] == second[1]
    assert first[0]["x-github-delivery"] == second[0]["x-github-delivery"] == listed["guid"]


def test_the_delivery_log_is_walked_by_cursor(site: GitHubSite, receiver: Receiver) -> None:
    for number in range(5):
        site.state.open_issue(REPOSITORY, f"issue {number}")
    assert site.state.hooks.wait_idle()
    seen = []
    with rest(site, app_jwt(site)) as client:
        address: str | None = "app/hook/deliveries?per_page=2"
        while address:
            page = client.get(address)
            seen += [one["guid"] for one in page.json()]
            address = page.links.get("next", {}).get("url")
    assert len(seen) == len(set(seen)) == len(receiver.got) == 5


def test_tests_hold_back_reorder_duplicate_and_lose_deliveries(site: GitHubSite, receiver: Receiver) -> None:
    hooks = site.state.hooks
    hooks.pause()
    issue = site.state.open_issue(REPOSITORY, "Wrong")
    site.state.add_label(REPOSITORY, issue.number, "regreen")
    site.state.comment(REPOSITORY, issue.number, "hello")
    opened, labeled, _ = hooks.pending
    hooks.reorder(lambda one: -one.id)
    hooks.duplicate(labeled.guid)
    hooks.drop(opened.guid)
    assert receiver.got == []
    hooks.resume()
    assert hooks.wait_idle()
    assert receiver.events() == ["issue_comment.created", "issues.labeled", "issues.labeled"]
    assert receiver.got[1][0]["x-github-delivery"] == receiver.got[2][0]["x-github-delivery"]


def test_a_receiver_that_is_down_is_logged_and_nothing_is_tried_again(site: GitHubSite) -> None:
    site.stand_in.hook("http://127.0.0.1:9/webhook", SECRET)
    site.state.open_issue(REPOSITORY, "Wrong")
    assert site.state.hooks.wait_idle()
    (failed,) = site.state.hooks.log
    assert (failed.status_code, failed.status) == (0, "failed to connect to host")


def test_a_red_suite_is_announced_and_its_log_stands_on_another_host(site: GitHubSite, receiver: Receiver) -> None:
    sha = site.state.commit(REPOSITORY, "main", {"src/shop.py": "def total(prices):\n    return 1\n"}, "Break")
    jobs = [("lint", "success", "fine\n"), ("test", "failure", "one\nFAILED test_total\n")]
    site.state.complete_suite(REPOSITORY, sha, "failure", jobs)
    assert site.state.hooks.wait_idle()
    assert receiver.events()[-1] == "check_suite.completed"
    suite = json.loads(receiver.got[-1][1])["check_suite"]
    assert (suite["conclusion"], suite["head_sha"], suite["head_branch"]) == ("failure", sha, "main")
    assert suite["app"]["id"] == 15368
    runs = list(github_client(site).get_repo(REPOSITORY).get_check_suite(suite["id"]).get_check_runs())
    (red,) = [run for run in runs if run.conclusion == "failure"]
    with rest(site, installation_token(site, permissions={"actions": "read"})) as client:
        assert client.get(f"repos/{REPOSITORY}/actions/jobs/{red.id}").json()["name"] == "test"
        moved = client.get(f"repos/{REPOSITORY}/actions/jobs/{red.id}/logs")
    target = httpx.URL(moved.headers["location"])
    assert moved.status_code == 302
    assert target.host != httpx.URL(site.api_url).host
    assert httpx.get(target, trust_env=False).text.splitlines()[1].endswith("Z FAILED test_total")


def test_a_token_sent_to_the_log_host_fails_the_test() -> None:
    with github_site(check=False) as site:
        sha = site.state.repository(REPOSITORY).git.refs()["refs/heads/main"]
        site.state.complete_suite(REPOSITORY, sha, "failure", [("test", "failure", "x")])
        (run,) = site.state.repository(REPOSITORY).runs
        with rest(site, installation_token(site)) as client:
            target = client.get(f"repos/{REPOSITORY}/actions/jobs/{run}/logs").headers["location"]
        assert httpx.get(target, headers={"Authorization": "Bearer x"}, trust_env=False).status_code == 400
        with pytest.raises(AssertionError, match="leaks"):
            site.stand_in.check()


def test_the_apps_own_check_run_ends_its_own_suite(site: GitHubSite, receiver: Receiver) -> None:
    sha = site.state.commit(REPOSITORY, "main", {"a": "b"}, "Change")
    repository = github_client(site).get_repo(REPOSITORY)
    run = repository.create_check_run("Regreen", sha, status="in_progress", external_id="issue-1")
    run.edit(conclusion="success", output={"title": "Done", "summary": "All green"})
    assert site.state.hooks.wait_idle()
    assert receiver.events() == [
        "push.",
        "check_suite.requested",
        "check_run.created",
        "check_run.completed",
        "check_suite.completed",
    ]
    assert json.loads(receiver.got[-1][1])["check_suite"]["app"]["id"] == 1


def test_an_ordered_error_strikes_as_often_as_told(site: GitHubSite) -> None:
    site.state.inject(Fault("POST", r"/issues$", status=502, times=2))
    with rest(site, installation_token(site)) as client:
        answers = [client.post(ISSUES, json={"title": "x"}).status_code for _ in range(3)]
    assert answers == [502, 502, 201]
    assert len(site.state.issues(REPOSITORY)) == 1


def test_a_post_that_worked_may_answer_502(site: GitHubSite) -> None:
    site.state.inject(Fault("POST", r"/issues$", status=502, after_effect=True))
    with rest(site, installation_token(site)) as client:
        assert client.post(ISSUES, json={"title": "x"}).status_code == 502
    assert [issue.title for issue in site.state.issues(REPOSITORY)] == ["x"]


@pytest.mark.parametrize("after_effect", [False, True])
def test_a_connection_may_be_dropped_before_or_after_the_effect(site: GitHubSite, *, after_effect: bool) -> None:
    site.state.inject(Fault("POST", r"/issues$", effect=Effect.DROP, after_effect=after_effect))
    with rest(site, installation_token(site)) as client:
        with pytest.raises(httpx.TransportError):
            client.post(ISSUES, json={"title": "x"})
        assert client.get(ISSUES).status_code == 200
    assert len(site.state.issues(REPOSITORY)) == int(after_effect)


def test_both_rate_limits_answer_with_githubs_headers(site: GitHubSite) -> None:
    site.state.inject(Fault("GET", "/issues", effect=Effect.SECONDARY_LIMIT, seconds=7))
    site.state.inject(Fault("GET", "/issues", effect=Effect.PRIMARY_LIMIT, seconds=60))
    with rest(site, installation_token(site)) as client:
        secondary, primary, well = (client.get(ISSUES) for _ in range(3))
    assert (secondary.status_code, secondary.headers["retry-after"]) == (403, "7")
    assert (primary.status_code, primary.headers["x-ratelimit-remaining"]) == (403, "0")
    assert int(primary.headers["x-ratelimit-reset"]) >= int(well.headers["x-ratelimit-reset"]) - 3600
    assert well.status_code == 200


def test_a_delay_runs_into_the_clients_timeout(site: GitHubSite) -> None:
    site.state.inject(Fault("GET", "/issues", effect=Effect.DELAY, seconds=1.5))
    with rest(site, installation_token(site)) as client, pytest.raises(httpx.ReadTimeout):
        client.get(ISSUES, timeout=0.3)


def test_a_share_of_the_requests_is_struck_by_chance(site: GitHubSite) -> None:
    kinds = [Fault("*", "", status=502), Fault("POST", "", status=500, after_effect=True)]
    site.state.faults.weather = Weather(0.3, kinds, random.Random(7), path=r"/issues")  # noqa: S311 - no secret hangs on it
    with rest(site, installation_token(site)) as client:
        answers = [client.get(ISSUES).status_code for _ in range(100)]
        assert client.get(f"repos/{REPOSITORY}").status_code == 200
    assert set(answers) == {200, 502}
    assert 15 <= answers.count(502) <= 45
    assert site.state.faults.struck == answers.count(502)


def test_webhooks_may_come_late_and_twice(site: GitHubSite, receiver: Receiver) -> None:
    delays = {"opened": [3600.0], "labeled": [0.0, 0.01]}
    site.state.hooks.disorder = lambda delivery: delays[delivery.action]
    site.state.open_issue(REPOSITORY, "Wrong", labels=["bug"])
    assert not site.state.hooks.wait_idle(1.0)
    while len(site.state.hooks.log) < 2:
        time.sleep(0.01)
    assert receiver.events() == ["issues.labeled", "issues.labeled"]
    assert len({headers["x-github-delivery"] for headers, _ in receiver.got}) == 1
    assert len({delivery.id for delivery in site.state.hooks.log}) == 2
    assert [delivery.action for delivery in site.state.hooks.pending] == ["opened"]
