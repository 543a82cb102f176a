"""Annotations, buttons and re-runs of check runs, and commit statuses, at the stand-in."""

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fakes_github_site import MAINTAINER, REPOSITORY, GitHubSite, github_client, github_site, installation_token, rest

from bot.demo.refusal import RefusalError

RUNS = f"repos/{REPOSITORY}/check-runs"


@pytest.fixture
def site() -> Iterator[GitHubSite]:
    with github_site() as running:
        yield running


def main(site: GitHubSite) -> str:
    return site.state.repository(REPOSITORY).git.refs()["refs/heads/main"]


def last(site: GitHubSite) -> tuple[str, Any]:
    queued = site.state.hooks.pending[-1]
    return f"{queued.event}.{queued.action}", json.loads(queued.body)


def note(line: int) -> dict[str, object]:
    return {
        "path": "src/shop.py",
        "start_line": line,
        "end_line": line,
        "annotation_level": "notice",
        "message": "m",
    }


def test_annotations_add_up_over_updates(site: GitHubSite) -> None:
    run = github_client(site).get_repo(REPOSITORY).create_check_run("Regreen", main(site), status="in_progress")
    for line in (1, 2):
        output = {"title": "t", "summary": "s", "annotations": [note(line)]}
        run.edit(output=output)
    run.update()
    assert run.output.annotations_count == 2
    assert [one.start_line for one in run.get_annotations()] == [1, 2]


def test_more_annotations_than_fifty_at_once_are_refused() -> None:
    with github_site(check=False) as site, rest(site, installation_token(site)) as client:
        output = {"title": "t", "summary": "s", "annotations": [note(1)] * 51}
        body = {"name": "x", "head_sha": main(site), "output": output}
        assert client.post(RUNS, json=body).status_code == 422


def test_a_button_that_was_offered_is_pressed(site: GitHubSite) -> None:
    actions = [{"label": "Fix this", "description": "Begin a repair", "identifier": "fix"}]
    repository = github_client(site).get_repo(REPOSITORY)
    run = repository.create_check_run("Regreen", main(site), conclusion="neutral", actions=actions)
    site.state.press(REPOSITORY, run.id, "fix", by=MAINTAINER)
    event, payload = last(site)
    assert (event, payload["requested_action"]["identifier"]) == ("check_run.requested_action", "fix")
    assert (payload["sender"]["login"], payload["check_run"]["id"]) == (MAINTAINER, run.id)
    with pytest.raises(RefusalError):
        site.state.press(REPOSITORY, run.id, "other")


def test_the_apps_own_check_run_is_asked_for_again(site: GitHubSite) -> None:
    run = github_client(site).get_repo(REPOSITORY).create_check_run("Regreen", main(site), conclusion="failure")
    site.state.rerequest_run(REPOSITORY, run.id, by=MAINTAINER)
    assert last(site)[0] == "check_run.rerequested"
    suite = site.state.repository(REPOSITORY).runs[run.id].suite
    site.state.rerequest_suite(REPOSITORY, suite, by=MAINTAINER)
    assert last(site)[0] == "check_suite.rerequested"


def test_the_newest_status_of_each_context_counts(site: GitHubSite) -> None:
    for context, state in (("ci/a", "failure"), ("ci/b", "success"), ("ci/a", "success")):
        site.state.status(REPOSITORY, main(site), context, state, by=MAINTAINER)
    event, payload = last(site)
    assert (event, payload["state"], payload["branches"][0]["name"]) == ("status.", "success", "main")
    commit = github_client(site).get_repo(REPOSITORY).get_commit(main(site))
    assert (commit.get_combined_status().state, len(commit.get_combined_status().statuses)) == ("success", 2)
    with rest(site, installation_token(site)) as client:
        listed = client.get(f"repos/{REPOSITORY}/commits/{main(site)}/statuses").json()
    assert [one["state"] for one in listed] == ["success", "success", "failure"]


def test_a_runs_logs_come_as_an_archive_from_the_other_host(site: GitHubSite) -> None:
    jobs = [("lint", "success", "fine"), ("test", "failure", "FAILED x")]
    run = site.state.complete_suite(REPOSITORY, main(site), "failure", jobs)
    with rest(site, installation_token(site)) as client:
        moved = client.get(f"repos/{REPOSITORY}/actions/runs/{run.id}/logs")
    content = httpx.get(moved.headers["location"], trust_env=False).content
    archive = zipfile.ZipFile(io.BytesIO(content))
    assert [name for name in archive.namelist() if "/" not in name] == ["0_lint.txt", "1_test.txt"]
    assert archive.read("1_test.txt").decode().endswith("FAILED x\r\n")
