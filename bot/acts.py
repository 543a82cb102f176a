"""Acts: what an event asks for that is no job. Each is done at once, by the dispatcher, and none spends anything.

`about` is a subject as `bot.jobs.subject` has it; `number` is the issue or pull request where an answer belongs, 0 for
none. `asked` says that a person used a command or a button, who is told what came of it; nobody else is. `at` is when
it was said, `NEVER` until that was looked up.
"""

from dataclasses import dataclass
from enum import StrEnum

from bot.moments import NEVER, Moment


@dataclass(frozen=True, slots=True)
class Cancel:
    """End the queued or running job about a subject, unless what began it was said later; `why` is said.

    `closed` is the pull request whose end this is, 0 for none.
    """

    repository: str
    installation_id: int
    about: str
    number: int
    sender: str
    why: str
    asked: bool = False
    comment_id: int = 0
    at: Moment = NEVER
    closed: int = 0


class What(StrEnum):
    """What an `Answer` tells."""

    STATUS = "status"
    EXPLAIN = "explain"
    PAUSED = "paused"
    HELP = "help"


@dataclass(frozen=True, slots=True)
class Answer:
    """Tell a person by a comment: where the subject stands, what was done and why, that it is held, what to say."""

    repository: str
    installation_id: int
    about: str
    number: int
    sender: str
    what: What
    comment_id: int = 0


@dataclass(frozen=True, slots=True)
class Hold:
    """Start nothing more about a subject until a person resumes it, or do so again; what runs goes on."""

    repository: str
    installation_id: int
    about: str
    number: int
    sender: str
    paused: bool
    comment_id: int = 0
    at: Moment = NEVER


@dataclass(frozen=True, slots=True)
class Greet:
    """Make the labels in repositories that the App was installed on; none are named where GitHub names none."""

    installation_id: int
    repositories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Leave:
    """Cancel all jobs of these repositories, forget their tokens; of the whole installation where none are named.

    `how` is GitHub's action: what it did may be undone by the time that this is done.
    """

    installation_id: int
    repositories: tuple[str, ...]
    why: str = ""
    how: str = ""


@dataclass(frozen=True, slots=True)
class CheckPolicy:
    """Read the policy file at a new head of the default branch, and report what is wrong with it on that commit."""

    repository: str
    installation_id: int
    default_branch: str
    head_sha: str


Act = Cancel | Answer | Hold | Greet | Leave | CheckPolicy
