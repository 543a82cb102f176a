"""`check_suite.*`, `check_run.*`, `workflow_run.*` and `status`: what CI says of a commit, and buttons on it.

Source: https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_run
"""

from typing import Annotated

from pydantic import BeforeValidator, Field, StringConstraints

from bot.events.fields import (
    AppField,
    Bound,
    Branch,
    Id,
    NumberedPulls,
    Payload,
    Sha,
    Verdict,
    app_id,
    of_repository,
    storable,
)
from bot.events.types import CheckAsked, CommitChecked

_External = Annotated[str, BeforeValidator(storable), StringConstraints(max_length=1_000)]


class _Suite(Payload):
    id: Id
    head_branch: Branch = ""
    head_sha: Sha
    conclusion: Verdict = ""
    app: AppField | None = None
    pull_requests: NumberedPulls = ()


class SuiteCompleted(Bound):
    """`check_suite.completed`."""

    check_suite: _Suite

    def event(self) -> CommitChecked:
        """The event."""
        suite = self.check_suite
        return CommitChecked(
            repository=self.where(),
            source="check_suite",
            suite_id=suite.id,
            head_sha=suite.head_sha,
            head_branch=suite.head_branch,
            conclusion=suite.conclusion,
            app_id=app_id(suite.app),
            sender=self.login,
            pull_requests=of_repository(suite.pull_requests, self.repository.id),
        )


class SuiteAsked(Bound):
    """`check_suite.rerequested`."""

    check_suite: _Suite

    def event(self) -> CheckAsked:
        """The event."""
        suite = self.check_suite
        return CheckAsked(
            repository=self.where(),
            action="rerun",
            app_id=app_id(suite.app),
            external_id="",
            head_sha=suite.head_sha,
            head_branch=suite.head_branch,
            pull_requests=of_repository(suite.pull_requests, self.repository.id),
            sender=self.login,
            sender_is_bot=self.is_bot,
        )


class _SuiteOfRun(Payload):
    id: Id | None = None
    head_branch: Branch = ""


class _Run(Payload):
    id: Id
    head_sha: Sha
    external_id: _External = ""
    conclusion: Verdict = ""
    app: AppField | None = None
    check_suite: _SuiteOfRun | None = None
    pull_requests: NumberedPulls = ()

    @property
    def head_branch(self) -> str:
        return self.check_suite.head_branch if self.check_suite else ""


class RunCompleted(Bound):
    """`check_run.completed`."""

    check_run: _Run

    def event(self) -> CommitChecked:
        """The event."""
        run = self.check_run
        return CommitChecked(
            repository=self.where(),
            source="check_run",
            suite_id=(run.check_suite.id if run.check_suite else None) or 0,
            head_sha=run.head_sha,
            head_branch=run.head_branch,
            conclusion=run.conclusion,
            app_id=app_id(run.app),
            sender=self.login,
            pull_requests=of_repository(run.pull_requests, self.repository.id),
        )


class _Button(Payload):
    identifier: Annotated[str, BeforeValidator(storable), StringConstraints(max_length=100)]


class RunAsked(Bound):
    """`check_run.requested_action` and `.rerequested`."""

    check_run: _Run
    requested_action: _Button | None = None

    def event(self) -> CheckAsked:
        """The event."""
        run = self.check_run
        return CheckAsked(
            repository=self.where(),
            action=self.requested_action.identifier if self.requested_action else "rerun",
            app_id=app_id(run.app),
            external_id=run.external_id,
            head_sha=run.head_sha,
            head_branch=run.head_branch,
            pull_requests=of_repository(run.pull_requests, self.repository.id),
            sender=self.login,
            sender_is_bot=self.is_bot,
        )


class _HeadRepository(Payload):
    id: Id


class _Workflow(Payload):
    check_suite_id: Id
    head_sha: Sha
    head_branch: Branch = ""
    conclusion: Verdict = ""
    head_repository: _HeadRepository | None = None
    pull_requests: NumberedPulls = ()


class WorkflowCompleted(Bound):
    """`workflow_run.completed`. A run for a fork's pull request names the fork's branch, which may be called `main`."""

    workflow_run: _Workflow

    def event(self) -> CommitChecked:
        """The event."""
        run = self.workflow_run
        return CommitChecked(
            repository=self.where(),
            source="workflow_run",
            suite_id=run.check_suite_id,
            head_sha=run.head_sha,
            head_branch=run.head_branch,
            conclusion=run.conclusion,
            app_id=0,
            sender=self.login,
            pull_requests=of_repository(run.pull_requests, self.repository.id),
            is_fork=run.head_repository is None or run.head_repository.id != self.repository.id,
        )


class _NamedBranch(Payload):
    name: Branch


class Status(Bound):
    """`status`: GitHub names at most ten branches that hold the commit."""

    sha: Sha
    state: Verdict
    branches: Annotated[tuple[_NamedBranch, ...], Field(max_length=100, strict=False)] = ()

    def event(self) -> CommitChecked:
        """The event; where one of the branches is the default one, that counts."""
        names = tuple(branch.name for branch in self.branches)
        default = self.repository.default_branch
        return CommitChecked(
            repository=self.where(),
            source="status",
            suite_id=0,
            head_sha=self.sha,
            head_branch=default if default in names else next(iter(names), ""),
            conclusion=self.state,
            app_id=0,
            sender=self.login,
            branches=names,
        )
