"""Answers in the threads of one follow-up: one in each, edited in place. A thread that cannot be told ends nothing."""

from collections.abc import Callable
from dataclasses import dataclass

import structlog

from bot.errors import GitHubError
from bot.jobs import FollowUp, subject
from bot.pipeline.followups import replies
from bot.pipeline.followups.replies import Made
from bot.pipeline.followups.threads import Thread, Wish
from bot.pipeline.ports.job import Ports
from bot.pipeline.reports.markdown import marker
from bot.policy import Language

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Answering:
    """Whom to tell what came of what they said, and in which language."""

    job: FollowUp
    ports: Ports
    wish: Wish
    language: Language = "en"

    @property
    def key(self) -> str:
        """What tells this follow-up from the others of its pull request."""
        return f"review-{self.job.review}" if self.job.review else self.job.delivery_id

    def done(self, made: Made) -> None:
        """Say what was pushed."""
        self._tell(lambda thread: replies.done(thread, made, self.language))

    def nothing_done(self, reason: str) -> None:
        """Say why nothing was pushed."""
        self._tell(lambda _: replies.not_done(reason, self.language))

    def _tell(self, text: Callable[[Thread], str]) -> None:
        mark = marker("reply", f"{subject(self.job)}/{self.key}")
        for thread in self.wish.threads:
            said = replies.left_out(thread, self.language) if thread.left_out else text(thread)
            try:
                self.ports.threads.answer(self.job.pull_request, thread.thread, mark, said)
            except GitHubError as error:
                _log.warning("thread_not_answered", thread=thread.thread, cause=error.cause)
                self.ports.journal.append("thread_not_answered", {"thread": thread.thread, "cause": error.cause})
