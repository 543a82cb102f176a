"""The branch that a fix starts from, and the one that it goes to."""

from bot.jobs import FixCheck, subject
from bot.pipeline.admission.values import Admission, Case, Refusal
from bot.pipeline.github_port import PullRequest
from bot.pipeline.markdown import code
from bot.pipeline.texts import Why

MAX_PULL_REQUESTS = 20
SHORT = 12


def start(case: Case, ours: tuple[PullRequest, ...]) -> Admission | Refusal:
    """Where the work begins; `ours` are our earlier pull requests for the subject."""
    job = case.job
    branch = job.branch if isinstance(job, FixCheck) else case.facts.default_branch
    head = case.github.branch_head(branch)
    if head is None:
        gone = isinstance(job, FixCheck)
        return case.refused(Why.BRANCH_GONE if gone else Why.EMPTY, branch=code(branch))
    if isinstance(job, FixCheck) and head != job.head_sha:
        return case.refused(Why.MOVED_ON, branch=code(branch), head=head[:SHORT], red=job.head_sha[:SHORT])
    return Admission(branch, head, fix_branch(case, ours))


def fix_branch(case: Case, earlier: tuple[PullRequest, ...]) -> str:
    """`regreen/issue-7`; after closed pull requests for the same subject, `regreen/issue-7-2` and so on."""
    name = f"regreen/{subject(case.job)}"
    return name if not earlier else f"{name}-{min(len(earlier), MAX_PULL_REQUESTS) + 1}"
