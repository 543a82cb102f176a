"""Webhook payloads as GitHub sends them, cut to what matters, for tests to change one thing at a time."""

import hashlib
import hmac
import json
from typing import Any

from bot.events import Delivery

SECRET = "it-is-a-made-up-secret"
SHA = "0123456789abcdef0123456789abcdef01234567"


def labeled(**changes: Any) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "action": "labeled",
        "installation": {"id": 99},
        "repository": {"id": 1, "full_name": "octo/fizz", "default_branch": "main", "private": False},
        "sender": {"login": "maintainer", "type": "User"},
        "label": {"name": "regreen"},
        "issue": {"number": 7, "title": "It is red", "body": "Look", "state": "open"},
    }
    return payload | changes


def commented(body: str = "/regreen approve", **changes: Any) -> dict[str, Any]:
    """A comment on an issue."""
    payload = labeled(action="created", comment={"id": 3, "body": body, "user": {"login": "maintainer"}})
    del payload["label"]
    return payload | changes


def suite(**changes: Any) -> dict[str, Any]:
    """A completed check suite; `changes` go into `check_suite`."""
    payload = labeled(action="completed")
    del payload["label"], payload["issue"]
    payload["check_suite"] = {
        "id": 5,
        "head_sha": SHA,
        "head_branch": "main",
        "conclusion": "failure",
        "app": {"id": 15368},
    } | changes
    return payload


def delivery(payload: Any, event: str = "issues", delivery_id: str = "d-1") -> Delivery:
    return Delivery(delivery_id, event, json.dumps(payload).encode())


def signed(body: bytes, secret: str = SECRET, event: str = "issues", delivery_id: str = "d-1") -> dict[str, str]:
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {
        "X-Hub-Signature-256": f"sha256={digest}",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": delivery_id,
        "Content-Type": "application/json",
    }
