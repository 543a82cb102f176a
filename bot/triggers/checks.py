"""What red checks and the buttons on the App's own check runs lead to."""

from bot.acts import Act, Cancel, CheckPolicy
from bot.events import CheckAsked, CommitChecked, PullRequest
from bot.jobs import FixCheck, Job
from bot.own_branches import is_own
from bot.policy import RepoPolicy
from bot.triggers.branches import named
from bot.triggers.commands import Place, on_pull
from bot.triggers.ours import external, subject_of
from bot.triggers.values import Ignore, Known, Needs, Operator
from bot.triggers.who import ignored

RED = frozenset({"failure", "timed_out", "startup_failure", "error"})
"""Conclusions, and a status's states, that a fix can answer; `cancelled`, `stale` and the rest say nothing of code."""

QUEUE_BRANCHES = "gh-readonly-queue/"
FIX, RERUN, STOP = "fix", "rerun", "stop"
"""The buttons that the App's check runs have, and GitHub's own."""
POLICY = "policy@"
"""What the `external_id` of a check of the policy file begins with; the commit follows."""


def prefilter(event: CommitChecked, operator: Operator) -> Ignore | None:
    """Why a checked commit leads to nothing whatever the policy says."""
    if event.app_id and event.app_id == operator.app_id:
        return Ignore("the check is the App's own")
    if event.conclusion not in RED:
        return Ignore("the check did not fail")
    if event.is_fork or not event.head_branch:
        return Ignore("the commit is on no branch of this repository")
    if event.head_branch.startswith(QUEUE_BRANCHES):
        return Ignore("the branch is a merge queue's, which nobody can push to")
    return None


def button_prefilter(event: CheckAsked, operator: Operator) -> Ignore | None:
    """Why a button leads to nothing whoever pressed it."""
    if event.app_id != operator.app_id:
        return Ignore("the check run is another App's")
    if event.action not in {FIX, RERUN, STOP}:
        return Ignore("the check run has no such button")
    return None


def needs(event: CommitChecked, policy: RepoPolicy) -> Needs:
    """The pull request of a red commit, where it matters."""
    own = is_own(event.head_branch)
    if not own and (named(event, policy) or policy.ci_pull_requests == "off"):
        return Needs()
    # Anybody may open another pull request from one of the App's own branches: its number says nothing there.
    number = 0 if own else min(event.pull_requests, default=0)
    return Needs(pull=number, branch="" if number else event.head_branch)


def button_needs(event: CheckAsked, permission_of: str) -> Needs:
    """The pull request that the check run is on, or is about."""
    if is_own(event.head_branch):
        return Needs(permission_of, branch=event.head_branch)
    kind, _, number = external(event.external_id).partition("-")
    about = int(number) if kind == "pull" else 0
    listed = event.pull_requests
    return Needs(permission_of, pull=about if about in listed else min(listed, default=about))


def red(event: CommitChecked, operator: Operator, delivery_id: str, known: Known) -> Job | Ignore:
    """The job for a red commit: on a branch that the policy names, on one of ours, or on a pull request's."""
    about = subject_of(known.pull, operator) if known.pull else ""
    refused = _refusal(event, known.policy, about)
    if refused:
        return refused
    branch = named(event, known.policy)
    if branch and not about:
        return _fix(event, delivery_id, branch)
    if known.pull is None:
        return Ignore("the policy file does not name the branch, and no pull request is known to be open for it")
    return _on_pull(event, delivery_id, known.pull, about)


def _refusal(event: CommitChecked, policy: RepoPolicy, about: str) -> Ignore | None:
    if not policy.enabled:
        return Ignore("the policy file switches the bot off")
    if not policy.ci:
        return Ignore("the policy file switches red checks off")
    if ignored(event.sender, policy):
        return Ignore("the policy file says to ignore this author")
    return None if about else _others(event, policy)


def _others(event: CommitChecked, policy: RepoPolicy) -> Ignore | None:
    if is_own(event.head_branch):
        return Ignore("the branch is the App's own, and no pull request of its is open for it")
    if not named(event, policy) and policy.ci_pull_requests == "off":
        return Ignore("the policy file does not name the branch, and switches red checks of pull requests off")
    return None


def _on_pull(event: CommitChecked, delivery_id: str, pull: PullRequest, about: str) -> Job | Ignore:
    if not pull.is_open:
        return Ignore("the pull request is closed")
    if pull.is_fork:
        return Ignore("the pull request is from a fork, and nobody who may write asked")
    if pull.head_sha != event.head_sha:
        return Ignore("the pull request moved on from the commit")
    return _fix(event, delivery_id, pull.head_branch, pull.number, about)


def _fix(event: CommitChecked, delivery_id: str, branch: str, number: int = 0, about: str = "") -> Job:
    return FixCheck(
        delivery_id=delivery_id,
        installation_id=event.repository.installation_id,
        repository=event.repository.full_name,
        branch=branch,
        head_sha=event.head_sha,
        suite_id=event.suite_id,
        sender=event.sender,
        repository_id=event.repository.repository_id,
        pull_request=number,
        about=about,
    )


def pressed(event: CheckAsked, operator: Operator, delivery_id: str, known: Known) -> Job | Act | Ignore:
    """What a button leads to: a follow-up on our own pull request, another try at a red commit, or its end."""
    if event.external_id.startswith(POLICY):
        there = event.repository
        return CheckPolicy(there.full_name, there.installation_id, there.default_branch, event.head_sha)
    about, pull = external(event.external_id), known.pull
    ours = subject_of(pull, operator) if pull else ""
    number = pull.number if pull else 0
    if not (ours or about) and (event.external_id or event.action == STOP):
        return Ignore("the check run is about nothing that is known")
    if event.action == STOP:
        why = "somebody who may write to the repository pressed the button"
        repository, installation = event.repository.full_name, event.repository.installation_id
        return Cancel(repository, installation, ours or about, number, event.sender, why, asked=True)
    # A branch that has red checks of its own may be some pull request's head as well.
    if pull and (ours or not about.startswith("check-")):
        where = Place(event.repository, number, ours or about, event.sender, 0, pull.is_open, bool(ours))
        return on_pull(where, pull, delivery_id)
    if not event.head_branch or is_own(event.head_branch) or about.startswith(("issue-", "pull-")):
        return Ignore("no pull request is known for the check run")
    return FixCheck(
        delivery_id=delivery_id,
        installation_id=event.repository.installation_id,
        repository=event.repository.full_name,
        branch=event.head_branch,
        head_sha=event.head_sha,
        suite_id=0,
        sender=event.sender,
        repository_id=event.repository.repository_id,
        asked=True,
    )
