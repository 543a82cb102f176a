"""REST: check suites, check runs and commit statuses."""

from collections.abc import Mapping
from typing import Any

from bot.demo import check_actions, shapes, shapes_checks
from bot.demo.accounts import Kind
from bot.demo.records import CheckRun, CheckSuite
from bot.demo.refusal import RefusalError, forbidden, missing
from bot.demo.rest_call import Call, Handler, Reply


def _run_shape(call: Call, run: CheckRun) -> Any:
    return shapes_checks.check_run(call.store, call.repository, run)


def _create_run(call: Call) -> Reply:
    if call.caller.kind is not Kind.INSTALLATION:
        raise RefusalError(403, "You must authenticate via a GitHub App.")
    run = check_actions.create_run(call.store, call.repository, call.store.app, call.body)
    return Reply(_run_shape(call, run), 201)


def _run(call: Call) -> CheckRun:
    return check_actions.find_run(call.repository, call.number("check_run_id"))


def _update_run(call: Call) -> Reply:
    run = _run(call)
    if call.caller.kind is not Kind.INSTALLATION or run.app.id != call.store.app.id:
        raise forbidden()
    check_actions.update_run(call.store, call.repository, run, call.body)
    return Reply(_run_shape(call, run))


def _get_run(call: Call) -> Reply:
    return Reply(_run_shape(call, _run(call)))


def _list_runs(call: Call, runs: list[CheckRun]) -> Reply:
    name, status = call.query.get("check_name", ""), call.query.get("status", "")
    app = call.query.get("app_id", "")
    kept = [
        run for run in runs if name in {"", run.name} and status in {"", run.status} and app in {"", str(run.app.id)}
    ]
    if call.query.get("filter", "latest") == "latest":
        kept = check_actions.latest(kept)
    return call.page(kept, lambda run: _run_shape(call, run), "check_runs")


def _runs_of_ref(call: Call) -> Reply:
    sha = call.repository.git.resolve(call.parameters["ref"])
    if sha is None:
        raise RefusalError(422, f"No commit found for SHA: {call.parameters['ref']}")
    return _list_runs(call, [run for run in call.repository.runs.values() if run.head_sha == sha])


def _suite(call: Call) -> CheckSuite:
    found = call.repository.suites.get(call.number("check_suite_id"))
    if found is None:
        raise missing()
    return found


def _runs_of_suite(call: Call) -> Reply:
    suite = _suite(call)
    return _list_runs(call, [run for run in call.repository.runs.values() if run.suite == suite.id])


def _get_suite(call: Call) -> Reply:
    return Reply(shapes_checks.check_suite(call.store, call.repository, _suite(call)))


def _suites_of_ref(call: Call) -> Reply:
    sha = call.repository.git.resolve(call.parameters["ref"])
    if sha is None:
        raise RefusalError(422, f"No commit found for SHA: {call.parameters['ref']}")
    app = call.query.get("app_id", "")
    suites = [one for one in call.repository.suites.values() if one.head_sha == sha and app in {"", str(one.app.id)}]
    return call.page(suites, lambda one: shapes_checks.check_suite(call.store, call.repository, one), "check_suites")


def _annotations(call: Call) -> Reply:
    run = _run(call)
    return call.page(run.annotations, lambda one: shapes_checks.annotation(call.store, call.repository, run, one))


def _rerequest_run(call: Call) -> Reply:
    check_actions.rerequest_run(call.store, call.repository, _run(call), call.actor.user)
    return Reply({}, 201)


def _rerequest_suite(call: Call) -> Reply:
    check_actions.rerequest_suite(call.store, call.repository, _suite(call), call.actor.user)
    return Reply({}, 201)


def _create_status(call: Call) -> Reply:
    sha = call.parameters["sha"]
    status = check_actions.post_status(call.store, call.repository, call.actor.user, sha, call.body)
    return Reply(shapes_checks.status(call.store, call.repository, status), 201)


def _sha(call: Call) -> str:
    sha = call.repository.git.resolve(call.parameters["ref"])
    if sha is None:
        raise missing()
    return sha


def _statuses(call: Call) -> Reply:
    sha = _sha(call)
    found = [one for one in reversed(call.repository.statuses) if one.sha == sha]
    return call.page(found, lambda one: shapes_checks.status(call.store, call.repository, one))


def _combined_status(call: Call) -> Reply:
    sha = _sha(call)
    found = check_actions.statuses_of(call.repository, sha)
    states = {one.state for one in found}
    worst = (
        "failure" if states & {"failure", "error"} else "pending" if "pending" in states or not states else "success"
    )
    url = f"{call.store.api}/repos/{call.repository.full_name}/commits/{sha}"
    shown = call.page(found, lambda one: shapes_checks.status(call.store, call.repository, one))
    body = {
        "state": worst,
        "statuses": shown.body,
        "sha": sha,
        "total_count": len(found),
        "repository": shapes.repository(call.store, call.repository),
        "commit_url": url,
        "url": f"{url}/status",
    }
    return Reply(body, headers=shown.headers)


HANDLERS: Mapping[str, Handler] = {
    "checks/create": _create_run,
    "checks/update": _update_run,
    "checks/get": _get_run,
    "checks/list-for-ref": _runs_of_ref,
    "checks/list-for-suite": _runs_of_suite,
    "checks/list-annotations": _annotations,
    "checks/rerequest-run": _rerequest_run,
    "checks/rerequest-suite": _rerequest_suite,
    "repos/create-commit-status": _create_status,
    "repos/list-commit-statuses-for-ref": _statuses,
    "repos/get-combined-status-for-ref": _combined_status,
    "checks/get-suite": _get_suite,
    "checks/list-suites-for-ref": _suites_of_ref,
}
