"""Installations, forks, archived, empty and protected repositories at the stand-in."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fakes_github_site import (
    MAINTAINER,
    OUTSIDER,
    REPOSITORY,
    GitHubSite,
    app_jwt,
    github_client,
    github_site,
    installation_token,
    rest,
)

PULLS = f"repos/{REPOSITORY}/pulls"
FORK = f"{OUTSIDER}/shop"


@pytest.fixture
def site() -> Iterator[GitHubSite]:
    with github_site() as running:
        yield running


def hooks(site: GitHubSite) -> list[tuple[str, Any]]:
    return [(f"{one.event}.{one.action}", json.loads(one.body)) for one in site.state.hooks.pending]


def test_a_suspended_installation_gets_neither_tokens_nor_webhooks(site: GitHubSite) -> None:
    token = installation_token(site)
    site.state.suspend(site.installation.id)
    assert hooks(site)[-1][0] == "installation.suspend"
    queued = len(hooks(site))
    site.state.open_issue(REPOSITORY, "Nobody hears of this")
    assert len(hooks(site)) == queued
    with rest(site, token) as client:
        assert client.get(f"repos/{REPOSITORY}").status_code == 403
    url = f"{site.api_url}/app/installations/{site.installation.id}"
    headers = {"Authorization": f"Bearer {app_jwt(site)}"}
    refused = httpx.post(f"{url}/access_tokens", json={}, headers=headers, trust_env=False)
    assert (refused.status_code, refused.json()["message"]) == (403, "This installation has been suspended")
    assert httpx.get(url, headers=headers, trust_env=False).json()["suspended_at"]
    site.state.unsuspend(site.installation.id)
    assert hooks(site)[-1][0] == "installation.unsuspend"
    with rest(site, token) as client:
        assert client.get(f"repos/{REPOSITORY}").status_code == 200


def test_a_deleted_installation_takes_its_tokens_along(site: GitHubSite) -> None:
    token = installation_token(site)
    site.state.uninstall(site.installation.id)
    event, payload = hooks(site)[-1]
    assert (event, payload["repositories"][0]["full_name"]) == ("installation.deleted", REPOSITORY)
    with rest(site, token) as client:
        assert client.get(f"repos/{REPOSITORY}").status_code == 401
    with rest(site, app_jwt(site)) as client:
        assert client.get(f"app/installations/{site.installation.id}").status_code == 404
        assert client.get(f"repos/{REPOSITORY}/installation").status_code == 404


def test_repositories_come_and_go(site: GitHubSite) -> None:
    site.state.add_repository("octo/other", {"a": "b"}, installed=False)
    site.state.install_app("octo/other")
    event, payload = hooks(site)[-1]
    assert event == "installation_repositories.added"
    assert [one["full_name"] for one in payload["repositories_added"]] == ["octo/other"]
    site.state.leave_repository("octo/other")
    assert hooks(site)[-1][0] == "installation_repositories.removed"
    site.state.add_repository("hedy/new", {"a": "b"}, installed=False)
    site.state.install_app("hedy/new")
    assert hooks(site)[-1][0] == "installation.created"
    listed = httpx.get(
        f"{site.api_url}/app/installations", headers={"Authorization": f"Bearer {app_jwt(site)}"}, trust_env=False
    )
    assert [one["account"]["login"] for one in listed.json()] == ["octo", "hedy"]


def test_a_pull_request_from_a_fork_is_found_under_refs_pull(site: GitHubSite) -> None:
    site.state.fork(REPOSITORY, OUTSIDER)
    site.state.commit(FORK, "fix", {"README.md": "# Fixed\n"}, "Fix")
    pull = site.state.open_pull(REPOSITORY, f"{OUTSIDER}:fix", by=OUTSIDER)
    newer = site.state.commit(FORK, "fix", {"README.md": "# Fixed again\n"}, "Fix more")
    assert hooks(site)[-1][0] == "pull_request.synchronize"
    with rest(site, installation_token(site)) as client:
        shape = client.get(f"{PULLS}/{pull.number}").json()
        ref = client.get(f"repos/{REPOSITORY}/git/ref/pull/{pull.number}/head").json()
        assert client.get(f"repos/{FORK}").status_code == 404
        assert client.put(f"{PULLS}/{pull.number}/update-branch").status_code == 403
        found = client.get(PULLS, params={"head": f"{OUTSIDER}:fix"}).json()
    assert (shape["head"]["repo"]["full_name"], shape["head"]["sha"], shape["head"]["repo"]["fork"]) == (
        FORK,
        newer,
        True,
    )
    assert (ref["object"]["sha"], [one["number"] for one in found]) == (newer, [pull.number])
    assert "refs/heads/fix" not in site.state.repository(REPOSITORY).git.refs()


def test_a_forks_suite_names_neither_branch_nor_pull_request(site: GitHubSite) -> None:
    site.state.fork(REPOSITORY, OUTSIDER)
    sha = site.state.commit(FORK, "fix", {"README.md": "# Fixed\n"}, "Fix")
    site.state.open_pull(REPOSITORY, f"{OUTSIDER}:fix", by=OUTSIDER)
    site.state.complete_suite(REPOSITORY, sha, "failure", [("test", "failure", "x")])
    suite = hooks(site)[-1][1]["check_suite"]
    assert (suite["head_branch"], suite["pull_requests"]) == (None, [])


def test_a_deleted_fork_leaves_its_pull_request_without_a_head_repository(site: GitHubSite) -> None:
    site.state.fork(REPOSITORY, OUTSIDER)
    site.state.commit(FORK, "fix", {"README.md": "# Fixed\n"}, "Fix")
    pull = site.state.open_pull(REPOSITORY, f"{OUTSIDER}:fix", by=OUTSIDER)
    site.state.delete_repository(FORK)
    found = github_client(site).get_repo(REPOSITORY).get_pull(pull.number)
    assert (found.raw_data["head"]["repo"], [one.filename for one in found.get_files()]) == (None, ["README.md"])


def test_an_archived_repository_is_read_only(site: GitHubSite) -> None:
    site.state.archive(REPOSITORY)
    with rest(site, installation_token(site)) as client:
        assert client.get(f"repos/{REPOSITORY}").json()["archived"] is True
        refused = client.post(f"repos/{REPOSITORY}/issues", json={"title": "x"})
        assert (refused.status_code, "archived" in refused.json()["message"]) == (403, True)
        site.state.archive(REPOSITORY, archived=False)
        assert client.post(f"repos/{REPOSITORY}/issues", json={"title": "x"}).status_code == 201


def test_an_empty_repository_has_neither_commits_nor_contents(site: GitHubSite) -> None:
    site.state.add_repository("octo/empty")
    with rest(site, installation_token(site)) as client:
        assert client.get("repos/octo/empty/git/ref/heads/main").status_code == 409
        assert client.get("repos/octo/empty/commits").status_code == 409
        assert client.get("repos/octo/empty/contents/").status_code == 404
        assert client.get("repos/octo/empty/branches").json() == []


def test_a_protected_branch_takes_no_ref_no_merge_and_no_push(site: GitHubSite, tmp_path: Path) -> None:
    site.state.protect(REPOSITORY, ["main", "release/*"])
    sha = site.state.commit(REPOSITORY, "change", {"README.md": "# New\n"}, "Change")
    base = f"repos/{REPOSITORY}"
    with rest(site, installation_token(site)) as client:
        moved = client.patch(f"{base}/git/refs/heads/main", json={"sha": sha})
        made = client.post(f"{base}/git/refs", json={"ref": "refs/heads/release/1", "sha": sha})
        merged = client.post(f"{base}/merges", json={"base": "main", "head": "change"})
        assert {one.status_code for one in (moved, made, merged)} == {422}
        assert client.get(f"{base}/branches/main").json()["protected"] is True
        assert [one["type"] for one in client.get(f"{base}/rules/branches/main").json()] == ["pull_request"]
        assert client.get(f"{base}/rules/branches/change").json() == []
    token = site.state.issue_user_token(MAINTAINER)
    remote = site.stand_in.base_url.replace("//", f"//{MAINTAINER}:{token}@") + f"/{REPOSITORY}.git"
    subprocess.run(["git", "clone", "-q", remote, str(tmp_path / "c")], check=True)
    push = ["git", "-C", str(tmp_path / "c"), "push", "origin", "origin/change:refs/heads/main"]
    refused = subprocess.run(push, capture_output=True, text=True, check=False)
    assert (refused.returncode, "deny updating a hidden ref" in refused.stderr) == (1, True)


def test_people_are_assigned_listed_and_found(site: GitHubSite) -> None:
    issue = site.state.open_issue(REPOSITORY, "Wrong")
    site.state.open_issue(REPOSITORY, "Related", f"See #{issue.number}")
    with rest(site, installation_token(site)) as client:
        base = f"repos/{REPOSITORY}"
        assigned = client.post(f"{base}/issues/1/assignees", json={"assignees": [MAINTAINER, OUTSIDER]}).json()
        assert [one["login"] for one in assigned["assignees"]] == [MAINTAINER]
        assert [one["event"] for one in client.get(f"{base}/issues/1/timeline").json()] == ["cross-referenced"]
        assert client.get(f"{base}/collaborators/{MAINTAINER}").status_code == 204
        assert client.get(f"{base}/collaborators/{OUTSIDER}").status_code == 404
        people = client.get(f"{base}/collaborators", params={"permission": "push"}).json()
        assert [one["login"] for one in people] == ["octo", MAINTAINER]
    assert hooks(site)[-1][0] == "issues.assigned"


def test_the_apps_own_endpoints(site: GitHubSite) -> None:
    site.state.manifest_codes["abc"] = {"client_id": "i", "client_secret": "s", "webhook_secret": "w", "pem": "p"}
    with rest(site, "") as client:
        made = client.post("app-manifests/abc/conversions")
        assert (made.status_code, made.json()["pem"], made.json()["slug"]) == (201, "p", "regreen")
        assert client.post("app-manifests/abc/conversions").status_code == 404
        assert client.get("meta").status_code == 200
    with rest(site, app_jwt(site)) as client:
        changed = client.patch("app/hook/config", json={"url": "http://127.0.0.1:1/hook", "secret": "x"}).json()
        assert (changed["url"], changed["secret"]) == ("http://127.0.0.1:1/hook", "********")
    token = installation_token(site)
    with rest(site, token) as client:
        assert client.delete("installation/token").status_code == 204
        assert client.get(f"repos/{REPOSITORY}").status_code == 401
