"""REST: workflow runs, their jobs and logs, and running them again."""

import secrets
from collections.abc import Mapping
from typing import Any

from bot.demo import check_actions, shapes_checks
from bot.demo.records import CheckRun, CheckSuite
from bot.demo.refusal import RefusalError, missing
from bot.demo.rest_call import Call, Handler, Reply
from bot.demo.store import ACTIONS_APP_ID


def _job_run(call: Call) -> CheckRun:
    run = check_actions.find_run(call.repository, call.number("job_id"))
    if run.app.id != ACTIONS_APP_ID:
        raise missing()
    return run


def _job(call: Call) -> Reply:
    return Reply(shapes_checks.job(call.store, call.repository, _job_run(call)))


def _job_log(call: Call) -> Reply:
    run = _job_run(call)
    if run.log is None:
        raise missing()
    link = secrets.token_urlsafe(24)
    call.store.log_links[link] = run.id
    return Reply(status=302, headers={"Location": f"{call.store.log_host}/logs/{link}"})


def _runs(call: Call) -> list[CheckSuite]:
    found = [one for one in call.repository.suites.values() if one.app.id == ACTIONS_APP_ID]
    return sorted(found, key=lambda one: -one.id)


def _run(call: Call) -> CheckSuite:
    identity = call.number("run_id")
    found = next((one for one in _runs(call) if one.id == identity), None)
    if found is None:
        raise missing()
    return found


def _run_shape(call: Call, run: CheckSuite) -> Any:
    return shapes_checks.workflow_run(call.store, call.repository, run)


def _list_runs(call: Call) -> Reply:
    wanted = {key: call.query.get(key, "") for key in ("branch", "event", "head_sha", "check_suite_id", "status")}
    kept = [
        one
        for one in _runs(call)
        if wanted["branch"] in {"", one.head_branch}
        and wanted["event"] in {"", one.event}
        and wanted["head_sha"] in {"", one.head_sha}
        and wanted["check_suite_id"] in {"", str(one.id)}
        and wanted["status"] in {"", one.status, one.conclusion}
    ]
    return call.page(kept, lambda one: _run_shape(call, one), "workflow_runs")


def _get_run(call: Call) -> Reply:
    return Reply(_run_shape(call, _run(call)))


def _jobs_of(call: Call, run: CheckSuite) -> list[CheckRun]:
    return [one for one in call.repository.runs.values() if one.suite == run.id]


def _list_jobs(call: Call) -> Reply:
    jobs = _jobs_of(call, _run(call))
    if call.query.get("filter", "latest") == "latest":
        jobs = check_actions.latest(jobs)
    return call.page(jobs, lambda one: shapes_checks.job(call.store, call.repository, one), "jobs")


def _rerun(call: Call) -> Reply:
    run = _run(call)
    names = [one.name for one in check_actions.latest(_jobs_of(call, run))]
    check_actions.rerun(call.store, call.repository, run, names)
    return Reply({}, 201)


def _rerun_failed(call: Call) -> Reply:
    run = _run(call)
    names = [one.name for one in check_actions.latest(_jobs_of(call, run)) if one.conclusion != "success"]
    if not names and run.status == "completed":
        raise RefusalError(403, "This workflow run has no failed jobs")
    check_actions.rerun(call.store, call.repository, run, names)
    return Reply({}, 201)


def _rerun_job(call: Call) -> Reply:
    job = _job_run(call)
    check_actions.rerun(call.store, call.repository, call.repository.suites[job.suite], [job.name])
    return Reply({}, 201)


def _cancel(call: Call) -> Reply:
    run = _run(call)
    if run.status == "completed":
        raise RefusalError(409, "Cannot cancel a workflow run that is completed.")
    running = [one.name for one in _jobs_of(call, run) if one.status != "completed"]
    jobs = [check_actions.FinishedJob(name, "cancelled", None) for name in running]
    check_actions.finish(call.store, call.repository, run, "cancelled", jobs)
    return Reply({}, 202)


def _run_logs(call: Call) -> Reply:
    run = _run(call)
    if all(one.log is None for one in _jobs_of(call, run)):
        raise missing()
    link = secrets.token_urlsafe(24)
    call.store.log_links[link] = run.id
    return Reply(status=302, headers={"Location": f"{call.store.log_host}/logs/{link}"})


HANDLERS: Mapping[str, Handler] = {
    "actions/get-job-for-workflow-run": _job,
    "actions/download-job-logs-for-workflow-run": _job_log,
    "actions/re-run-job-for-workflow-run": _rerun_job,
    "actions/list-workflow-runs-for-repo": _list_runs,
    "actions/get-workflow-run": _get_run,
    "actions/list-jobs-for-workflow-run": _list_jobs,
    "actions/re-run-workflow": _rerun,
    "actions/re-run-workflow-failed-jobs": _rerun_failed,
    "actions/download-workflow-run-logs": _run_logs,
    "actions/cancel-workflow-run": _cancel,
}
