"""The branch that a fix starts from, and the one that it goes to."""

from bot.jobs import FixCheck, Job, subject
from bot.pipeline.admission.values import Admission, Case, Refusal
from bot.pipeline.github_port import PullRequest

MAX_PULL_REQUESTS = 20


def start(case: Case, ours: tuple[PullRequest, ...]) -> Admission | Refusal:
    """Where the work begins; `ours` are our earlier pull requests for the subject."""
    job = case.job
    branch = job.branch if isinstance(job, FixCheck) else case.facts.default_branch
    head = case.github.branch_head(branch)
    if head is None:
        return Refusal(f"the branch `{branch}` is gone", "Nothing to do, unless it was deleted by mistake.")
    if isinstance(job, FixCheck) and head != job.head_sha:
        return Refusal(
            f"`{branch}` moved on to {head[:12]} after the red check of {job.head_sha[:12]}",
            "The newer commit's own checks will start a new run if they are red.",
        )
    return Admission(branch, head, fix_branch(job, ours))


def fix_branch(job: Job, earlier: tuple[PullRequest, ...]) -> str:
    """`regreen/issue-7`; after closed pull requests for the same subject, `regreen/issue-7-2` and so on."""
    name = f"regreen/{subject(job)}"
    return name if not earlier else f"{name}-{min(len(earlier), MAX_PULL_REQUESTS) + 1}"
