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
from bot.pipeline.texts import Red, counted
from bot.policy import Language
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

    `written` are the paths of tests that were written for the job, which the solution brings along. All is said in
    `language`.
    """

    solution: Attempt
    body: str
    diff: str
    trailers: str = ""
    written: tuple[str, ...] = ()
    language: Language = "en"

    @property
    def patch(self) -> Patch:
        """What is changed."""
        return self.solution.proposal.patch if self.solution.proposal else Patch()

    @property
    def does(self) -> str:
        """What it does, in words."""
        return counted(len(self.solution.comparison.fixed), Red.DOES_ONE, Red.DOES, self.language)


def push(job: FixCheck, ports: Ports, against: Against, fix: Fix) -> Out:
    """Put the fix on top of our own branch, and the report below its pull request.

    Raises `BranchMovedError` where anybody pushed meanwhile, with the patch below the pull request; `GitHubError` where
    nothing was pushed.
    """
    pull = against.pull
    message = f"{pull_request_title(job, fix.solution, fix.language)}{fix.trailers}"
    try:
        sha = ports.branches.advance(NewCommit(pull.head_branch, job.head_sha, message, fix.patch))
    except BranchMovedError as error:
        _said(ports, pull.number, _mark("patch", job), _handed_over(error, job, fix), fix.language)
        raise
    commit, language = sha[:SHORT], fix.language
    done = Red.DONE.say(language, commit=commit, does=fix.does)
    said = f"{Red.PUSHED.say(language, commit=commit, does=fix.does)}\n\n{fix.body}"
    url = _said(ports, pull.number, _mark("fixed", job), said, language)
    headline = Red.PUSHED_TITLE.say(language, number=pull.number)
    return Out(pull.number, url, headline, done if url else f"{done}\n\n{fix.body}")


def suggest(job: FixCheck, ports: Ports, against: Against, fix: Fix, base: Base) -> Out:
    """Write the fix below the pull request, as suggestions on its lines too where it lies within its diff.

    Raises `GitHubError`.
    """
    number, language = against.pull.number, fix.language
    said = Red.A_FIX.say(language, commit=job.head_sha[:SHORT], does=fix.does)
    clicks = suggestions(ports.workspace.read(base, tuple(sorted(fix.patch.paths))), fix.patch)
    page = _on_lines(job, ports, number, clicks)
    how = (Red.ON_LINES if page else Red.APPLY).say(language, page=page, branch=code(against.pull.head_branch))
    report = fold(Red.MEASURED.say(language), fix.body)
    text = f"{said}\n\n{how}\n\n{block(fix.diff, 'diff', MAX_DIFF)}\n\n{report}"
    url = ports.github.put_comment(number, _mark("suggestion", job), fitted(text, language=language))
    done = Red.SUGGESTED.say(language, number=number, does=fix.does)
    return Out(number, url, Red.SUGGESTED_TITLE.say(language, number=number), done)


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


def _said(ports: Ports, number: int, mark: str, text: str, language: Language) -> str:
    """Write a comment that changes nothing about what was done; returns its address, nothing where GitHub refuses."""
    try:
        return ports.github.put_comment(number, mark, fitted(text, language=language))
    except GitHubError as error:
        ports.journal.append("not_commented", {"cause": error.cause})
        return ""


def _handed_over(error: BranchMovedError, job: FixCheck, fix: Fix) -> str:
    commit = job.head_sha[:SHORT]
    said = Red.HANDED_OVER.say(fix.language, cause=inline(error.cause), commit=commit, does=fix.does)
    return f"{said}\n\n{block(fix.diff, 'diff', MAX_DIFF)}"


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
