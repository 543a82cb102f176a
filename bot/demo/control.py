"""The stand-in's scenario calls over HTTP, for a demo that runs it as a process. GitHub has nothing of the kind."""

import base64
import hmac
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.demo.faults import Fault
from bot.demo.state import FileContent, State
from bot.demo.store import MissingError

PREFIX = "/_scenario"


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TreeFile(_Body):
    """A file: git's mode and the bytes as base64; no content deletes it."""

    content: str | None
    mode: str = "100644"

    def unpack(self) -> FileContent:
        """The file as the state takes it."""
        return None if self.content is None else (self.mode, base64.b64decode(self.content))


class NewUser(_Body):
    """Makes a user and a token for them; answers `{"token": …}`."""

    login: str


class NewRepository(_Body):
    """See `State.add_repository`; answers `{"id", "installation", "sha"}`."""

    full_name: str
    files: dict[str, TreeFile]
    private: bool = False
    default_branch: str = "main"
    collaborators: dict[str, str] = Field(default_factory=dict)


class NewCommit(_Body):
    """See `State.commit`; answers `{"sha": …}`."""

    full_name: str
    branch: str
    files: dict[str, TreeFile]
    message: str
    author: str = ""


class FinishedSuite(_Body):
    """See `State.complete_suite`; jobs are (name, conclusion, log). Answers `{"id": …}`."""

    full_name: str
    sha: str
    conclusion: str
    jobs: list[tuple[str, str, str | None]] = Field(default_factory=list)


class NewFault(_Body):
    """See `Fault`."""

    fault: Fault


class Webhook(_Body):
    """Where webhooks go from now on; the secret stays the configured one."""

    url: str


class Nothing(_Body):
    """Answers `{"requests", "deliveries", "violations"}`."""


def _add_user(state: State, body: NewUser) -> Any:
    state.add_user(body.login)
    return {"token": state.issue_user_token(body.login)}


def _add_repository(state: State, body: NewRepository) -> Any:
    files = {path: file.unpack() for path, file in body.files.items()}
    repository = state.add_repository(
        body.full_name,
        files,
        private=body.private,
        default_branch=body.default_branch,
        collaborators=body.collaborators,
    )
    sha = repository.git.refs().get(f"refs/heads/{body.default_branch}")
    return {"id": repository.id, "installation": state.install(repository).id, "sha": sha}


def _commit(state: State, body: NewCommit) -> Any:
    files = {path: file.unpack() for path, file in body.files.items()}
    return {"sha": state.commit(body.full_name, body.branch, files, body.message, body.author)}


def _complete_suite(state: State, body: FinishedSuite) -> Any:
    return {"id": state.complete_suite(body.full_name, body.sha, body.conclusion, body.jobs).id}


def _inject(state: State, body: NewFault) -> Any:
    state.inject(body.fault)
    return {}


def _hook(state: State, body: Webhook) -> Any:
    state.hooks.url = body.url
    return {}


def _report(state: State, _body: Nothing) -> Any:
    return {
        "requests": [[one.method, one.path, one.status, one.operation] for one in tuple(state.requests)],
        "deliveries": [[one.guid, one.event, one.action, one.status_code] for one in tuple(state.hooks.log)],
        "violations": [str(one) for one in tuple(state.violations)],
    }


_CALLS: Mapping[str, tuple[type[_Body], Callable[[State, Any], Any]]] = {
    "add-user": (NewUser, _add_user),
    "add-repository": (NewRepository, _add_repository),
    "commit": (NewCommit, _commit),
    "complete-suite": (FinishedSuite, _complete_suite),
    "inject": (NewFault, _inject),
    "hook": (Webhook, _hook),
    "report": (Nothing, _report),
}


def routes(state: State, token: str) -> list[Route]:
    """One POST route a call, open to the bearer of `token`."""

    def route(name: str) -> Route:
        model, perform = _CALLS[name]

        async def endpoint(request: Request) -> Response:
            given = request.headers.get("authorization", "").removeprefix("Bearer ")
            if not hmac.compare_digest(given.encode(), token.encode()):
                return JSONResponse({"message": "The scenario's token is missing or wrong"}, 401)
            try:
                body = model.model_validate_json(await request.body())
                return JSONResponse(await run_in_threadpool(perform, state, body))
            except ValidationError as error:
                return JSONResponse({"message": str(error)}, 422)
            except MissingError as error:
                return JSONResponse({"message": str(error)}, 404)

        return Route(f"{PREFIX}/{name}", endpoint, methods=["POST"])

    return [route(name) for name in _CALLS]
