"""Delivery bytes → frozen events. Pure: no I/O, no clock. Everything in a payload is untrusted and validated here."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook delivery as GitHub sent it, signature already checked."""

    delivery_id: str
    event: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository of an event; `full_name` is owner/name."""

    full_name: str
    repository_id: int
    default_branch: str
    installation_id: int


@dataclass(frozen=True, slots=True)
class IssueLabeled:
    """`issues.labeled`: title and body as they were at that moment."""

    repository: Repository
    number: int
    title: str
    body: str
    label: str
    sender: str
    sender_is_bot: bool
    is_open: bool


@dataclass(frozen=True, slots=True)
class CheckSuiteCompleted:
    """`check_suite.completed`. `head_branch` is empty for a fork's pull request."""

    repository: Repository
    suite_id: int
    head_sha: str
    head_branch: str
    conclusion: str
    app_id: int
    sender: str


@dataclass(frozen=True, slots=True)
class Unhandled:
    """A well-formed delivery of a kind or action that nothing is done for, with the reason."""

    reason: str


Event = IssueLabeled | CheckSuiteCompleted | Unhandled
