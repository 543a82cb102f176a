"""A solution becomes one commit, one branch and one pull request; a retry finds what an earlier try made."""

from contextlib import suppress
from dataclasses import replace

from bot.errors import BranchTakenError, NotFoundError
from bot.jobs import FixIssue, Job, subject
from bot.own_branches import flat
from bot.pipeline.admission import Admission
from bot.pipeline.ports.github import GitHub, NewCommit, NewPullRequest, PullRequest
from bot.pipeline.red.outlets import Fix
from bot.pipeline.reports.cut import fitted
from bot.pipeline.reports.markdown import marker
from bot.pipeline.reports.titles import pull_request_title
from bot.repair.types import Origin

MOST_BRANCHES = 5


def publish(job: Job, github: GitHub, admission: Admission, fix: Fix, *, draft: bool, page: str = "") -> PullRequest:
    """Commit through the Git Data API and open the pull request; `page` is where the whole run is shown, or empty.

    Raises `GitHubError`; where the base branch is gone, before anything was made.
    """
    solution = fix.solution
    if solution.proposal is None:
        msg = "only an attempt with a proposal can be published"
        raise ValueError(msg)
    if github.branch_head(admission.base_branch) is None:
        raise NotFoundError(
            f"the branch {admission.base_branch} was deleted meanwhile", "Restore it, then put the label on again."
        )
    title = pull_request_title(job, solution, fix.language)
    closing = f"\n\nFixes #{job.issue}" if isinstance(job, FixIssue) else ""
    message = f"{title}{closing}{fix.trailers}"
    new = NewCommit(admission.fix_branch, admission.base_commit, message, solution.proposal.patch, fix.written)
    branch = _committed(github, new)
    low_trust = solution.proposal.origin is Origin.MUTATION
    return github.open_pull_request(
        NewPullRequest(
            head=branch,
            base=admission.base_branch,
            title=title,
            body=fitted(fix.body, page=page, language=fix.language),
            draft=draft or low_trust,
        ),
        marker("subject", subject(job)),
    )


def _committed(github: GitHub, new: NewCommit) -> str:
    """The branch that the commit is on. One that holds another commit is left from a run that opened no pull request.

    The same commit again is found there, which is why the first name is always tried. The last is one that no other
    branch's name can be in the way of.
    """
    names = [new.branch, *(f"{new.branch}.{number}" for number in range(2, MOST_BRANCHES + 1))]
    names.append(flat(new.branch) if "/" in new.branch else f"{new.branch}.{MOST_BRANCHES + 1}")
    for name in names[:-1]:
        with suppress(BranchTakenError):
            github.commit(replace(new, branch=name))
            return name
    github.commit(replace(new, branch=names[-1]))
    return names[-1]
