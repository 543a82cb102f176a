"""A person at the stand-in, over the same REST as everybody: files issues, labels, pushes, reads pull requests."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from bot.demo.processes import DemoError


@dataclass(frozen=True, slots=True)
class PullView:
    """A pull request as a reader sees it; `diff` is unified."""

    number: int
    title: str
    url: str
    head: str
    draft: bool
    body: str
    diff: str


@dataclass(frozen=True, slots=True)
class Person:
    """Acts with a person's token. Every method raises `DemoError` when the stand-in refuses."""

    client: httpx.Client

    @classmethod
    def at(cls, api: str, token: str) -> "Person":
        """Somebody who is signed in."""
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
        return cls(httpx.Client(base_url=api, headers=headers, timeout=20, trust_env=False))

    def open_issue(self, repository: str, title: str, body: str) -> int:
        """File an issue; returns its number."""
        return int(self._send("POST", f"/repos/{repository}/issues", {"title": title, "body": body})["number"])

    def label(self, repository: str, issue: int, name: str) -> None:
        """Put a label on."""
        self._send("POST", f"/repos/{repository}/issues/{issue}/labels", {"labels": [name]})

    def comments(self, repository: str, issue: int) -> tuple[str, ...]:
        """The comments' texts, oldest first."""
        return tuple(one["body"] for one in self._list(f"/repos/{repository}/issues/{issue}/comments"))

    def push(self, repository: str, branch: str, files: Mapping[str, bytes], message: str) -> str:
        """Commit files on a branch; returns the commit's id."""
        git = f"/repos/{repository}/git"
        parent = self._send("GET", f"{git}/ref/heads/{branch}")["object"]["sha"]
        blobs = {path: self._blob(git, content) for path, content in files.items()}
        entries = [{"path": path, "mode": "100644", "type": "blob", "sha": sha} for path, sha in blobs.items()]
        base = self._send("GET", f"{git}/commits/{parent}")["tree"]["sha"]
        tree = self._send("POST", f"{git}/trees", {"base_tree": base, "tree": entries})["sha"]
        commit = self._send("POST", f"{git}/commits", {"message": message, "tree": tree, "parents": [parent]})["sha"]
        self._send("PATCH", f"{git}/refs/heads/{branch}", {"sha": commit})
        return str(commit)

    def pulls(self, repository: str) -> tuple[PullView, ...]:
        """The open pull requests, oldest first, with their diffs."""
        found = self._list(f"/repos/{repository}/pulls?state=open&sort=created&direction=asc")
        return tuple(self._view(repository, one) for one in found)

    def _view(self, repository: str, pull: Mapping[str, Any]) -> PullView:
        files = self._list(f"/repos/{repository}/pulls/{pull['number']}/files")
        diff = "\n".join(f"--- a/{one['filename']}\n+++ b/{one['filename']}\n{one.get('patch', '')}" for one in files)
        head, draft = pull["head"]["ref"], bool(pull.get("draft"))
        return PullView(pull["number"], pull["title"], pull["html_url"], head, draft, pull["body"] or "", diff)

    def _blob(self, git: str, content: bytes) -> str:
        body = {"content": base64.b64encode(content).decode(), "encoding": "base64"}
        return str(self._send("POST", f"{git}/blobs", body)["sha"])

    def _list(self, path: str) -> list[Any]:
        """A listing, all of its pages."""
        found: list[Any] = []
        while path:
            answer = self._answer("GET", path)
            found += answer.json()
            path = answer.links.get("next", {}).get("url", "")
        return found

    def _send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        return self._answer(method, path, body).json()

    def _answer(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> httpx.Response:
        try:
            answer = self.client.request(method, path.lstrip("/"), json=body)
        except httpx.HTTPError as error:
            raise DemoError(f"{method} {path}: {error}") from None
        if not answer.is_success:
            raise DemoError(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        return answer
