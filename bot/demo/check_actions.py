"""What happens to checks and workflow runs, with the webhooks that follow. Callers hold the store's lock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.demo import shapes_checks
from bot.demo.accounts import App, User
from bot.demo.actions import announce
from bot.demo.git_store import OBJECT_ID
from bot.demo.records import CheckRun, CheckSuite, Repository, Status
from bot.demo.refusal import RefusalError, invalid, missing
from bot.demo.shapes import Shape
from bot.demo.store import ACTIONS_APP_ID, Store

BRANCH = "refs/heads/"


@dataclass(frozen=True, slots=True)
class FinishedJob:
    """A job of a completed suite. Without a log, its download answers 404."""

    name: str
    conclusion: str
    log: str | None


@dataclass(frozen=True, slots=True)
class NewSuite:
    """An App's checks on a commit; `branch` is `None` for a fork's."""

    sha: str
    branch: str | None
    app: App
    workflow: str = "CI"


def suite_for(store: Store, repository: Repository, app: App, sha: str, branch: str | None) -> CheckSuite:
    """The App's suite on a commit, made where missing: GitHub keeps one for each App and commit."""
    for suite in repository.suites.values():
        if suite.head_sha == sha and suite.app.id == app.id:
            return suite
    parents = repository.git.commit(sha).parents
    now = store.now()
    suite = CheckSuite(store.next_id(), app, sha, branch, parents[0] if parents else None, now, now)
    repository.suites[suite.id] = suite
    return suite


def request_suite(store: Store, repository: Repository, sha: str, branch: str, by: User) -> None:
    """Ask the App for its checks on a commit that was pushed."""
    announce_suite(store, "requested", repository, suite_for(store, repository, store.app, sha, branch), by)


def branch_at(repository: Repository, sha: str) -> str | None:
    """A branch whose tip is the commit, the default branch first."""
    names = [name.removeprefix(BRANCH) for name, tip in repository.git.refs().items() if tip == sha]
    return repository.default_branch if repository.default_branch in names else next(iter(names), None)


def create_run(store: Store, repository: Repository, app: App, given: Mapping[str, Any]) -> CheckRun:
    """A check run of an App, from the body of checks/create."""
    sha = str(given["head_sha"])
    if not OBJECT_ID.fullmatch(sha) or repository.git.type(sha) != "commit":
        raise RefusalError(422, f"No commit found for SHA: {sha}")
    suite = suite_for(store, repository, app, sha, branch_at(repository, sha))
    started = _moment(given.get("started_at")) or store.now()
    run = CheckRun(store.next_id(), suite.id, app, str(given["name"]), sha, "queued", started)
    repository.runs[run.id] = run
    _apply(store, run, given)
    announce_run(store, "created", repository, run, app.bot)
    _settle(store, repository, suite, run)
    return run


def update_run(store: Store, repository: Repository, run: CheckRun, given: Mapping[str, Any]) -> None:
    """Change a check run by the body of checks/update."""
    _apply(store, run, given)
    _settle(store, repository, repository.suites[run.suite], run)


def _apply(store: Store, run: CheckRun, given: Mapping[str, Any]) -> None:
    if given.get("status") == "completed" and not given.get("conclusion"):
        raise invalid("CheckRun", "conclusion", "conclusion is required when status is completed", "missing_field")
    for key in ("name", "external_id", "details_url", "status", "conclusion"):
        if given.get(key) is not None:
            setattr(run, key, given[key])
    output = dict(given.get("output") or {})
    # Each update adds its annotations to those that are there.
    run.annotations += output.pop("annotations", [])
    run.output |= {key: output.get(key) for key in output if key != "images"}
    run.actions = given.get("actions", run.actions)
    if given.get("conclusion"):
        run.status = "completed"
        run.completed = _moment(given.get("completed_at")) or store.now()
    elif given.get("status"):
        run.conclusion = run.completed = None


def _moment(text: Any) -> datetime | None:
    return datetime.fromisoformat(str(text)) if text else None


