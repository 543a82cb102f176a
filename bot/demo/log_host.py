"""The other host that logs are downloaded from; like a blob store it refuses a foreign Authorization."""

import io
import zipfile

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from bot.demo.check_actions import latest
from bot.demo.records import CheckRun, Violation
from bot.demo.state import State


def log_application(state: State) -> Starlette:
    """A job's log as text, a workflow run's logs as an archive."""

    async def log(web: Request) -> Response:
        if "authorization" in web.headers:
            problem = "the Authorization header went to the log host: a token leaks to another host"
            state.violations.append(Violation("request", "job log", web.url.path, (problem,)))
            return PlainTextResponse("InvalidAuthenticationInfo", 400)
        with state.lock:
            identity = state.log_links.get(web.path_params["link"], 0)
            runs = [run for one in state.repositories.values() for run in one.runs.values()]
            wanted = [run for run in runs if identity in {run.id, run.suite} and run.log is not None]
        if not wanted:
            return PlainTextResponse("BlobNotFound", 404)
        if wanted[0].id == identity:
            return PlainTextResponse(_text(wanted[0]))
        return Response(_archive(latest(wanted)), media_type="application/zip")

    return Starlette(routes=[Route("/logs/{link}", log)])


def _text(run: CheckRun) -> str:
    stamp = run.started.strftime("%Y-%m-%dT%H:%M:%S.0000000Z")
    # GitHub puts a byte order mark first and a time before each line.
    return "\ufeff" + "".join(f"{stamp} {line}\r\n" for line in (run.log or "").splitlines())


def _archive(runs: list[CheckRun]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, run in enumerate(runs):
            archive.writestr(f"{number}_{run.name}.txt", _text(run))
            archive.writestr(f"{run.name}/1_Set up job.txt", "")
            archive.writestr(f"{run.name}/2_Run tests.txt", _text(run))
    return packed.getvalue()
