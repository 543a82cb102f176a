"""What browsers send of plain forms: bounded, and each field once."""

from urllib.parse import parse_qsl

from starlette.requests import Request

MOST_BYTES = 16 * 1024
MOST_FIELDS = 20


async def fields(request: Request) -> dict[str, str]:
    """The fields of a form; none of one that is too large, of another kind, or no form at all."""
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return {}
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            return {}
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        return {}


def place(said: str) -> str:
    """A path of this server to go on to, `/runs` for anything else."""
    inside = said.startswith("/") and not said.startswith(("//", "/\\")) and said.isascii() and said.isprintable()
    return said if inside and len(said) <= MOST_BYTES else "/runs"
