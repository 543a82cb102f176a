"""What the endpoints take and answer, as OpenAPI: read by tests that try everything else, served to nobody."""

from typing import Any

_OUTCOME: dict[str, Any] = {
    "type": "object",
    "required": ["outcome"],
    "properties": {"outcome": {"type": "string"}, "reason": {"type": "string"}},
    "additionalProperties": False,
}
_STATUS: dict[str, Any] = {
    "type": "object",
    "required": ["status"],
    "properties": {
        "status": {"enum": ["ok", "unready", "unhealthy"]},
        "reason": {"type": "string"},
        "checks": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "additionalProperties": False,
}


def _header(name: str, pattern: str, description: str) -> dict[str, Any]:
    schema = {"type": "string", "pattern": pattern}
    return {"name": name, "in": "header", "required": True, "schema": schema, "description": description}


def _json(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


DELIVERY: dict[str, Any] = {
    "parameters": [
        _header("X-Hub-Signature-256", "^sha256=[0-9a-f]{64}$", "HMAC-SHA256 of the raw body under a webhook secret."),
        _header("X-GitHub-Event", "^[a-z0-9_]{1,64}$", "The event's name."),
        _header("X-GitHub-Delivery", "^[0-9A-Za-z-]{1,64}$", "The delivery's id, which a redelivery keeps."),
    ],
    "requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}},
}
"""The request of `POST /webhook`, beside what its signature demands."""

DELIVERY_RESPONSES: dict[int | str, dict[str, Any]] = {
    202: _json("Recorded, known already, or of an event that nothing is done for", _OUTCOME),
    400: _json("No JSON object, or a header is missing or malformed", _OUTCOME),
    401: _json("The signature is missing, malformed or wrong", _OUTCOME),
    408: _json("The body did not arrive in time", _OUTCOME),
    413: _json("The body is too large", _OUTCOME),
    503: _json("It could not be recorded, or other large deliveries are being read", _OUTCOME),
}
HEALTH_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: _json("The process answers, and its loops turn", _STATUS),
    503: _json("A loop of the process has stopped, and which", _STATUS),
}
READY_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: _json("Nothing that the process relies on is wrong", _STATUS),
    503: _json("What is wrong, check by check", _STATUS),
}
METRICS_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "Prometheus metrics", "content": {"text/plain": {"schema": {"type": "string"}}}}
}
