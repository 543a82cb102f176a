"""Records → GitHub's JSON: check suites, check runs, jobs and workflow runs."""

import zlib

from bot.demo import shapes, shapes_code
from bot.demo.records import CheckRun, CheckSuite, Repository, Status
from bot.demo.shapes import Shape, node_id, when
from bot.demo.store import Store


def pull_minimal(store: Store, repository: Repository, sha: str) -> list[Shape]:
    """The open pull requests with this head, as checks name them: none from forks."""
    base = f"{store.api}/repos/{repository.full_name}"
    place = {"id": repository.id, "url": base, "name": repository.name}
    return [
        {
            "id": issue.id,
            "number": issue.number,
            "url": f"{base}/pulls/{issue.number}",
            "head": {"ref": issue.pull.head, "sha": issue.pull.head_sha, "repo": place},
            "base": {"ref": issue.pull.base, "sha": issue.pull.base_sha, "repo": place},
        }
        for issue in repository.issues.values()
        if issue.pull and issue.state == "open" and issue.pull.head_sha == sha and not issue.pull.fork
    ]


def check_suite(store: Store, repository: Repository, one: CheckSuite) -> Shape:
    """A check suite."""
    url = f"{store.api}/repos/{repository.full_name}/check-suites/{one.id}"
    return {
        "id": one.id,
        "node_id": node_id("CheckSuite", one.id),
        "head_branch": one.head_branch,
        "head_sha": one.head_sha,
        "status": one.status,
        "conclusion": one.conclusion,
        "url": url,
        "check_runs_url": f"{url}/check-runs",
        "before": one.before,
        "after": one.head_sha,
        "pull_requests": pull_minimal(store, repository, one.head_sha),
        "app": shapes.app(store, store.apps[one.app.id]),
        "created_at": when(one.created),
        "updated_at": when(one.updated),
        "latest_check_runs_count": sum(run.suite == one.id for run in repository.runs.values()),
        "repository": shapes.repository(store, repository),
        "head_commit": _head_commit(repository, one.head_sha),
    }


def check_run(store: Store, repository: Repository, one: CheckRun) -> Shape:
    """A check run."""
    url, web = f"{store.api}/repos/{repository.full_name}/check-runs/{one.id}", f"{store.web}/{repository.full_name}"
    output: Shape = {key: one.output.get(key) for key in ("title", "summary", "text")}
    return {
        "id": one.id,
        "node_id": node_id("CheckRun", one.id),
        "head_sha": one.head_sha,
        "external_id": one.external_id or "",
        "url": url,
        "html_url": f"{web}/runs/{one.id}",
        "details_url": one.details_url or f"{web}/runs/{one.id}",
        "status": one.status,
        "conclusion": one.conclusion,
        "started_at": when(one.started),
        "completed_at": when(one.completed),
        "output": output | {"annotations_count": len(one.annotations), "annotations_url": f"{url}/annotations"},
        "name": one.name,
        "check_suite": {"id": one.suite},
        "app": shapes.app(store, one.app),
        "pull_requests": pull_minimal(store, repository, one.head_sha),
    }


def job(store: Store, repository: Repository, one: CheckRun) -> Shape:
    """A job of GitHub Actions, which is a check run of the same id; its run has the suite's id."""
    base, web = f"{store.api}/repos/{repository.full_name}", f"{store.web}/{repository.full_name}"
    return {
        "id": one.id,
        "run_id": one.suite,
        "run_url": f"{base}/actions/runs/{one.suite}",
        "run_attempt": one.attempt,
        "node_id": node_id("Job", one.id),
        "head_sha": one.head_sha,
        "head_branch": repository.suites[one.suite].head_branch,
        "workflow_name": repository.suites[one.suite].workflow,
        "name": one.name,
        "url": f"{base}/actions/jobs/{one.id}",
        "html_url": f"{web}/actions/runs/{one.suite}/job/{one.id}",
        "check_run_url": f"{base}/check-runs/{one.id}",
        "status": one.status,
        "conclusion": one.conclusion,
        "created_at": when(one.started),
        "started_at": when(one.started),
        "completed_at": when(one.completed),
        "labels": ["ubuntu-latest"],
        "runner_id": None,
        "runner_name": None,
        "runner_group_id": None,
        "runner_group_name": None,
        "steps": [],
    }


def _head_commit(repository: Repository, sha: str) -> Shape:
    head = repository.git.commit(sha)
    return {
        "id": head.sha,
        "tree_id": head.tree,
        "message": head.message,
        "timestamp": shapes_code.person(head.committer)["date"],
        "author": {"name": head.author.name, "email": head.author.email},
        "committer": {"name": head.committer.name, "email": head.committer.email},
    }


