"""The REST endpoint: finds the operation, checks the request, who calls and what they may, and checks the answer."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from bot.demo import (
    auth,
    rest_actions,
    rest_apps,
    rest_branches,
    rest_checks,
    rest_git,
    rest_issues,
    rest_merges,
    rest_pulls,
    rest_repos,
    rest_reviews,
)
from bot.demo.git_store import GitError
from bot.demo.permissions import PUBLIC
from bot.demo.records import Repository, Violation
from bot.demo.refusal import RefusalError, missing
from bot.demo.rest_call import Call, Handler, Reply
from bot.demo.spec import Description, Match
from bot.demo.store import MissingError, Store

HANDLERS: Mapping[str, Handler] = {
    **rest_apps.HANDLERS,
    **rest_repos.HANDLERS,
    **rest_branches.HANDLERS,
    **rest_issues.HANDLERS,
    **rest_git.HANDLERS,
    **rest_pulls.HANDLERS,
    **rest_reviews.HANDLERS,
    **rest_merges.HANDLERS,
    **rest_checks.HANDLERS,
    **rest_actions.HANDLERS,
}
LONGEST_GIT_ERROR = 300
ANSWERED_ALL_THE_SAME = (
    # a fork that was deleted, whose pull requests stay
    re.compile(r"(^|/)head/repo: null is not of type"),
    # the package joins the two kinds of accounts, person and enterprise, so that none fits
    re.compile(r"^\d+/account: .* is not valid under any of the schemas"),
)
"""What GitHub answers though its description, or the package's form of it, has no room for it."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request below /api/v3; `path` is still quoted and without that prefix."""

    method: str
    path: str
    query: str
    authorization: str
    accept: str
    content: bytes


class Rest:
    """Answers requests, one at a time."""

    def __init__(self, store: Store, description: Description) -> None:
        """Serve this store, checked against this description."""
        self._store = store
        self._description = description

    def answer(self, request: Request) -> tuple[Reply, str]:
        """The answer and the operationId, empty where GitHub has no such operation."""
        found = self._description.find(request.method, request.path)
        if found is None:
            self._note("request", request.path, request, ["GitHub has no such operation, or nobody needed it yet"])
            return _refused(missing()), ""
        name = found.operation.name
        try:
            reply = self._perform(request, found)
        except RefusalError as error:
            reply = _refused(error)
        except GitError as error:
            reply = _refused(RefusalError(422, str(error)[:LONGEST_GIT_ERROR]))
        if reply.raw is None:
            problems = self._description.response_problems(found.operation, reply.status, reply.body)
            problems = [one for one in problems if not any(known.search(one) for known in ANSWERED_ALL_THE_SAME)]
            if problems:
                self._note("response", name, request, problems)
        return reply, name

    def _perform(self, request: Request, found: Match) -> Reply:
        query = dict(parse_qsl(request.query, keep_blank_values=True))
        problems: list[str] = []
        try:
            body = _leniently(found.operation.name, json.loads(request.content) if request.content else None)
        except ValueError:
            raise RefusalError(400, "Problems parsing JSON") from None
        problems = self._description.request_problems(found.operation, query, body)
        if problems:
            self._note("request", found.operation.name, request, problems)
        with self._store.lock:
            public = found.operation.name in PUBLIC and not request.authorization
            caller = auth.nobody() if public else auth.identify(self._store, request.authorization)
            if problems:
                raise RefusalError(422, f"Invalid request: {'; '.join(problems)}")
            auth.authorize(caller, found.operation.name, self._repository(found))
            url = f"{self._store.api}{request.path}"
            call = Call(self._store, caller, url, found.parameters, query, body or {}, request.accept)
            return HANDLERS[found.operation.name](call)

    def _repository(self, found: Match) -> Repository | None:
        if "repo" not in found.parameters:
            return None
        try:
            return self._store.repository(f"{found.parameters['owner']}/{found.parameters['repo']}")
        except MissingError:
            raise missing() from None

    def _note(self, kind: str, operation: str, request: Request, problems: list[str]) -> None:
        where = f"{request.method} {request.path}"
        self._store.violations.append(Violation(kind, operation, where, tuple(problems)))


def _refused(error: RefusalError) -> Reply:
    return Reply(error.body(), error.status)


def _leniently(operation: str, body: Any) -> Any:
    """What the description forbids and GitHub accepts. One line a case, each with its reason."""
    if operation in {"issues/add-labels", "issues/set-labels"} and isinstance(body, list):
        return {"labels": body}  # PyGithub sends a bare array, which the description's own prose allows
    return body
