"""Issues that nothing is to be done about, or that somebody else sees to."""

from bot.jobs import FixIssue
from bot.pipeline.admission.values import Case, Refusal
from bot.pipeline.reports.markdown import code
from bot.pipeline.texts import Why

MAX_NAMED = 5
MAX_ASKED = 20
"""Authors whose permission is looked up."""


def settled(case: Case) -> Refusal | None:
    """Whether the issue is closed meanwhile, assigned to somebody else, or its approval does not count any more."""
    job = case.job
    if not isinstance(job, FixIssue):
        return None
    issue = case.github.issue(job.issue)
    if not issue.is_open:
        return case.refused(Why.ISSUE_CLOSED)
    others = [login for login in issue.assignees if login.casefold() != job.sender.casefold()]
    if case.policy.skip_assigned and issue.assignees and len(others) == len(issue.assignees):
        return case.refused(Why.ASSIGNED, people=", ".join(map(code, others[:MAX_NAMED])))
    # Asked again here, since a job may have waited long: what is approved is run, and then published.
    if job.approves is not None and not case.github.permission(job.sender).may_write:
        return case.refused(Why.APPROVER)
    return None


def closing(case: Case) -> Refusal | None:
    """Whether an open pull request of somebody who may write closes the issue; who asks by a command knows of it.

    Anybody can open one that says it closes every issue there is: what others say keeps nobody from a fix.
    """
    job = case.job
    if not isinstance(job, FixIssue) or job.asked:
        return None
    pulls = {pull.author: pull for pull in case.github.closing(job.issue)}
    for author, pull in list(pulls.items())[:MAX_ASKED]:
        if case.github.permission(author).may_write:
            return case.refused(Why.CLOSING, author=code(author), url=pull.url)
    return None
