"""What the App needs of GitHub, in one table: `setup` asks for it, `doctor` compares with it, the guide shows it.

Source: https://docs.github.com/rest/authentication/permissions-required-for-github-apps
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum


class Level(IntEnum):
    """How much of a permission; each one holds those before it."""

    NONE = 0
    READ = 1
    WRITE = 2
    ADMIN = 3

    @property
    def word(self) -> str:
        """As GitHub writes it."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Permission:
    """One permission, how much of it, and what it is for."""

    name: str
    level: Level
    why: str


@dataclass(frozen=True, slots=True)
class Subscription:
    """One webhook event, the permission without which GitHub does not offer it, and what it is for."""

    event: str
    permission: str
    why: str


PERMISSIONS = (
    Permission("metadata", Level.READ, "every App has it: repositories, collaborators' permission levels"),
    Permission("contents", Level.WRITE, "reading the code, and one branch of its own with the fix"),
    Permission("issues", Level.WRITE, "one status comment and the regreen: labels"),
    Permission("pull_requests", Level.WRITE, "opening the pull request, and answering its reviews"),
    Permission("checks", Level.WRITE, "its own check run; reading which checks are red"),
    Permission("actions", Level.READ, "the logs of red jobs"),
    Permission("statuses", Level.READ, "red commit statuses of CI systems that are no GitHub Apps"),
)

SUBSCRIPTIONS = (
    Subscription("issues", "issues", "the label, taking it off, closing"),
    Subscription("issue_comment", "issues", "commands such as `/regreen fix`"),
    Subscription("check_suite", "checks", "red CI"),
    Subscription("check_run", "checks", "the buttons on the bot's own check run"),
    Subscription("workflow_run", "actions", "red CI of GitHub Actions"),
    Subscription("status", "statuses", "red CI that reports commit statuses"),
    Subscription("pull_request", "pull_requests", "its own pull requests: closed, merged, pushed to"),
    Subscription("pull_request_review", "pull_requests", "reviews that ask it for changes"),
    Subscription("pull_request_review_comment", "pull_requests", "comments in such a review"),
    Subscription("pull_request_review_thread", "pull_requests", "threads that were resolved meanwhile"),
    Subscription("push", "contents", "changes of the policy file"),
    Subscription("repository", "metadata", "deleted, renamed, given away: what runs there is ended"),
)

EVENTS = tuple(one.event for one in SUBSCRIPTIONS)


def lacking(granted: Mapping[str, str]) -> tuple[Permission, ...]:
    """The needed permissions that are not granted, or not far enough; `granted` maps name → read, write, admin."""
    return tuple(one for one in PERMISSIONS if _level(granted.get(one.name, "none")) < one.level)


def unneeded(granted: Mapping[str, str]) -> tuple[str, ...]:
    """What is granted beyond the need, as `name: level`."""
    needed = {one.name: one.level for one in PERMISSIONS}
    beyond = ((name, _level(level)) for name, level in granted.items())
    return tuple(f"{name}: {level.word}" for name, level in sorted(beyond) if level > needed.get(name, Level.NONE))


def unheard(events: tuple[str, ...]) -> tuple[str, ...]:
    """The needed events that are not among these."""
    return tuple(event for event in EVENTS if event not in events)


def _level(word: str) -> Level:
    return Level.__members__.get(word.upper(), Level.NONE)
