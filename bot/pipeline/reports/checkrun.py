"""The bot's check run on its own pull request: what was measured, and which lines were changed for it."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote

from bot.errors import GitHubError
from bot.jobs import Job, job_id, subject
from bot.pipeline.ports.github import Annotation, CheckReport, CheckState, GitHub, Level, PullRequest
from bot.pipeline.reports.buttons import fix_this
from bot.pipeline.reports.cut import fitted
from bot.pipeline.reports.markdown import plain
from bot.pipeline.reports.report import listed, matrix
from bot.pipeline.texts import Heading, Report, counted
from bot.policy import Language
from bot.repair.types import Attempt, Origin, RepairResult

MOST_LINES = 50
MOST_MESSAGE = 1000
MAX_IDS = 40
MOST_NAMED = 3
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_FILE = "+++ b/"


@dataclass(frozen=True, slots=True)
class Measured:
    """What was published and what its tests did; `diff` is the solution's, `public_url` this server's, or empty.

    `unshown` says that people asked for the change and no test shows it. All is said in `language`.
    """

    result: RepairResult
    solution: Attempt
    diff: str
    public_url: str = ""
    unshown: bool = False
    language: Language = "en"


def put(job: Job, github: GitHub, pull: PullRequest, measured: Measured) -> None:
    """Put the check run on the pull request's head. A courtesy: without it the pull request stands all the same."""
    with suppress(GitHubError):
        head = github.branch_head(pull.head_branch)
        if head:
            github.put_check(report(job, head, measured))


def report(job: Job, head: str, measured: Measured) -> CheckReport:
    """The check run: success where a model's fix was proved, neutral where a search found it or no test shows it."""
    fixed, language = measured.solution.comparison.fixed, measured.language
    searched = measured.solution.proposal is not None and measured.solution.proposal.origin is Origin.MUTATION
    ids = [f"{Heading.FIXED.say(language)}\n", *listed(fixed, MAX_IDS, language)] if fixed else []
    page = run_page(measured.public_url, job)
    link = f"\n{Report.WHOLE_RUN.say(language, page=page)}\n" if page else ""
    summary = "\n".join([matrix(measured.result, language), *ids, link])
    title = counted(len(fixed), Report.GREEN_ONE, Report.GREEN, language)
    if measured.unshown:
        title = Report.GREEN_UNSHOWN.say(language)
    return CheckReport(
        head,
        f"{subject(job)}@{head}",
        CheckState.NEUTRAL if searched or measured.unshown else CheckState.SUCCESS,
        title,
        fitted(summary, language=language),
        annotations=annotations(measured.diff, fixed, language),
        buttons=(fix_this(language),),
        details_url=page,
    )


def run_page(public_url: str, job: Job) -> str:
    """Where a run is shown, empty where this server has no public address."""
    return f"{public_url}/runs/{quote(job_id(job), safe='')}" if public_url else ""


def annotations(diff: str, fixed: tuple[str, ...], language: Language = "en") -> tuple[Annotation, ...]:
    """A remark on each run of lines that the diff adds, at most 50; where it only removes, on the line before."""
    said = Report.CHANGED_FOR if len(fixed) <= MOST_NAMED else Report.CHANGED_FOR_MORE
    said = said if fixed else Report.CHANGED_ON_REQUEST
    why = plain(said.say(language, tests=", ".join(fixed[:MOST_NAMED])), MOST_MESSAGE)
    found = (Annotation(path, first, last, Level.NOTICE, why) for path, first, last in changed_lines(diff))
    return tuple(one for one, _ in zip(found, range(MOST_LINES), strict=False))


def changed_lines(diff: str) -> Iterator[tuple[str, int, int]]:
    """Path, first and last line, counted in the new file from 1, of what a unified diff adds or where it removes."""
    path, at, first, removed = "", 0, 0, False
    for line in (*diff.split("\n"), "diff "):
        kind = line[:1] if at else ""
        if kind == "+":
            first = first or at
            at += 1
            continue
        if path and first:
            yield path, first, at - 1
        elif path and removed and kind != "-":
            yield path, max(at - 1, 1), max(at - 1, 1)
        first, removed = 0, kind == "-"
        if hunk := _HUNK.match(line):
            at = int(hunk[1])
        elif line.startswith("diff "):
            path, at = "", 0
        elif not at and line.startswith(_FILE):
            path = line.removeprefix(_FILE)
        elif kind == " ":
            at += 1
