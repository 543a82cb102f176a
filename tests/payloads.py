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


def person(login: str = "maintainer") -> dict[str, Any]:
    return {"login": login, "type": "Bot" if login.endswith("[bot]") else "User"}


def pull(**changes: Any) -> dict[str, Any]:
    """A pull request of the App's own, for issue 7."""
    return {
        "number": 12,
        "state": "open",
        "user": person("regreen[bot]"),
        "body": "<!-- regreen:subject=issue-7 -->\nFixes #7.",
        "head": {"ref": "regreen/issue-7", "sha": SHA, "repo": {"id": 1}},
        "base": {"ref": "main", "sha": "b" * 40, "repo": {"id": 1}},
        "merged": False,
    } | changes


def on_pull(action: str = "closed", **changes: Any) -> dict[str, Any]:
    """What happens to a pull request; `changes` go beside it."""
    payload = labeled(action=action, pull_request=pull())
    del payload["issue"]
    return payload | changes


def reviewed(body: str = "Please mind zero", state: str = "changes_requested", **changes: Any) -> dict[str, Any]:
    return on_pull("submitted", review={"id": 31, "body": body, "state": state, "user": person()}, **changes)


def line_commented(body: str = "Not here", **changes: Any) -> dict[str, Any]:
    comment = {"id": 41, "body": body, "pull_request_review_id": 31, "user": person()}
    return on_pull("created", comment=comment, **changes)


def listed(number: int = 12, repository: int = 1) -> dict[str, Any]:
    """A pull request as checks list theirs."""
    return {"number": number, "base": {"repo": {"id": repository}}}


def check_run(action: str = "completed", button: str = "", **changes: Any) -> dict[str, Any]:
    """One of the App's own check runs; `changes` go into it."""
    payload = labeled(action=action)
    del payload["label"], payload["issue"]
    payload["check_run"] = {
        "id": 51,
        "head_sha": SHA,
        "external_id": f"check-main@{SHA}",
        "conclusion": "failure",
        "app": {"id": 42},
        "check_suite": {"id": 5, "head_branch": "main"},
        "pull_requests": [],
    } | changes
    return payload | ({"requested_action": {"identifier": button}} if button else {})


def workflow_run(**changes: Any) -> dict[str, Any]:
    """A completed workflow run; `changes` go into it."""
    payload = labeled(action="completed")
    del payload["label"], payload["issue"]
    payload["workflow_run"] = {
        "id": 61,
        "check_suite_id": 5,
        "head_sha": SHA,
        "head_branch": "main",
        "conclusion": "failure",
        "head_repository": {"id": 1},
        "pull_requests": [],
    } | changes
    return payload


def status(state: str = "failure", branches: tuple[str, ...] = ("main",), **changes: Any) -> dict[str, Any]:
    payload = labeled(sha=SHA, state=state, context="ci", branches=[{"name": name} for name in branches])
    del payload["label"], payload["issue"], payload["action"]
    return payload | changes


def pushed(*paths: str, **changes: Any) -> dict[str, Any]:
    """A push to the default branch that changed these paths."""
    payload = labeled(ref="refs/heads/main", after=SHA, commits=[{"added": [], "removed": [], "modified": list(paths)}])
    del payload["label"], payload["issue"], payload["action"]
    return payload | changes


def installed(action: str = "created", **changes: Any) -> dict[str, Any]:
    """What happens to the installation or to its selection of repositories."""
    return {"action": action, "installation": {"id": 99}, "sender": person()} | changes


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