def annotation(store: Store, repository: Repository, run: CheckRun, one: Shape) -> Shape:
    """A check-annotation."""
    optional = dict.fromkeys(("start_column", "end_column", "title", "raw_details"))
    return optional | one | {"blob_href": f"{store.web}/{repository.full_name}/blob/{run.head_sha}/{one['path']}"}


def status(store: Store, repository: Repository, one: Status) -> Shape:
    """A commit status."""
    return {
        "url": f"{store.api}/repos/{repository.full_name}/statuses/{one.sha}",
        "avatar_url": f"{store.web}/avatars/{one.creator.id}",
        "id": one.id,
        "node_id": node_id("Status", one.id),
        "state": one.state,
        "description": one.description,
        "target_url": one.target_url,
        "context": one.context,
        "created_at": when(one.created),
        "updated_at": when(one.created),
        "creator": shapes.user(store, one.creator),
    }


def hooked_status(store: Store, repository: Repository, one: Status) -> Shape:
    """A commit status as its webhook shows it."""
    tips = repository.git.refs().items()
    names = [name.removeprefix("refs/heads/") for name, tip in tips if tip == one.sha]
    commits = f"{store.api}/repos/{repository.full_name}/commits"
    shape = status(store, repository, one)
    kept = ("id", "avatar_url", "target_url", "context", "description", "state", "created_at", "updated_at")
    return {key: shape[key] for key in kept} | {
        "sha": one.sha,
        "name": repository.full_name,
        "commit": shapes_code.commit(store, repository, one.sha),
        "branches": [
            {"name": name, "commit": {"sha": one.sha, "url": f"{commits}/{one.sha}"}, "protected": False}
            for name in names
        ],
    }


def workflow_run(store: Store, repository: Repository, one: CheckSuite) -> Shape:
    """The run of a workflow, which has the id of its suite here."""
    base, web = f"{store.api}/repos/{repository.full_name}", f"{store.web}/{repository.full_name}"
    url, place = f"{base}/actions/runs/{one.id}", shapes.repository(store, repository)
    below = {"jobs_url": "jobs", "logs_url": "logs", "artifacts_url": "artifacts", "cancel_url": "cancel"}
    actor = shapes.user(store, repository.owner)
    return {
        "id": one.id,
        "name": one.workflow,
        "node_id": node_id("WorkflowRun", one.id),
        "head_branch": one.head_branch,
        "head_sha": one.head_sha,
        "path": f".github/workflows/{one.workflow.lower()}.yml",
        "display_title": repository.git.commit(one.head_sha).message.partition("\n")[0],
        "run_number": 1,
        "event": one.event,
        "status": one.status,
        "conclusion": one.conclusion,
        "workflow_id": workflow_id(one),
        "check_suite_id": one.id,
        "check_suite_node_id": node_id("CheckSuite", one.id),
        "url": url,
        "html_url": f"{web}/actions/runs/{one.id}",
        "pull_requests": pull_minimal(store, repository, one.head_sha),
        "created_at": when(one.created),
        "updated_at": when(one.updated),
        "run_started_at": when(one.updated),
        "actor": actor,
        "triggering_actor": actor,
        "run_attempt": one.attempt,
        "referenced_workflows": [],
        **{key: f"{url}/{path}" for key, path in below.items()},
        "check_suite_url": f"{base}/check-suites/{one.id}",
        "rerun_url": f"{url}/rerun",
        "previous_attempt_url": f"{url}/attempts/{one.attempt - 1}" if one.attempt > 1 else None,
        "workflow_url": f"{base}/actions/workflows/{workflow_id(one)}",
        "head_commit": _head_commit(repository, one.head_sha),
        "repository": place,
        "head_repository": place,
    }


def workflow_id(one: CheckSuite) -> int:
    """The workflow's own id, the same for each of its runs."""
    return zlib.crc32(one.workflow.encode())


def workflow(store: Store, repository: Repository, one: CheckSuite) -> Shape:
    """The workflow that a run is of, as webhooks show it."""
    base, path = f"{store.api}/repos/{repository.full_name}", f".github/workflows/{one.workflow.lower()}.yml"
    return {
        "id": workflow_id(one),
        "node_id": node_id("Workflow", workflow_id(one)),
        "name": one.workflow,
        "path": path,
        "state": "active",
        "created_at": when(repository.created),
        "updated_at": when(repository.created),
        "url": f"{base}/actions/workflows/{workflow_id(one)}",
        "html_url": f"{store.web}/{repository.full_name}/blob/{repository.default_branch}/{path}",
        "badge_url": f"{store.web}/{repository.full_name}/workflows/{one.workflow}/badge.svg",
    }
