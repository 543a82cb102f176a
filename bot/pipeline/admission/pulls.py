"""Pull requests of ours that stand in the way of another."""

from bot.jobs import FixIssue, Job
from bot.pipeline.admission.values import Case, Refusal
from bot.pipeline.ports.github import PullRequest
from bot.pipeline.texts import Why


def standing(case: Case, ours: tuple[PullRequest, ...]) -> Refusal | None:
    """Whether one for the same subject is open, or the last one was turned down; `ours` are all, newest first."""
    for pull in ours:
        if pull.is_open:
            return case.refused(Why.STANDING, url=pull.url)
    if ours and not ours[0].merged and not _asked(case.job):
        return case.refused(Why.DECLINED, url=ours[0].url)
    return None


def _asked(job: Job) -> bool:
    """Whether a person wants it now: a command says so, and so does a label that they put on again."""
    if isinstance(job, FixIssue):
        return job.asked or not job.sender.endswith("[bot]")
    return getattr(job, "asked", False)
