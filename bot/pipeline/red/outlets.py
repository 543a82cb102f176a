"""Fixes of red checks that get no pull request of their own: a commit on our branch, or words on somebody else's."""

from dataclasses import dataclass

from bot.errors import BranchMovedError, GitHubError
from bot.jobs import FixCheck, subject
from bot.pipeline.ports.checks import Against, Suggestion
from bot.pipeline.ports.github import NewCommit
from bot.pipeline.ports.job import Ports
from bot.pipeline.ports.threads import Merging
from bot.pipeline.red.choice import RedCheck
from bot.pipeline.red.suggestions import suggestions
from bot.pipeline.reports.cut import fitted
from bot.pipeline.reports.markdown import block, code, fold, inline, marker
from bot.pipeline.reports.titles import pull_request_title
from bot.repair.types import Attempt, Base, Patch

SHORT = 12
MAX_DIFF = 40_000


@dataclass(frozen=True, slots=True)
class Out:
    """Where people find the fix: the pull request's number, the address of what was written, and how to say it."""

    number: int
    url: str
    headline: str
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A solution with what is said of it; `diff` is for people to read, `trailers` end the commit's message.

    `written` are the paths of tests that were written for the job, which the solution brings along.
    """

    solution: Attempt
    body: str
    diff: str
    trailers: str = ""
    written: tuple[str, ...] = ()

    @property
    def patch(self) -> Patch:
        """What is changed."""
        return self.solution.proposal.patch if self.solution.proposal else Patch()

    @property
    def done(self) -> str:
        """What it does, in words."""
        fixed = len(self.solution.comparison.fixed)
        return f"turns {fixed} failing test{'s' * (fixed != 1)} green; nothing broke"


def push(job: FixCheck, ports: Ports, against: Against, fix: Fix) -> Out:
    """Put the fix on top of our own branch, and the report below its pull request.

    Raises `BranchMovedError` where anybody pushed meanwhile, with the patch below the pull request; `GitHubError` where
    nothing was pushed.
    """
    pull = against.pull
    message = f"{pull_request_title(job, fix.solution)}{fix.trailers}"
    try:
        sha = ports.branches.advance(NewCommit(pull.head_branch, job.head_sha, message, fix.patch))
    except BranchMovedError as error:
        _said(ports, pull.number, _mark("patch", job), _handed_over(error, job, fix))
        raise
    done = f"**Done**: {sha[:SHORT]} {fix.done}."
    said = f"**Pushed** {sha[:SHORT]}: it {fix.done}.\n\n{fix.body}"
    url = _said(ports, pull.number, _mark("fixed", job), said)
    return Out(pull.number, url, f"Pushed a fix to #{pull.number}", done if url else f"{done}\n\n{fix.body}")


def suggest(job: FixCheck, ports: Ports, against: Against, fix: Fix, base: Base) -> Out:
    """Write the fix below the pull request, as suggestions on its lines too where it lies within its diff.

    Raises `GitHubError`.
    """
    number = against.pull.number
    said = f"**A fix** for the red checks of {job.head_sha[:SHORT]}: it {fix.done}. Nothing was pushed."
    clicks = suggestions(ports.workspace.read(base, tuple(sorted(fix.patch.paths))), fix.patch)
    page = _on_lines(job, ports, number, clicks)
    how = (
        f"[The same as suggestions on the lines]({page}), which you can commit at a click, or as a patch:"
        if page
        else f"Apply it on {code(against.pull.head_branch)} with `git apply`:"
    )
    report = fold("What was measured", fix.body)
    text = f"{said}\n\n{how}\n\n{block(fix.diff, 'diff', MAX_DIFF)}\n\n{report}"
    url = ports.github.put_comment(number, _mark("suggestion", job), fitted(text))
    return Out(number, url, f"Suggested a fix on #{number}", f"**Done**: a comment on #{number} {fix.done}.")


def brought_up(check: RedCheck) -> str:
    """Merge the base into our own branch, where it is red only for want of that; returns the new head, or nothing.

    Raises `GitHubError`.
    """
    if not (check.update and check.against and check.findings.old_base):
        return ""
    pull = check.against.pull
    message = f"Merge {pull.base_branch} into {pull.head_branch}"
    merged = check.ports.branches.merge(pull.head_branch, pull.base_branch, message)
    # Nothing left to merge on another head: a try whose answer was lost has made it, or somebody else has.
    there = merged.how is Merging.CURRENT and merged.head != pull.head_sha
    return merged.head if there or merged.how is Merging.MERGED else ""


def _said(ports: Ports, number: int, mark: str, text: str) -> str:
    """Write a comment that changes nothing about what was done; returns its address, nothing where GitHub refuses."""
    try:
        return ports.github.put_comment(number, mark, fitted(text))
    except GitHubError as error:
        ports.journal.append("not_commented", {"cause": error.cause})
        return ""


def _handed_over(error: BranchMovedError, job: FixCheck, fix: Fix) -> str:
    what = f"This is a fix for the red checks of {job.head_sha[:SHORT]}, where it {fix.done}"
    wanted = "apply it on top of them if it is still wanted"
    return f"**Not pushed**: {inline(error.cause)}. {what}: {wanted}.\n\n{block(fix.diff, 'diff', MAX_DIFF)}"


def _on_lines(job: FixCheck, ports: Ports, number: int, clicks: tuple[Suggestion, ...]) -> str:
    if not clicks:
        return ""
    try:
        return ports.checks.suggest(number, job.head_sha, _mark("lines", job), clicks)
    except GitHubError as error:
        # The comment with the patch is what counts.
        ports.journal.append("not_on_lines", {"cause": error.cause})
        return ""


def _mark(kind: str, job: FixCheck) -> str:
    return marker(kind, f"{subject(job)}@{job.head_sha[:SHORT]}")
