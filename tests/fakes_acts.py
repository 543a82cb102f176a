"""One issue, what people do to it, and what the dispatcher makes of that; no job ends by itself."""

from dataclasses import replace
from typing import Any

from fakes_desk import Around, HeldEngine, dispatcher
from fakes_github import FakeGitHub
from fakes_store import FakeInbox, FakeRuns
from payloads import commented, delivery, labeled

from bot.jobs import State
from bot.pipeline.intake.retelling import Retelling
from bot.pipeline.intake.site import Site
from bot.pipeline.ports.github import IssueFacts, Permission


class Desk:
    """Issue 7 of octo/fizz, which bears the label."""

    def __init__(self) -> None:
        self.inbox, self.runs, self.github, self.around = FakeInbox(), FakeRuns(), FakeGitHub(), Around()
        self.github.issues[7] = IssueFacts(is_open=True, labels=("regreen",))
        self.github.permissions["maintainer"] = Permission.WRITE
        self.engine = HeldEngine(self.runs)
        self.dispatcher = dispatcher(self.inbox, self.engine, self.runs, self.github, self.around)
        self.count = 0
        site = Site("octo/fizz", self.github, self.around.labels, self.around.pulls)
        self.retelling = Retelling(
            self.engine, self.runs, self.around.unsaid, lambda _repository, _installation: site, self.inbox.now
        )

    def receive(self, payload: Any, event: str = "issues") -> str:
        self.count += 1
        name = f"d-{self.count}"
        self.inbox.accept(delivery(payload | {"nonce": self.count}, event, name))
        self.dispatcher.step()
        return self.inbox.decisions.get(name, ("undecided", None))[0]

    def label(self) -> str:
        self.github.issues[7] = IssueFacts(is_open=True, labels=("regreen",))
        return self.receive(labeled())

    def unlabel(self) -> str:
        self.github.issues[7] = IssueFacts(is_open=True, labels=())
        return self.receive(labeled(action="unlabeled"))

    def close(self) -> str:
        self.github.issues[7] = replace(self.github.issues[7], is_open=False)
        issue = labeled()["issue"] | {"state": "closed"}
        return self.receive(labeled(action="closed", issue=issue))

    def say(self, command: str, comment_id: int = 0) -> str:
        comment = {"id": comment_id or 100 + self.count, "body": command, "user": {"login": "maintainer"}}
        return self.receive(commented(comment=comment), "issue_comment")

    @property
    def comments(self) -> list[str]:
        return [comment.body for comment in self.github.comments[7]]

    @property
    def status(self) -> str:
        (only,) = [body for body in self.comments if body.startswith("<!-- regreen:status=")]
        return only

    @property
    def answers(self) -> list[str]:
        return [body for body in self.comments if body.startswith("<!-- regreen:answer=")]

    @property
    def states(self) -> list[State]:
        return [outcome.state for outcome in self.runs.outcomes.values()]
