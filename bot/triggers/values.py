"""What a decision is made from, beside the event, and what it can be where nothing is done."""

from dataclasses import dataclass, field

from bot.events import PullRequest
from bot.policy import RepoPolicy


@dataclass(frozen=True, slots=True)
class Ignore:
    """Nothing is done, for this reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Operator:
    """What the operator decided, as far as triggers need it: the App's id, the label that starts a fix, its login."""

    app_id: int
    label: str
    login: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """What was looked up for a decision.

    `may_write` says whether the sender may write to the repository now, `paused` whether a person holds the subject,
    `pull` is the pull request that `needs` asked for.
    """

    policy: RepoPolicy = field(default_factory=RepoPolicy)
    may_write: bool = False
    paused: bool = False
    pull: PullRequest | None = None


@dataclass(frozen=True, slots=True)
class Needs:
    """What has to be looked up: a login's permission, and a pull request by number or by the branch of its head.

    Empty and 0 mean nothing. The pull request may not be there; the decision is made without it, then.
    """

    permission_of: str = ""
    pull: int = 0
    branch: str = ""
