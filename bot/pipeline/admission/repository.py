"""Repositories in which nothing can be made, or is not to be."""

from contextlib import suppress

from bot.errors import GitHubError
from bot.jobs import FixCheck
from bot.pipeline.admission.values import Case, Refusal
from bot.pipeline.governance import policyfile
from bot.pipeline.reports.markdown import code
from bot.pipeline.texts import Why
from bot.policy import PATH

PUBLISHING = ("contents: write", "pull_requests: write")
COMMENTING = "issues: write"
CHECKING = "checks: write"


def closed(case: Case) -> Refusal | None:
    """Whether the repository takes no changes."""
    if case.facts.archived:
        return case.refused(Why.ARCHIVED)
    return case.refused(Why.DISABLED) if case.facts.disabled else None


def misruled(case: Case) -> Refusal | None:
    """Whether the policy file cannot be used: a run by rules that nobody wrote would be a guess. Shows the faults."""
    faults = case.house.faults
    if not faults:
        return None
    head = case.github.branch_head(case.facts.default_branch)
    # the file that was read and this head may differ by a push just now, which has its own check
    if head is not None:
        with suppress(GitHubError):
            policyfile.show(case.github, head, case.house)
    return case.refused(Why.POLICY, faults=policyfile.said(faults), path=code(PATH))


def forked(case: Case) -> Refusal | None:
    """Whether nobody here asked, in a fork: its branches follow another repository's, whose maintainers mend them."""
    unasked = isinstance(case.job, FixCheck) and not case.job.asked
    return case.refused(Why.FORK) if unasked and case.facts.fork else None


def lacking(case: Case) -> Refusal | None:
    """Whether the App could not show or publish what it finds."""
    needed = {*PUBLISHING, CHECKING if isinstance(case.job, FixCheck) else COMMENTING}
    missing = [one for one in case.github.lacking() if one in needed]
    return case.refused(Why.LACKING, permissions=", ".join(map(code, missing))) if missing else None
