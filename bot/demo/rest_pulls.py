"""REST: pull requests, check suites, check runs, job logs."""

import secrets
from collections.abc import Mapping
from typing import Any

from bot.demo import actions, code_actions, shapes_code
from bot.demo.records import CheckRun, CheckSuite, Issue, Kind
from bot.demo.refusal import RefusalError, forbidden, invalid, missing
from bot.demo.rest_call import Call, Handler, Reply
from bot.demo.store import ACTIONS_APP_ID


def _full(call: Call, issue: Issue) -> Any:
    if issue.pull is None:
        raise missing()
    return shapes_code.pull_full(call.store, call.repository, issue, issue.pull)


def _create(call: Call) -> Reply:
    if "title" not in call.body:
        raise invalid("PullRequest", "title", "title is required", "missing_field")
    new = code_actions.NewPull(
        head=call.body["head"],
        base=call.body["base"],
        title=call.body["title"],
        body=call.body.get("body"),
        draft=bool(call.body.get("draft")),
    )
    return Reply(_full(call, code_actions.open_pull(call.store, call.repository, call.actor, new)), 201)


def _get(call: Call) -> Reply:
    issue = call.pull
    if "diff" in call.accept and issue.pull:
        git = call.repository.git
        base = git.merge_base(issue.pull.base_sha, issue.pull.head_sha) or issue.pull.base_sha
        diff = git.diff(base, issue.pull.head_sha).encode()
        return Reply(raw=diff, media_type="application/vnd.github.diff; charset=utf-8")
    return Reply(_full(call, issue))


def _update(call: Call) -> Reply:
    issue, base = call.pull, call.body.get("base")
    if base is not None and issue.pull is not None:
        sha = call.repository.git.refs().get(f"refs/heads/{base}")
        if sha is None:
            raise invalid("PullRequest", "base", "base is invalid", "invalid")
        issue.pull.base, issue.pull.base_sha = base, sha
    actions.edit_issue(call.store, call.repository, issue, call.actor, call.body)
    return Reply(_full(call, issue))


def _list(call: Call) -> Reply:
    state, head, base = (call.query.get(key, "") for key in ("state", "head", "base"))
    owner = call.repository.owner.login
    found = [
        (issue, issue.pull)
        for issue in call.repository.issues.values()
        if issue.pull
        and (state or "open") in {"all", issue.state}
        and head in {"", f"{owner}:{issue.pull.head}"}
        and base in {"", issue.pull.base}
    ]
    newest_first = call.query.get("direction", "desc") == "desc"
    by_update = call.query.get("sort") == "updated"
    found.sort(key=lambda pair: (pair[0].updated if by_update else pair[0].created, pair[0].number))
    if newest_first:
        found.reverse()
    return call.page(found, lambda pair: shapes_code.pull_simple(call.store, call.repository, *pair))


def _range(call: Call) -> tuple[str, str]:
    pull = call.pull.pull
    if pull is None:
        raise missing()
    return call.repository.git.merge_base(pull.base_sha, pull.head_sha) or pull.base_sha, pull.head_sha


def _files(call: Call) -> Reply:
    base, head = _range(call)
    changes = call.repository.git.changes(base, head)
    return call.page(changes, lambda one: shapes_code.file_change(call.store, call.repository, head, one))


def _commits(call: Call) -> Reply:
    shas = call.repository.git.between(*_range(call))
    return call.page(shas, lambda sha: shapes_code.commit(call.store, call.repository, sha))


def _run_shape(call: Call, run: CheckRun) -> Any:
    return shapes_code.check_run(call.store, call.repository, run)


def _create_run(call: Call) -> Reply:
    if call.caller.kind is not Kind.INSTALLATION:
        raise RefusalError(403, "You must authenticate via a GitHub App.")
    run = code_actions.create_run(call.store, call.repository, call.store.app, call.body)
    return Reply(_run_shape(call, run), 201)


def _run(call: Call) -> CheckRun:
    return code_actions.find_run(call.repository, call.number("check_run_id"))


def _update_run(call: Call) -> Reply:
    run = _run(call)
    if call.caller.kind is not Kind.INSTALLATION or run.app.id != call.store.app.id:
        raise forbidden()
    code_actions.update_run(call.store, call.repository, run, call.body)
    return Reply(_run_shape(call, run))


def _get_run(call: Call) -> Reply:
    return Reply(_run_shape(call, _run(call)))


def _list_runs(call: Call, runs: list[CheckRun]) -> Reply:
    name, status = call.query.get("check_name", ""), call.query.get("status", "")
    app = call.query.get("app_id", "")
    kept = [
        run for run in runs if name in {"", run.name} and status in {"", run.status} and app in {"", str(run.app.id)}
    ]
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
    return Reply(shapes_code.check_suite(call.store, call.repository, _suite(call)))


def _suites_of_ref(call: Call) -> Reply:
    sha = call.repository.git.resolve(call.parameters["ref"])
    if sha is None:
        raise RefusalError(422, f"No commit found for SHA: {call.parameters['ref']}")
    app = call.query.get("app_id", "")
    suites = [one for one in call.repository.suites.values() if one.head_sha == sha and app in {"", str(one.app.id)}]
    return call.page(suites, lambda one: shapes_code.check_suite(call.store, call.repository, one), "check_suites")


def _job_run(call: Call) -> CheckRun:
    run = code_actions.find_run(call.repository, call.number("job_id"))
    if run.app.id != ACTIONS_APP_ID:
        raise missing()
    return run


def _job(call: Call) -> Reply:
    return Reply(shapes_code.job(call.store, call.repository, _job_run(call)))


def _job_log(call: Call) -> Reply:
    run = _job_run(call)
    if run.log is None:
        raise missing()
    link = secrets.token_urlsafe(24)
    call.store.log_links[link] = run.id
    return Reply(status=302, headers={"Location": f"{call.store.log_host}/logs/{link}"})


HANDLERS: Mapping[str, Handler] = {
    "pulls/create": _create,
    "pulls/get": _get,
    "pulls/update": _update,
    "pulls/list": _list,
    "pulls/list-files": _files,
    "pulls/list-commits": _commits,
    "checks/create": _create_run,
    "checks/update": _update_run,
    "checks/get": _get_run,
    "checks/list-for-ref": _runs_of_ref,
    "checks/list-for-suite": _runs_of_suite,
    "checks/get-suite": _get_suite,
    "checks/list-suites-for-ref": _suites_of_ref,
    "actions/get-job-for-workflow-run": _job,
    "actions/download-job-logs-for-workflow-run": _job_log,
}
