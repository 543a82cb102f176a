"""REST: merges, the base merged into a pull request, reviewers asked for."""

from collections.abc import Mapping

from bot.demo import merge_actions, review_actions, shapes_code
from bot.demo.records import Issue, Pull
from bot.demo.refusal import missing
from bot.demo.rest_call import Call, Handler, Reply


def _pull(call: Call) -> tuple[Issue, Pull]:
    issue = call.pull
    if issue.pull is None:
        raise missing()
    return issue, issue.pull


def _merge(call: Call) -> Reply:
    how = merge_actions.Merge(
        call.body.get("merge_method", "merge"),
        call.body.get("commit_title", ""),
        call.body.get("commit_message", ""),
        call.body.get("sha", ""),
    )
    sha = merge_actions.merge_pull(call.store, call.repository, *_pull(call), call.actor, how)
    return Reply({"sha": sha, "merged": True, "message": "Pull Request successfully merged"})


def _merged(call: Call) -> Reply:
    _, pull = _pull(call)
    if pull.merged is None:
        raise missing()
    return Reply(status=204)


def _update_branch(call: Call) -> Reply:
    issue, pull = _pull(call)
    merge_actions.update_branch(call.store, call.repository, pull, call.actor, call.body.get("expected_head_sha", ""))
    url = f"{call.store.api}/repos/{call.repository.full_name}/pulls/{issue.number}"
    return Reply({"message": "Updating pull request branch.", "url": url}, 202)


def _merge_branches(call: Call) -> Reply:
    names = call.body["base"], call.body["head"]
    message = call.body.get("commit_message", "")
    sha = merge_actions.merge_branch(call.store, call.repository, call.actor, names, message)
    if sha is None:
        return Reply(status=204)
    git = call.repository.git
    changes = git.changes(git.commit(sha).parents[0], sha)
    return Reply(shapes_code.commit(call.store, call.repository, sha, changes), 201)


def _ask_reviewers(call: Call) -> Reply:
    where = review_actions.Thread.of(call.repository, call.pull)
    review_actions.ask_reviewers(call.store, where, call.actor, call.body.get("reviewers") or ())
    return Reply(shapes_code.pull_simple(call.store, call.repository, *_pull(call)), 201)


HANDLERS: Mapping[str, Handler] = {
    "pulls/merge": _merge,
    "pulls/check-if-merged": _merged,
    "pulls/update-branch": _update_branch,
    "pulls/request-reviewers": _ask_reviewers,
    "repos/merge": _merge_branches,
}
