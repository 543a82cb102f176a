"""`/healthz`, `/readyz` and `/metrics`: of the webhook server, and of a worker on a port of its own."""

from collections.abc import Mapping

from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from starlette.concurrency import run_in_threadpool

from bot.web import description as described
from bot.web.readiness import Look


def alone(live: Look, ready: Look, registry: CollectorRegistry) -> FastAPI:
    """An application that answers these three and nothing else; arguments as in `add`."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    add(app, live, ready, registry)
    return app


def add(app: FastAPI, live: Look, ready: Look, registry: CollectorRegistry) -> None:
    """Add the three. `live` and `ready` may block; each names what is wrong, see `bot.web.readiness.Look`."""

    async def healthz() -> JSONResponse:
        return _said(await run_in_threadpool(live), "unhealthy")

    async def readyz() -> JSONResponse:
        return _said(await run_in_threadpool(ready), "unready")

    async def metrics() -> Response:
        # In a thread, since collectors ask the database.
        return Response(await run_in_threadpool(generate_latest, registry), media_type=CONTENT_TYPE_LATEST)

    app.add_api_route("/healthz", healthz, methods=["GET"], responses=described.HEALTH_RESPONSES)
    app.add_api_route("/readyz", readyz, methods=["GET"], responses=described.READY_RESPONSES)
    app.add_api_route(
        "/metrics", metrics, methods=["GET"], responses=described.METRICS_RESPONSES, response_class=PlainTextResponse
    )


def _said(checks: Mapping[str, str], bad: str) -> JSONResponse:
    wrong = [f"{name}: {what}" for name, what in checks.items() if what]
    shown = {"checks": {name: what or "ok" for name, what in checks.items()}} if checks else {}
    if wrong:
        return JSONResponse({"status": bad, "reason": "; ".join(wrong), **shown}, 503)
    return JSONResponse({"status": "ok", **shown})
