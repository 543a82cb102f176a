"""What every server here does where a client goes away while its request is being read: it says so, and no more."""

import structlog
from starlette.requests import Request
from starlette.responses import Response

_log = structlog.get_logger(__name__)


async def disconnected(request: Request, _error: Exception) -> Response:
    """Handle Starlette's `ClientDisconnect`, which is no failure of the server: nobody reads the answer."""
    _log.debug("client_went_away", method=request.method, path=request.scope["path"])
    return Response(status_code=400)
