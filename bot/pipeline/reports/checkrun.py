"""The bot's check run on its own pull request: what was measured, and which lines were changed for it."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote

from bot.errors import GitHubError
from bot.jobs import Job, job_id, subject
from bot.pipeline.ports.github import Annotation, CheckReport, CheckState, GitHub, Level, PullRequest
from bot.pipeline.reports.buttons import FIX_THIS
from bot.pipeline.reports.cut import fitted
from bot.pipeline.reports.markdown import code, plain
from bot.pipeline.reports.report import matrix
from bot.repair.types import Attempt, Origin, RepairResult

MOST_LINES = 50
MOST_MESSAGE = 1000
MAX_IDS = 40
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_FILE = "+++ b/"


@dataclass(frozen=True, slots=True)
class Measured:
    """What was published and what its tests did; `diff` is the solution's, `public_url` this server's, or empty.

    `unshown` says that people asked for the change and no test shows it.
    """

    result: RepairResult
    solution: Attempt
    diff: str
    public_url: str = ""
    unshown: bool = False


def put(job: Job, github: GitHub, pull: PullRequest, measured: Measured) -> None:
    """Put the check run on the pull request's head. A courtesy: without it the pull request stands all the same."""
    with suppress(GitHubError):
        head = github.branch_head(pull.head_branch)
        if head:
            github.put_check(report(job, head, measured))


def report(job: Job, head: str, measured: Measured) -> CheckReport:
    """The check run: success where a model's fix was proved, neutral where a search found it or no test shows it."""
    fixed = measured.solution.comparison.fixed
    searched = measured.solution.proposal is not None and measured.solution.proposal.origin is Origin.MUTATION
    ids = [f"- {code(node_id)}" for node_id in fixed[:MAX_IDS]]
    ids += [f"- and {len(fixed) - MAX_IDS} more"] if len(fixed) > MAX_IDS else []
    page = run_page(measured.public_url, job)
    link = f"\n[The whole run]({page})\n" if page else ""
    summary = "\n".join([matrix(measured.result), *(["Fixed:\n", *ids] if ids else []), link])
    title = f"{len(fixed)} failing test{'s' * (len(fixed) != 1)} turned green, nothing broke"
    if measured.unshown:
        title = "Nothing broke, and no test shows the change"
    return CheckReport(
        head,
        f"{subject(job)}@{head}",
        CheckState.NEUTRAL if searched or measured.unshown else CheckState.SUCCESS,
        title,
        fitted(summary),
        annotations=annotations(measured.diff, fixed),
        buttons=(FIX_THIS,),
        details_url=page,
    )


def run_page(public_url: str, job: Job) -> str:
    """Where a run is shown, empty where this server has no public address."""
    return f"{public_url}/runs/{quote(job_id(job), safe='')}" if public_url else ""


def annotations(diff: str, fixed: tuple[str, ...]) -> tuple[Annotation, ...]:
    """A remark on each run of lines that the diff adds, at most 50; where it only removes, on the line before."""
    why = f"Changed to turn {', '.join(fixed[:3])}{' and others' * (len(fixed) > 3)} green"  # noqa: PLR2004 - as many as one line shows
    why = plain(why if fixed else "Changed since somebody asked for it; no test shows this", MOST_MESSAGE)
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