def _settle(store: Store, repository: Repository, suite: CheckSuite, run: CheckRun) -> None:
    """Derive the suite's state from its runs and announce what ended."""
    runs = [one for one in repository.runs.values() if one.suite == suite.id]
    suite.updated = store.now()
    if run.status == "completed":
        announce_run(store, "completed", repository, run, run.app.bot)
    if any(one.status != "completed" for one in runs):
        suite.status, suite.conclusion = "in_progress", None
        return
    conclusions = {str(one.conclusion) for one in runs}
    worst = next((c for c in ("failure", "timed_out", "cancelled", "action_required") if c in conclusions), None)
    suite.status = "completed"
    suite.conclusion = worst or ("success" if "success" in conclusions else min(conclusions))
    announce_suite(store, "completed", repository, suite, run.app.bot)


def begin_suite(store: Store, repository: Repository, new: NewSuite, jobs: Sequence[str]) -> CheckSuite:
    """A suite whose jobs run: for one of a workflow, its run and `workflow_run.requested` too."""
    suite = _suite(store, repository, new)
    suite.status = "in_progress"
    for name in jobs:
        _job(store, repository, suite, name)
    _announce_workflow(store, "requested", repository, suite)
    return suite


def complete_suite(
    store: Store, repository: Repository, new: NewSuite, conclusion: str, jobs: Sequence[FinishedJob]
) -> CheckSuite:
    """What CI leaves behind: a suite, its jobs with logs, and the webhooks. A suite that still runs is ended so."""
    suite = _suite(store, repository, new)
    finish(store, repository, suite, conclusion, jobs)
    return suite


def _suite(store: Store, repository: Repository, new: NewSuite) -> CheckSuite:
    alike = [
        one
        for one in repository.suites.values()
        if (one.head_sha, one.app.id, one.workflow) == (new.sha, new.app.id, new.workflow)
    ]
    if alike and alike[-1].status != "completed":
        return alike[-1]
    for one in alike:
        del repository.suites[one.id]
    now, parents = store.now(), repository.git.commit(new.sha).parents
    before = parents[0] if parents else None
    made = CheckSuite(store.next_id(), new.app, new.sha, new.branch, before, now, now, workflow=new.workflow)
    repository.suites[made.id] = made
    return made


def _job(store: Store, repository: Repository, suite: CheckSuite, name: str) -> CheckRun:
    run = CheckRun(store.next_id(), suite.id, suite.app, name, suite.head_sha, "in_progress", store.now())
    run.attempt = suite.attempt
    place = f"{store.web}/{repository.full_name}"
    run.details_url = (
        f"{place}/actions/runs/{suite.id}/job/{run.id}" if _of_actions(suite) else f"{place}/runs/{run.id}"
    )
    repository.runs[run.id] = run
    return run


def finish(
    store: Store, repository: Repository, suite: CheckSuite, conclusion: str, jobs: Sequence[FinishedJob]
) -> None:
    """End a suite: jobs that run end as given, those that are not there yet are made."""
    running = {one.name: one for one in repository.runs.values() if one.suite == suite.id and one.status != "completed"}
    for job in jobs:
        run = running.get(job.name) or _job(store, repository, suite, job.name)
        run.status, run.conclusion, run.log, run.completed = "completed", job.conclusion, job.log, store.now()
        announce_run(store, "completed", repository, run, suite.app.bot)
    suite.status, suite.conclusion, suite.updated = "completed", conclusion, store.now()
    _announce_workflow(store, "completed", repository, suite)
    announce_suite(store, "completed", repository, suite, suite.app.bot)


def rerun(store: Store, repository: Repository, suite: CheckSuite, names: Sequence[str]) -> None:
    """Begin these jobs of a workflow run again, as a further attempt. Refuses with 403 while it runs.

    What `scripted` holds next ends it at once; else it runs until `finish`.
    """
    if suite.status != "completed":
        raise RefusalError(403, "This workflow is already running")
    suite.attempt += 1
    suite.status, suite.conclusion, suite.updated = "queued", None, store.now()
    for name in names:
        _job(store, repository, suite, name)
    _announce_workflow(store, "requested", repository, suite)
    if suite.scripted:
        conclusion, jobs = suite.scripted.pop(0)
        finish(store, repository, suite, conclusion, [FinishedJob(*job) for job in jobs])


