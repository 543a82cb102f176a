"""Issues that nothing is to be done about."""

from bot.jobs import FixIssue
from bot.pipeline.admission.values import Case, Refusal


def settled(case: Case) -> Refusal | None:
    """Whether the issue is closed meanwhile, or who approved its test may not do so any more."""
    job = case.job
    if not isinstance(job, FixIssue):
        return None
    if not case.github.issue(job.issue).is_open:
        return Refusal("the issue is closed", "Reopen it and put the label on again.")
    # Asked again here, since a job may have waited long: what is approved is run, and then published.
    if job.approves is not None and not case.github.permission(job.sender).may_write:
        return Refusal("who approved the test may not write to the repository now", "Let somebody else approve it.")
    return None
