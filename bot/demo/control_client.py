"""The scenario's end of `control`: what a demo in another process asks of the stand-in."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from bot.demo.control import PREFIX
from bot.demo.state import FileContent

SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ControlClient:
    """Calls the stand-in on `base_url`. Every method raises `httpx.HTTPError` when it refuses or does not answer."""

    base_url: str
    token: str

    def add_user(self, login: str) -> str:
        """Make a person and return a token that acts as them."""
        return str(self._call("add-user", {"login": login})["token"])

    def add_repository(
        self, full_name: str, files: Mapping[str, FileContent], collaborators: Mapping[str, str]
    ) -> dict[str, Any]:
        """Make a public repository where the App is installed; returns its id, installation id and first commit."""
        body = {"full_name": full_name, "files": _packed(files), "collaborators": dict(collaborators)}
        return self._call("add-repository", body)

    def commit(
        self, full_name: str, branch: str, files: Mapping[str, FileContent], message: str, author: str = ""
    ) -> str:
        """Push one commit as a person, the owner by default; returns its id."""
        body = {"full_name": full_name, "branch": branch, "message": message, "author": author}
        return str(self._call("commit", body | {"files": _packed(files)})["sha"])

    def complete_suite(
        self, full_name: str, sha: str, conclusion: str, jobs: Sequence[tuple[str, str, str | None]]
    ) -> int:
        """Let GitHub Actions finish on a commit, with jobs (name, conclusion, log); returns the suite's id."""
        body = {"full_name": full_name, "sha": sha, "conclusion": conclusion, "jobs": list(jobs)}
        return int(self._call("complete-suite", body)["id"])

    def hook(self, url: str) -> None:
        """Send webhooks there from now on."""
        self._call("hook", {"url": url})

    def report(self) -> dict[str, Any]:
        """What happened so far: requests, deliveries, violations."""
        return self._call("report", {})

    def _call(self, name: str, body: Mapping[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.token}"}
        # The environment's proxies have no business between two processes of one machine.
        with httpx.Client(timeout=SECONDS, trust_env=False) as client:
            response = client.post(f"{self.base_url}{PREFIX}/{name}", json=body, headers=headers)
        response.raise_for_status()
        answer: dict[str, Any] = response.json()
        return answer


def _packed(files: Mapping[str, FileContent]) -> dict[str, Any]:
    return {path: _file(content) for path, content in files.items()}


def _file(content: FileContent) -> dict[str, Any]:
    if content is None:
        return {"content": None}
    mode, data = content if isinstance(content, tuple) else ("100644", content)
    octets = data.encode() if isinstance(data, str) else data
    return {"mode": mode, "content": base64.b64encode(octets).decode()}
