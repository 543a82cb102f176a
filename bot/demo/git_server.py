"""Git over smart HTTP: `git http-backend` behind the tokens that REST knows. Follows what a push moved."""

import asyncio
import base64
import binascii
import contextlib
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from bot.demo import auth, code_actions
from bot.demo.accounts import Kind
from bot.demo.actions import Actor
from bot.demo.git_store import PATH
from bot.demo.records import Repository
from bot.demo.refusal import RefusalError, missing
from bot.demo.state import State
from bot.demo.store import MissingError

UPLOAD, RECEIVE = "git-upload-pack", "git-receive-pack"
CHUNK = 64 * 1024
INSTALLATION_USER = "x-access-token"


@dataclass(frozen=True, slots=True)
class _Access:
    """A granted request; the actor is `None` for the anonymous reader of a public repository."""

    repository: Repository
    service: str
    actor: Actor | None


def routes(state: State) -> list[Route]:
    """The routes of the smart protocol, with and without `.git`; the dumb protocol is not offered."""

    async def info_refs(request: Request) -> Response:
        return await serve(request, request.query_params.get("service", ""), "info/refs")

    async def rpc(request: Request) -> Response:
        service = request.url.path.rpartition("/")[2]
        return await serve(request, service, service)

    async def serve(request: Request, service: str, suffix: str) -> Response:
        try:
            granted = _admit(state, request, service)
        except RefusalError as error:
            headers = {"WWW-Authenticate": 'Basic realm="GitHub"'} if error.status == 401 else {}  # noqa: PLR2004 - HTTP
            return PlainTextResponse(error.message, error.status, headers)
        return await _backend(state, request, granted, suffix)

    return [
        Route("/{owner}/{repo}/info/refs", info_refs),
        Route(f"/{{owner}}/{{repo}}/{UPLOAD}", rpc, methods=["POST"]),
        Route(f"/{{owner}}/{{repo}}/{RECEIVE}", rpc, methods=["POST"]),
    ]


def _admit(state: State, request: Request, service: str) -> _Access:
    if service not in {UPLOAD, RECEIVE}:
        raise RefusalError(403, "Please upgrade your git client: the dumb protocol is not offered.")
    name = f"{request.path_params['owner']}/{request.path_params['repo'].removesuffix('.git')}"
    needed = "contents:write" if service == RECEIVE else "contents:read"
    with state.lock:
        caller = _caller(state, request.headers.get("authorization", ""))
        try:
            repository = state.repository(name)
        except MissingError:
            raise (RefusalError(401, "Repository not found.") if caller is None else missing()) from None
        if caller is None:
            if repository.private or service == RECEIVE:
                raise RefusalError(401, "Authentication is required.")
            return _Access(repository, service, None)
        auth.demand(caller, (needed,), repository)
        return _Access(repository, service, caller.actor)


def _caller(state: State, authorization: str) -> auth.Caller | None:
    scheme, _, encoded = authorization.partition(" ")
    if not authorization:
        return None
    try:
        user, _, token = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise RefusalError(401, "Invalid credentials") from None
    if scheme.lower() != "basic":
        raise RefusalError(401, "Invalid credentials")
    caller = auth.caller_of_token(state, token)
    if caller.kind is Kind.INSTALLATION and user != INSTALLATION_USER:
        raise RefusalError(401, f"An installation token's user name is {INSTALLATION_USER}.")
    return caller


async def _backend(state: State, request: Request, granted: _Access, suffix: str) -> Response:
    before = granted.repository.git.refs() if suffix == RECEIVE else None
    process = await asyncio.create_subprocess_exec(
        "git", "http-backend", stdin=PIPE, stdout=PIPE, stderr=None, env=_environment(request, granted, suffix)
    )
    feeding = asyncio.create_task(_feed(request, process))
    if process.stdout is None:  # never, with PIPE; mypy cannot know
        raise RuntimeError
    status, headers = 200, dict[str, str]()
    while line := (await process.stdout.readline()).decode().strip():
        key, _, value = line.partition(": ")
        if key.lower() == "status":
            status = int(value.split()[0])
        else:
            headers[key] = value
    return _Answer(_output(state, process, feeding, (granted, before)), status, headers)


class _Answer(StreamingResponse):
    """Streams while the request's body is still coming in.

    Starlette's own watches for a disconnect with the same `receive`, and so eats what a large push sends.
    """

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        await self.stream_response(send)


async def _output(
    state: State, process: Process, feeding: asyncio.Task[None], pushed: tuple[_Access, dict[str, str] | None]
) -> AsyncIterator[bytes]:
    try:
        while process.stdout and (chunk := await process.stdout.read(CHUNK)):
            yield chunk
        await feeding
        await process.wait()
        # Before the answer ends: who sees the push done also sees its webhooks queued.
        await run_in_threadpool(_follow, state, *pushed)
    finally:
        feeding.cancel()
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _feed(request: Request, process: Process) -> None:
    if process.stdin is None:
        return
    # git may answer without reading all, and the client may go away: neither is our failure.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError, ClientDisconnect):
        async for chunk in request.stream():
            process.stdin.write(chunk)
            await process.stdin.drain()
    process.stdin.close()


def _environment(request: Request, granted: _Access, suffix: str) -> dict[str, str]:
    path = granted.repository.git.path
    headers = request.headers
    environment = {
        "PATH": PATH,
        "HOME": str(path),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_PROJECT_ROOT": str(path.parent),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{path.name}/{suffix}",
        "REQUEST_METHOD": request.method,
        "QUERY_STRING": request.url.query,
        "CONTENT_TYPE": headers.get("content-type", ""),
        "REMOTE_ADDR": "127.0.0.1",
    }
    if granted.actor:
        environment["REMOTE_USER"] = granted.actor.user.login
    passed = (
        ("CONTENT_LENGTH", "content-length"),
        ("HTTP_CONTENT_ENCODING", "content-encoding"),
        ("GIT_PROTOCOL", "git-protocol"),
    )
    return environment | {name: headers[header] for name, header in passed if header in headers}


def _follow(state: State, granted: _Access, before: dict[str, str] | None) -> None:
    if before is None or granted.actor is None:
        return
    with state.lock:
        after = granted.repository.git.refs()
        for name in sorted(before.keys() | after.keys()):
            moved = before.get(name), after.get(name)
            code_actions.branch_moved(state, granted.repository, granted.actor, name, moved)
