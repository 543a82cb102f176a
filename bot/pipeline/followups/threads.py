"""What people ask for of one of our pull requests: one batch for a review, with its threads. Pure, over given values.

All of it is data from people. What counts are the words of those who may write to the repository and of the bots that
the policy lists, as they were when the review was submitted; the policy says whether others' words are left out or
marked as theirs.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.jobs import FollowUp
from bot.pipeline.ports.threads import Remark, ReviewFacts
from bot.pipeline.texts import Answered
from bot.policy import RepoPolicy
from bot.repair.asked import Spot
from bot.triggers.who import is_listed_bot
from bot.visible import without_hidden

MAX_THREADS = 30
MAX_TEXT = 20_000
MAX_SAID = 4_000
HUNK_LINES = 8
MAX_COURTESY = 100
GRACE = 60.0
"""Seconds after a review was submitted in which GitHub itself may still touch its comments."""

_COURTESY = re.compile(
    r"(?:thanks?(?:[ ]you)?|thx|ty|danke|merci|lgtm|ok(?:ay)?|nice|great|perfect|cool|good|awesome|done|resolved|agreed"
    r"|yes|so much|very much|a lot|looks good|to me|for this|for that|[\W_])+",
    re.IGNORECASE,
)
"""Words that ask for nothing: an answer to them would cost a run, and say nothing."""
_COMMAND = re.compile(r"^[ \t]{0,3}/regreen[ \t]*(?:fix|retry)?[ \t]*", re.IGNORECASE | re.MULTILINE)

MayWrite = Callable[[str], bool]
"""Whether a person may write to the repository now."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one person said in a thread; `outside` says that they may not write to the repository."""

    author: str
    text: str
    outside: bool = False


@dataclass(frozen=True, slots=True)
class Thread:
    """One thread of the batch. `left_out` says why it is not worked on, and is empty where it is."""

    thread: int
    path: str
    line: int
    hunk: str
    said: tuple[Said, ...]
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for, by whom; `body` is said of the pull request as a whole."""

    sender: str
    pull_request: int
    body: str
    threads: tuple[Thread, ...] = ()

    @property
    def wanted(self) -> tuple[Thread, ...]:
        """The threads that are worked on."""
        return tuple(thread for thread in self.threads if not thread.left_out)

    @property
    def asks(self) -> bool:
        """Whether anything is asked for in words."""
        return bool(self.body or self.wanted)

    @property
    def spots(self) -> tuple[Spot, ...]:
        """Where the threads are."""
        return tuple(dict.fromkeys(Spot(thread.path, thread.line) for thread in self.wanted))

    @property
    def title(self) -> str:
        """One line."""
        return f"What {self.sender} asks for of pull request #{self.pull_request}"

    @property
    def text(self) -> str:
        """Everything that is worked on, as data for a prompt."""
        parts = [self.body, *(_told(thread) for thread in self.wanted)]
        return "\n\n".join(part for part in parts if part)[:MAX_TEXT]


def wish(
    job: FollowUp, review: ReviewFacts | None, remarks: Sequence[Remark], policy: RepoPolicy, may_write: MayWrite
) -> Wish:
    """The batch that a job is about; `remarks` are all comments on the pull request's diff, oldest first.

    A thread that was opened again is worked on whoever spoke in it last, and no other with it. Without one, and without
    a review, it is every thread whose last word is a person's, or the one that the job quotes.
    """
    asked = without_hidden(_COMMAND.sub("", job.text)).strip()
    by_thread: dict[int, list[Remark]] = {}
    for remark in remarks:
        by_thread.setdefault(remark.thread, []).append(remark)
    chosen = [said for said in by_thread.values() if _belongs(said, job)]
    quoting = [said for said in chosen if any(_same(one.body, job.text) for one in said)]
    if not job.review and quoting:
        chosen = quoting
    body = "" if _is_courtesy(asked) else asked
    if quoting:
        # The delivery of one comment came first: what the review itself says is in none of them.
        body = without_hidden(review.body).strip() if review is not None and not _is_courtesy(review.body) else ""
    chosen = [said for said in chosen if job.thread or not _is_courtesy(_last(said, job))]
    reader = _Reader(policy, may_write, review.submitted if review is not None else None)
    threads = [reader.thread(said, crowded=at >= MAX_THREADS) for at, said in enumerate(chosen)]
    return Wish(job.sender, job.pull_request, body[:MAX_SAID], tuple(one for one in threads if one is not None))


def _belongs(said: Sequence[Remark], job: FollowUp) -> bool:
    if job.thread:
        return said[0].thread == job.thread
    if job.review:
        return any(one.review == job.review and not one.ours for one in said)
    return not said[-1].ours


def _last(said: Sequence[Remark], job: FollowUp) -> str:
    """The last word that is a person's; of the review's own where there is one."""
    theirs = [one for one in said if not one.ours]
    own = [one for one in theirs if one.review == job.review] if job.review else theirs
    return own[-1].body if own else ""


def _is_courtesy(text: str) -> bool:
    seen = without_hidden(text).strip()
    return bool(seen) and bool(_COURTESY.fullmatch(seen[:MAX_COURTESY])) and len(seen) <= MAX_COURTESY


def _same(body: str, text: str) -> bool:
    return bool(text.strip()) and without_hidden(body).strip()[: len(text)] == text.strip()


@dataclass(frozen=True, slots=True)
class _Reader:
    policy: RepoPolicy
    may_write: MayWrite
    submitted: float | None

    def thread(self, remarks: Sequence[Remark], *, crowded: bool) -> Thread | None:
        """One thread; `None` where nobody but ignored people speak in it."""
        ignored = {login.casefold() for login in self.policy.ignored_authors}
        heard = [one for one in remarks if not one.ours and one.author.casefold() not in ignored]
        if not heard:
            return None
        first = remarks[0]
        if crowded:
            return Thread(first.thread, first.path, first.line, "", (), self._why(Answered.CROWDED))
        said = [self._said(one) for one in heard if not self._edited(one)]
        kept = tuple(one for one in said if one.text and not (one.outside and self.policy.external_text == "omit"))
        why = "" if any(not one.outside for one in kept) else self._why(Answered.OUTSIDER if said else Answered.EDITED)
        hunk = "\n".join(first.hunk.splitlines()[-HUNK_LINES:])
        return Thread(first.thread, first.path, first.line, hunk, () if why else kept, why)

    def _why(self, why: Answered) -> str:
        return why.say(self.policy.language, most=MAX_THREADS)

    def _said(self, one: Remark) -> Said:
        counts = is_listed_bot(one.author, self.policy) or self.may_write(one.author)
        return Said(one.author, without_hidden(one.body).strip()[:MAX_SAID], outside=not counts)

    def _edited(self, one: Remark) -> bool:
        return self.submitted is not None and one.updated > max(self.submitted, one.created) + GRACE


def _told(thread: Thread) -> str:
    where = f"line {thread.line} of {thread.path}" if thread.line else thread.path
    lines = [f"On {where}:", thread.hunk]
    lines += [f"{one.author}{' (who may not write here)' if one.outside else ''}: {one.text}" for one in thread.said]
    return "\n".join(line for line in lines if line)
