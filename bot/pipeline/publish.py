"""A solution becomes one commit, one branch and one pull request; a retry finds what an earlier try made."""

from bot.errors import NotFoundError
from bot.jobs import FixIssue, Job, subject
from bot.pipeline.admission import Admission
from bot.pipeline.cut import fitted
from bot.pipeline.github_port import GitHub, NewCommit, NewPullRequest, PullRequest
from bot.pipeline.markdown import marker
from bot.pipeline.red.outlets import Fix
from bot.pipeline.titles import pull_request_title
from bot.repair.types import Origin


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
    title = pull_request_title(job, solution)
    closing = f"\n\nFixes #{job.issue}" if isinstance(job, FixIssue) else ""
    github.commit(
        NewCommit(
            branch=admission.fix_branch,
            parent=admission.base_commit,
            message=f"{title}{closing}{fix.trailers}",
            patch=solution.proposal.patch,
            written=fix.written,
        )
    )
    low_trust = solution.proposal.origin is Origin.MUTATION
    return github.open_pull_request(
        NewPullRequest(
            head=admission.fix_branch,
            base=admission.base_branch,
            title=title,
            body=fitted(fix.body, page=page),
            draft=draft or low_trust,
        ),
        marker("subject", subject(job)),
    )
