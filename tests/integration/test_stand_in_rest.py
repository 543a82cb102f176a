"""The stand-in's REST as PyGithub and plain HTTP see it."""

from collections.abc import Iterator
from datetime import timedelta

import httpx
import jwt
import pytest
from fakes_github_site import (
    MAINTAINER,
    OUTSIDER,
    READER,
    REPOSITORY,
    GitHubSite,
    app_jwt,
    github_client,
    github_site,
    installation_token,
    key_pair,
    rest,
)
from github import GithubException

MARKER = "<!-- regreen:status issue-1 -->"


@pytest.fixture
def site() -> Iterator[GitHubSite]:
    with github_site() as running:
        yield running


def test_an_issue_from_filing_to_the_closing_comment(site: GitHubSite) -> None:
    repository = github_client(site).get_repo(REPOSITORY)
    issue = repository.create_issue("Totals are wrong", body="`total([])` fails")
    issue.add_to_labels("bug", "regreen")
    issue.remove_from_labels("bug")
    comment = issue.create_comment(f"{MARKER}\nworking")
    comment.edit(f"{MARKER}\ndone")
    comment.create_reaction("rocket")
    issue.create_reaction("eyes")
    issue.edit(state="closed", state_reason="completed")
    again = repository.get_issue(issue.number)
    assert ([label.name for label in again.labels], again.state, again.comments) == (["regreen"], "closed", 1)
    (found,) = [one for one in again.get_comments() if MARKER in one.body]
    assert (found.body, found.user.login, found.user.type) == (f"{MARKER}\ndone", "regreen[bot]", "Bot")
    assert found.raw_data["performed_via_github_app"]["slug"] == "regreen"
    assert [one.number for one in repository.get_issues(state="all", labels=["regreen"])] == [issue.number]


def test_a_list_longer_than_a_page_is_walked_by_its_links(site: GitHubSite) -> None:
    for number in range(65):
        site.state.open_issue(REPOSITORY, f"issue {number}")
    repository = github_client(site).get_repo(REPOSITORY)
    assert {issue.number for issue in repository.get_issues()} == set(range(1, 66))
    with rest(site, installation_token(site)) as client:
        answer = client.get(f"repos/{REPOSITORY}/issues?per_page=30&page=2")
    assert set(answer.links) == {"prev", "next", "first", "last"}
    assert answer.links["last"]["url"].endswith("per_page=30&page=3")


def test_a_token_dies_after_its_hour_and_a_new_one_works(site: GitHubSite) -> None:
    token = installation_token(site)
    state = site.state
    with rest(site, token) as client:
        assert client.get(f"repos/{REPOSITORY}").status_code == 200
        before = state.clock
        state.clock = lambda: before() + timedelta(minutes=61)
        refused = client.get(f"repos/{REPOSITORY}")
    assert (refused.status_code, refused.json()["message"]) == (401, "Bad credentials")
    with rest(site, installation_token(site)) as client:
        assert client.get(f"repos/{REPOSITORY}").status_code == 200


def test_expired_on_demand_and_never_issued_tokens_are_refused(site: GitHubSite) -> None:
    token = installation_token(site)
    site.state.expire_tokens()
    for credential in (token, "ghs_invented", ""):
        with rest(site, credential) as client:
            assert client.get(f"repos/{REPOSITORY}").status_code == 401


@pytest.mark.parametrize(
    ("claims", "status"),
    [({}, 200), ({"life": 900}, 401), ({"life": -120}, 401), ({"age": -120}, 401), ({"issuer": 2}, 401)],
)
def test_the_apps_jwt_must_be_its_own_and_live_ten_minutes_at_most(
    site: GitHubSite, claims: dict[str, float], status: int
) -> None:
    with rest(site, app_jwt(site, **claims)) as client:
        assert client.get("app").status_code == status


def test_a_jwt_signed_with_the_shared_public_key_is_refused(site: GitHubSite) -> None:
    header, claims, _ = app_jwt(site).split(".")
    forged = jwt.encode({"iss": "1", "iat": 1, "exp": 9_999_999_999}, "x" * 32, algorithm="HS256")
    for credential in (f"{header}.{claims}.AAAA", forged, f"{header}.{claims}."):
        with rest(site, credential) as client:
            assert client.get("app").status_code == 401
    assert key_pair()[1].startswith("-----BEGIN PUBLIC KEY")


