"""Workflow runs and suites at the stand-in: running, ended, run again."""

import json
from collections.abc import Iterator

import pytest
from fakes_github_site import REPOSITORY, GitHubSite, github_client, github_site, installation_token, rest

RUNS = f"repos/{REPOSITORY}/actions/runs"


@pytest.fixture
def site() -> Iterator[GitHubSite]:
    with github_site(beyond={"actions": "write"}) as running:
        yield running


def main(site: GitHubSite) -> str:
    return site.state.repository(REPOSITORY).git.refs()["refs/heads/main"]


def events(site: GitHubSite) -> list[str]:
    return [f"{one.event}.{one.action}" for one in site.state.hooks.pending]


def test_a_suite_that_runs_is_ended_by_its_completion(site: GitHubSite) -> None:
    running = site.state.begin_suite(REPOSITORY, main(site), ["lint", "test"])
    suite = github_client(site).get_repo(REPOSITORY).get_check_suite(running.id)
    assert (suite.status, suite.conclusion) == ("in_progress", None)
    site.state.complete_suite(REPOSITORY, main(site), "failure", [("lint", "success", "x"), ("test", "failure", "y")])
    suite.update()
    assert (suite.status, suite.conclusion, suite.get_check_runs().totalCount) == ("completed", "failure", 2)


def test_suites_of_several_workflows_and_apps_stand_side_by_side(site: GitHubSite) -> None:
    site.state.complete_suite(REPOSITORY, main(site), "failure")
    site.state.complete_suite(REPOSITORY, main(site), "success", source="Docs")
    site.state.begin_suite(REPOSITORY, main(site), ["build"], source="app:buildbot")
    commit = github_client(site).get_repo(REPOSITORY).get_commit(main(site))
    found = {(one.app.slug, one.status) for one in commit.get_check_suites() if one.app.slug != "regreen"}
    assert found == {("github-actions", "completed"), ("buildbot", "in_progress")}
    with rest(site, installation_token(site)) as client:
        runs = client.get(RUNS, params={"head_sha": main(site)}).json()
    assert [(one["name"], one["conclusion"]) for one in runs["workflow_runs"]] == [
        ("Docs", "success"),
        ("CI", "failure"),
    ]


def test_failed_jobs_run_again_under_the_same_run(site: GitHubSite) -> None:
    jobs = [("lint", "success", "fine"), ("test", "failure", "red")]
    run = site.state.complete_suite(REPOSITORY, main(site), "failure", jobs)
    site.state.script_rerun(REPOSITORY, run.id, "success", [("test", "success", "green")])
    with rest(site, installation_token(site)) as client:
        assert client.post(f"{RUNS}/{run.id}/rerun-failed-jobs").status_code == 201
        again = client.get(f"{RUNS}/{run.id}").json()
        listed = client.get(f"{RUNS}/{run.id}/jobs").json()["jobs"]
        everything = client.get(f"{RUNS}/{run.id}/jobs", params={"filter": "all"}).json()
        green = client.post(f"{RUNS}/{run.id}/rerun-failed-jobs")
    assert (again["run_attempt"], again["conclusion"], again["check_suite_id"]) == (2, "success", run.id)
    assert {(one["name"], one["conclusion"], one["run_attempt"]) for one in listed} == {
        ("lint", "success", 1),
        ("test", "success", 2),
    }
    assert (everything["total_count"], green.status_code) == (3, 403)
    assert events(site)[-4:] == [
        "workflow_run.requested",
        "check_run.completed",
        "workflow_run.completed",
        "check_suite.completed",
    ]


def test_a_rerun_without_a_script_runs_until_it_is_finished_or_cancelled(site: GitHubSite) -> None:
    run = site.state.complete_suite(REPOSITORY, main(site), "failure", [("test", "failure", "red")])
    (job,) = site.state.repository(REPOSITORY).runs
    with rest(site, installation_token(site)) as client:
        assert client.post(f"repos/{REPOSITORY}/actions/jobs/{job}/rerun").status_code == 201
        assert client.get(f"{RUNS}/{run.id}").json()["status"] == "queued"
        assert client.post(f"{RUNS}/{run.id}/rerun").status_code == 403
        site.state.finish_suite(REPOSITORY, run.id, "failure", [("test", "failure", "still red")])
        assert client.post(f"{RUNS}/{run.id}/rerun").status_code == 201
        assert client.post(f"{RUNS}/{run.id}/cancel").status_code == 202
        ended = client.get(f"{RUNS}/{run.id}").json()
        assert client.post(f"{RUNS}/{run.id}/cancel").status_code == 409
    assert (ended["conclusion"], ended["run_attempt"]) == ("cancelled", 3)


def test_running_again_takes_the_write_permission(site: GitHubSite) -> None:
    run = site.state.complete_suite(REPOSITORY, main(site), "failure", [("test", "failure", "red")])
    with rest(site, installation_token(site, permissions={"actions": "read"})) as client:
        assert client.get(f"{RUNS}/{run.id}").status_code == 200
        assert client.post(f"{RUNS}/{run.id}/rerun").status_code == 403


def test_the_payload_of_a_workflow_run_names_its_workflow(site: GitHubSite) -> None:
    site.state.complete_suite(REPOSITORY, main(site), "failure", source="Docs")
    (body,) = [json.loads(one.body) for one in site.state.hooks.pending if one.event == "workflow_run"]
    assert (body["workflow"]["name"], body["workflow_run"]["head_branch"], body["action"]) == (
        "Docs",
        "main",
        "completed",
    )
