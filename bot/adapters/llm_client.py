"""The SDK's client, with nothing taken from the environment, a total time for each attempt, and bounded answers."""

import time
from typing import TYPE_CHECKING, Any

import openai

if TYPE_CHECKING:
    import httpx2

DEFAULT_SERVER = "https://api.openai.com/v1"
MAX_BODY = 16 * 1024 * 1024
"""Bytes of one answer, unpacked; lists of models have about one million."""
ENCODED = frozenset({"content-encoding", "content-length", "transfer-encoding"})


def client(base_url: str, api_key: str, timeout: float, retries: int) -> openai.OpenAI:
    """A client for one server; `timeout` is seconds for one attempt, and an empty `base_url` is the vendor's server."""
    made = openai.OpenAI(
        base_url=base_url or DEFAULT_SERVER,
        api_key=api_key,
        # the SDK looks up in the environment whatever is None here
        admin_api_key="",
        organization="",
        project="",
        webhook_secret="",
        timeout=timeout,
        max_retries=retries,
        # a prompt is for the server that the operator named, wherever that one would send it
        http_client=_Bounded(timeout=timeout, follow_redirects=False),
    )
    made.organization = made.project = None
    # OPENAI_CUSTOM_HEADERS may hold a key, which would replace this server's; no argument keeps the SDK from reading it
    made._custom_headers = {}  # noqa: SLF001
    return made


class _Bounded(openai.DefaultHttpxClient):
    """Reads each answer within the request's read timeout in all; a larger one is cut, and so no JSON any more."""

    def send(self, request: "httpx2.Request", *, stream: bool = False, **options: Any) -> "httpx2.Response":
        started = time.monotonic()
        response = super().send(request, stream=True, **options)
        if stream:
            return response
        seconds = request.extensions.get("timeout", {}).get("read")
        body = bytearray()
        try:
            for part in response.iter_bytes():
                body += part
                if seconds is not None and time.monotonic() - started > seconds:
                    raise openai.APITimeoutError(request=request)
                if len(body) > MAX_BODY:
                    break
        finally:
            response.close()
        headers = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in ENCODED]
        content = bytes(body[:MAX_BODY])
        return type(response)(response.status_code, headers=headers, content=content, request=request)

    def __del__(self) -> None:
        """As the SDK's own client: whoever forgets it leaves no open connection."""
        self.close()