@pytest.mark.parametrize(
    ("permissions", "path", "body", "status"),
    [
        ({"issues": "read"}, "issues", {"title": "x"}, 403),
        ({"issues": "write"}, "issues", {"title": "x"}, 201),
        ({"contents": "read"}, "git/blobs", {"content": "x"}, 403),
        ({"contents": "write"}, "git/blobs", {"content": "x"}, 201),
        ({"contents": "write"}, "pulls", {"title": "x", "head": "a", "base": "main"}, 403),
        ({"issues": "write"}, "labels", {"name": "x"}, 201),
        ({"pull_requests": "write"}, "issues/1/comments", {"body": "x"}, 403),
    ],
)
def test_a_token_does_only_what_it_was_narrowed_to(
    site: GitHubSite, permissions: dict[str, str], path: str, body: dict[str, str], status: int
) -> None:
    site.state.open_issue(REPOSITORY, "first")
    with rest(site, installation_token(site, permissions=permissions)) as client:
        answer = client.post(f"repos/{REPOSITORY}/{path}", json=body)
    assert answer.status_code == status
    assert status != 403 or answer.json()["message"] == "Resource not accessible by integration"


def test_a_token_sees_only_the_repositories_it_was_narrowed_to(site: GitHubSite) -> None:
    site.state.add_repository("octo/other", {"a": "b"})
    site.state.add_repository("octo/foreign", {"a": "b"}, installed=False)
    with rest(site, installation_token(site, repositories=["shop"])) as client:
        assert [client.get(f"repos/octo/{name}").status_code for name in ("shop", "other", "foreign", "none")] == [
            200,
            404,
            404,
            404,
        ]
        listed = client.get("installation/repositories").json()
    assert [one["full_name"] for one in listed["repositories"]] == [REPOSITORY]


@pytest.mark.parametrize("wanted", [{"permissions": {"administration": "write"}}, {"repositories": ["secret"]}])
def test_a_token_cannot_be_wider_than_its_installation(site: GitHubSite, wanted: dict[str, object]) -> None:
    with pytest.raises(httpx.HTTPStatusError, match="422"):
        installation_token(site, **wanted)


def test_people_do_what_their_level_allows(site: GitHubSite) -> None:
    site.state.open_issue(REPOSITORY, "first")
    outcomes = {}
    for login in (MAINTAINER, READER, OUTSIDER):
        with rest(site, site.state.issue_user_token(login)) as client:
            comment = client.post(f"repos/{REPOSITORY}/issues/1/comments", json={"body": "hello"})
            label = client.post(f"repos/{REPOSITORY}/issues/1/labels", json={"labels": ["bug"]})
            blob = client.post(f"repos/{REPOSITORY}/git/blobs", json={"content": "x"})
            outcomes[login] = (comment.status_code, label.status_code, blob.status_code)
    assert outcomes == {MAINTAINER: (201, 200, 201), READER: (201, 403, 403), OUTSIDER: (201, 403, 403)}


def test_the_permission_endpoint_tells_levels_as_github_does(site: GitHubSite) -> None:
    repository = github_client(site).get_repo(REPOSITORY)
    assert repository.get_collaborator_permission(MAINTAINER) == "write"
    assert repository.get_collaborator_role_name(MAINTAINER) == "maintain"
    assert repository.get_collaborator_permission(OUTSIDER) == "read"
    with pytest.raises(GithubException) as refused:
        repository.get_collaborator_permission("nobody")
    assert refused.value.status == 404


def test_a_private_repository_is_not_there_for_outsiders(site: GitHubSite) -> None:
    site.state.add_repository("octo/vault", {"a": "b"}, private=True)
    with rest(site, site.state.issue_user_token(OUTSIDER)) as client:
        assert client.get("repos/octo/vault").status_code == 404


def test_bodies_beyond_githubs_limit_are_refused(site: GitHubSite) -> None:
    issue = github_client(site).get_repo(REPOSITORY).create_issue("x", body="b" * 65_536)
    with pytest.raises(GithubException) as refused:
        issue.create_comment("b" * 65_537)
    assert refused.value.status == 422
    assert "too long" in str(refused.value)


def test_a_request_that_the_description_refuses_fails_whoever_checks() -> None:
    with github_site(check=False) as site:
        with rest(site, installation_token(site)) as client:
            answers = [
                client.post(f"repos/{REPOSITORY}/issues", json={"title": "x", "boby": "y"}),
                client.get(f"repos/{REPOSITORY}/isues"),
                client.get(f"repos/{REPOSITORY}/issues?pagesize=3"),
            ]
        assert [answer.status_code for answer in answers] == [422, 404, 422]
        assert len(site.stand_in.violations) == 3
        with pytest.raises(AssertionError, match="boby"):
            site.stand_in.check()


def test_broken_json_is_a_400(site: GitHubSite) -> None:
    with rest(site, installation_token(site)) as client:
        assert client.post(f"repos/{REPOSITORY}/issues", content=b"{").status_code == 400


def test_the_request_log_counts(site: GitHubSite) -> None:
    with rest(site, installation_token(site)) as client:
        for _ in range(3):
            client.post(f"repos/{REPOSITORY}/issues", json={"title": "x"})
    assert site.state.count("POST", r"/issues$") == 3
    assert site.state.count("GET", "/issues") == 0