def latest(runs: Sequence[CheckRun]) -> list[CheckRun]:
    """The newest run of each name and suite."""
    return list({(run.suite, run.name): run for run in sorted(runs, key=lambda one: one.id)}.values())


def _of_actions(suite: CheckSuite) -> bool:
    return suite.app.id == ACTIONS_APP_ID


def _announce_workflow(store: Store, action: str, repository: Repository, suite: CheckSuite) -> None:
    if not _of_actions(suite):
        return
    shape = {
        "workflow_run": shapes_checks.workflow_run(store, repository, suite),
        "workflow": shapes_checks.workflow(store, repository, suite),
    }
    announce(store, ("workflow_run", action), repository, suite.app.bot, shape)


def rerequest_run(store: Store, repository: Repository, run: CheckRun, by: User) -> None:
    """Ask the App that made a check run to do it again. Only the App itself hears of it."""
    if run.app.id == store.app.id:
        announce_run(store, "rerequested", repository, run, by)


def rerequest_suite(store: Store, repository: Repository, suite: CheckSuite, by: User) -> None:
    """Ask an App to do all its checks on a commit again."""
    if suite.app.id == store.app.id:
        announce_suite(store, "rerequested", repository, suite, by)


def press(store: Store, repository: Repository, run: CheckRun, identifier: str, by: User) -> None:
    """Press one of the buttons that an App offers on its check run. Refuses with 404 one that it does not offer."""
    if identifier not in {action["identifier"] for action in run.actions}:
        raise missing()
    announce_run(store, "requested_action", repository, run, by, {"requested_action": {"identifier": identifier}})


def post_status(store: Store, repository: Repository, creator: User, sha: str, given: Mapping[str, Any]) -> Status:
    """Post a commit status. Refuses with 422 where there is no such commit."""
    if not OBJECT_ID.fullmatch(sha) or repository.git.type(sha) != "commit":
        raise RefusalError(422, f"No commit found for SHA: {sha}")
    status = Status(
        store.next_id(),
        sha,
        str(given.get("context") or "default"),
        str(given["state"]),
        given.get("description"),
        given.get("target_url"),
        creator,
        store.now(),
    )
    repository.statuses.append(status)
    announce(store, ("status", ""), repository, creator, shapes_checks.hooked_status(store, repository, status))
    return status


def statuses_of(repository: Repository, sha: str) -> list[Status]:
    """The newest status of each context, newest first."""
    found = {one.context: one for one in repository.statuses if one.sha == sha}
    return sorted(found.values(), key=lambda one: -one.id)


def find_run(repository: Repository, identity: int) -> CheckRun:
    """The check run with this id. Refuses with 404."""
    if run := repository.runs.get(identity):
        return run
    raise missing()


def announce_suite(store: Store, action: str, repository: Repository, suite: CheckSuite, by: User) -> None:
    """Send a `check_suite` webhook."""
    shape = shapes_checks.check_suite(store, repository, suite)
    del shape["repository"]
    announce(store, ("check_suite", action), repository, by, {"check_suite": shape})


def announce_run(
    store: Store, action: str, repository: Repository, run: CheckRun, by: User, details: Shape | None = None
) -> None:
    """Send a `check_run` webhook."""
    shape = shapes_checks.check_run(store, repository, run)
    suite = shapes_checks.check_suite(store, repository, repository.suites[run.suite])
    kept = ("id", "head_branch", "head_sha", "status", "conclusion", "pull_requests", "app")
    shape["check_suite"] = {key: suite[key] for key in kept}
    announce(store, ("check_run", action), repository, by, {"check_run": shape} | (details or {}))
