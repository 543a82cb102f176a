"""REST: branches and the rules that bind them."""

from collections.abc import Mapping
from typing import Any

from bot.demo import shapes_code
from bot.demo.code_actions import is_protected
from bot.demo.refusal import RefusalError
from bot.demo.rest_call import Call, Handler, Reply


def _branch_url(call: Call, name: str) -> str:
    return f"{call.store.api}/repos/{call.repository.full_name}/branches/{name}"


def _branches(call: Call) -> Reply:
    tips = call.repository.git.refs()
    base = f"{call.store.api}/repos/{call.repository.full_name}/commits"

    def shape(name: str) -> Any:
        sha = tips[name]
        return {
            "name": name.removeprefix("refs/heads/"),
            "commit": {"sha": sha, "url": f"{base}/{sha}"},
            "protected": is_protected(call.repository, name),
        }

    return call.page(sorted(tips), shape)


def _branch(call: Call) -> Reply:
    name = call.parameters["branch"]
    sha = call.repository.git.refs().get(f"refs/heads/{name}")
    if sha is None:
        raise RefusalError(404, "Branch not found")
    url = _branch_url(call, name)
    web = f"{call.store.web}/{call.repository.full_name}/tree/{name}"
    body = {
        "name": name,
        "commit": shapes_code.commit(call.store, call.repository, sha),
        "_links": {"self": url, "html": web},
        "protected": is_protected(call.repository, f"refs/heads/{name}"),
        "protection": {"enabled": is_protected(call.repository, f"refs/heads/{name}")},
        "protection_url": f"{url}/protection",
    }
    return Reply(body)


def _rules(call: Call) -> Reply:
    if not is_protected(call.repository, f"refs/heads/{call.parameters['branch']}"):
        return call.page([], str)
    parameters = {
        "allowed_merge_methods": ["merge", "squash", "rebase"],
        "dismiss_stale_reviews_on_push": False,
        "require_code_owner_review": False,
        "require_last_push_approval": False,
        "required_approving_review_count": 1,
        "required_review_thread_resolution": False,
    }
    source = {"ruleset_source_type": "Repository", "ruleset_source": call.repository.full_name, "ruleset_id": 1}
    return call.page([{"type": "pull_request", "parameters": parameters, **source}], lambda one: one)


HANDLERS: Mapping[str, Handler] = {
    "repos/list-branches": _branches,
    "repos/get-branch": _branch,
    "repos/get-branch-rules": _rules,
}
