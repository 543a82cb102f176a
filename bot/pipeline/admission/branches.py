"""The branch that a fix starts from, and the one that it goes to."""

from bot import own_branches
from bot.jobs import FixCheck, subject
from bot.pipeline.admission.values import Admission, Case, Refusal
from bot.pipeline.ports.github import PullRequest
from bot.pipeline.reports.markdown import code
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
    """`regreen/issue-7`; after closed pull requests for the same subject, `regreen/issue-7-2` and so on.

    Where a branch stands in the way of such a name, `regreen-issue-7`.
    """
    name = own_branches.named(subject(case.job), min(len(earlier), MAX_PULL_REQUESTS) + 1)
    barred = any(case.github.branch_head(one) is not None for one in own_branches.above(name))
    return own_branches.flat(name) if barred else name
