"""From a delivery to what is on GitHub in the end: the real dispatcher and the real job, over one scripted stage."""

import hashlib
import json
from typing import Any

from fakes_desk import Around, dispatcher
from fakes_fix import Stage
from fakes_store import FakeInbox, FakeRuns

from bot.engine.inline import InlineEngine
from bot.events import Delivery
from bot.jobs import Job, JobOutcome, job_id
from bot.pipeline.ports.github import FailedJob, Permission
from bot.triggers import Operator

OPERATOR = Operator(42, "regreen", "regreen[bot]")
REPOSITORY = {"id": 1, "full_name": "octo/fizz", "default_branch": "main", "private": False}


def person(login: str) -> dict[str, str]:
    """Whoever sends something, as GitHub shows them."""
    return {"login": login, "type": "Bot" if login.endswith("[bot]") else "User"}


class Office:
    """One repository and all who are around it; `ran` are the jobs that were run."""

    def __init__(self, stage: Stage, operator: Operator = OPERATOR) -> None:
        self.stage, self.github = stage, stage.github
        self.inbox, self.runs, self.around = FakeInbox(), FakeRuns(), Around()
        self.ran: list[Job] = []
        self.github.permissions.setdefault("mona", Permission.WRITE)
        self.dispatcher = dispatcher(self.inbox, InlineEngine(self._run), self.runs, self.github, self.around, operator)
        self._sent = 0

    def _run(self, job: Job) -> JobOutcome:
        self.ran.append(job)
        return self.runs.ended(job_id(job), self.stage.run(job))

    def deliver(self, event: str, payload: dict[str, Any]) -> str:
        """Let a webhook arrive, and what is decided of it be done; returns the decision."""
        self._sent += 1
        name = f"d-{self._sent}-{hashlib.sha256(json.dumps(payload).encode()).hexdigest()[:8]}"
        self.inbox.accept(Delivery(name, event, json.dumps(payload | {"delivery": name}).encode()))
        self.dispatcher.step()
        return self.inbox.decisions.get(name, ("undecided", None))[0]

    def label(self, by: str = "mona", **issue: Any) -> str:
        """Put the label on issue 7."""
        return self.deliver("issues", self._payload("labeled", by, issue) | {"label": {"name": "regreen"}})

    def comment(self, text: str, by: str = "mona", **issue: Any) -> str:
        """Comment on issue 7."""
        said = {"id": 3, "body": text, "user": person(by)}
        return self.deliver("issue_comment", self._payload("created", by, issue) | {"comment": said})

    def red(self, branch: str = "main", by: str = "mona", app_id: int = 15368, log: str = "") -> str:
        """A check suite that failed on the head of a branch."""
        self.github.jobs[9] = (FailedJob("tests", "failure", log),)
        suite = {
            "id": 9,
            "head_sha": self.github.branches[branch],
            "head_branch": branch,
            "conclusion": "failure",
            "app": {"id": app_id},
        }
        return self.deliver("check_suite", self._payload("completed", by) | {"check_suite": suite})

    def _payload(self, action: str, by: str, issue: dict[str, Any] | None = None) -> dict[str, Any]:
        payload: dict[str, Any] = {
            "action": action,
            "installation": {"id": 99},
            "repository": REPOSITORY,
            "sender": person(by),
        }
        if issue is not None:
            about = {"number": 7, "title": "Fifty should pass", "body": "It fails.", "state": "open"}
            payload["issue"] = about | issue
        return payload
