"""Whether a job may start: refused before anything is spent, with a reason that a person can act on."""

from dataclasses import dataclass

from bot.jobs import FixCheck, FixIssue, Job, subject
from bot.pipeline.github_port import GitHub, PullRequest, RepositoryFacts
from bot.pipeline.markdown import marker

MAX_PULL_REQUESTS = 20


@dataclass(frozen=True, slots=True)
class Admission:
    """What a job works on: base branch and commit, and the branch that its fix goes to."""

    base_branch: str
    base_commit: str
    fix_branch: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a job does not start, and what would change that."""

    reason: str
    remedy: str


def admit(job: Job, github: GitHub) -> Admission | Refusal:
    """Look at the repository as it is now, not as it was at the trigger. Raises `GitHubError`."""
    facts = github.repository()
    refusal = _repository_refusal(facts) or _subject_refusal(job, github)
    if refusal:
        return refusal
    ours = github.pull_requests(marker("subject", subject(job)))
    standing = next((pull for pull in ours if pull.is_open), None)
    if standing:
        return Refusal(
            f"a pull request for this is open already: {standing.url}", "Review, merge or close that one first."
        )
    branch = job.branch if isinstance(job, FixCheck) else facts.default_branch
    head = github.branch_head(branch)
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


def _repository_refusal(facts: RepositoryFacts) -> Refusal | None:
    if facts.archived:
        return Refusal("the repository is archived", "Unarchive it to have fixes made.")
    if facts.disabled:
        return Refusal("the repository is disabled", "Ask GitHub why it was disabled.")
    return None


def _subject_refusal(job: Job, github: GitHub) -> Refusal | None:
    if not isinstance(job, FixIssue):
        return None
    if not github.issue(job.issue).is_open:
        return Refusal("the issue is closed", "Reopen it and put the label on again.")
    # Asked again here, since a job may have waited long: what is approved is run, and then published.
    if job.approves is not None and not github.permission(job.sender).may_write:
        return Refusal("who approved the test may not write to the repository now", "Let somebody else approve it.")
    return None
