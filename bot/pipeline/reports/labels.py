"""The labels that say on a subject how its job stands: at a glance in a list, where no comment is read."""

from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from typing import Protocol

from bot.errors import RegreenError
from bot.jobs import FixCheck, FixIssue, FollowUp, Job, State


class Label(StrEnum):
    """The App's own labels. A subject bears at most one of them."""

    WORKING = "regreen:working"
    NEEDS_REVIEW = "regreen:needs-review"
    FAILED = "regreen:failed"


COLOURS: Mapping[Label, tuple[str, str]] = {
    Label.WORKING: ("fbca04", "Regreen is working on this"),
    Label.NEEDS_REVIEW: ("0e8a16", "Regreen made something that a person has to look at"),
    Label.FAILED: ("d93f0b", "Regreen came to no fix; its comment says why"),
}
"""Label → its colour, six hexadecimal digits, and what it means, at most 100 characters."""

_LABELS: Mapping[State, Label | None] = {
    State.PUBLISHED: Label.NEEDS_REVIEW,
    State.TEST_SHOWN: Label.NEEDS_REVIEW,
    State.UNSOLVED: Label.FAILED,
    State.FAILED: Label.FAILED,
    State.NOT_REPRODUCED: Label.FAILED,
    State.GREEN: None,
    State.CANCELLED: None,
}


class Labels(Protocol):
    """The labels of one repository. Both methods may be repeated, and raise what those of `GitHub` do."""

    def make(self) -> None:
        """Make the App's labels in the repository; those that are there stay as people changed them."""
        ...

    def put(self, number: int, label: Label | None) -> None:
        """Let the issue or pull request bear this one of the App's labels, or none; other labels are left alone."""
        ...


class Unlabelled:
    """`Labels` that change nothing."""

    def make(self) -> None:
        """Make none."""

    def put(self, number: int, label: Label | None) -> None:
        """Put none."""


def began(labels: Labels, job: Job) -> None:
    """Show that somebody works on it. A label is a courtesy: without it the run goes on."""
    _show(labels, job, Label.WORKING)


def ended(labels: Labels, job: Job, state: State) -> None:
    """Show how it ended. What was refused keeps the label that it had: nothing was begun."""
    if state in _LABELS:
        _show(labels, job, _LABELS[state])


def _show(labels: Labels, job: Job, label: Label | None) -> None:
    number = bearer(job)
    if number:
        with suppress(RegreenError):
            labels.put(number, label)


def bearer(job: Job) -> int:
    """The issue or pull request that bears a job's label, 0 where there is none: a branch bears no labels."""
    match job:
        case FixIssue(issue=number) | FixCheck(pull_request=number) | FollowUp(pull_request=number):
            return number
