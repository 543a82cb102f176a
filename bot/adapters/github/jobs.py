"""Failed check runs and their logs, from wherever GitHub still has them."""

import re
from itertools import islice

from github.CheckRun import CheckRun
from github.Repository import Repository

from bot.adapters.github.downloads import KEPT_CHARACTERS, download, unread
from bot.adapters.github.errors import GONE, NOT_FOUND
from bot.adapters.github.session import LOGS, RESULTS, Session
from bot.errors import GitHubError
from bot.pipeline.ports.checks import RED
from bot.pipeline.ports.github import FailedJob

ACTIONS = "github-actions"
MOST_JOBS = 10
MOST_ANNOTATIONS = 50
FOUND = 302
_RUN = re.compile(r"/actions/runs/(\d{1,19})(?:/|$)")


def failed_jobs(session: Session, suite_id: int) -> tuple[FailedJob, ...]:
    """The failed check runs of a suite, see `bot.pipeline.ports.github.GitHub.failed_jobs`."""
    suite = session.repository(RESULTS).get_check_suite(suite_id)
    runs = session.read(
        "listing the check runs",
        lambda: list(
            islice((run for run in suite.get_check_runs(filter="latest") if run.conclusion in RED), MOST_JOBS)
        ),
    )
    return tuple(FailedJob(run.name, run.conclusion, _log(session, run)) for run in runs)


def _log(session: Session, run: CheckRun) -> str:
    log = _of_actions(session, run) if run.app is not None and run.app.slug == ACTIONS else ""
    return (log or _shown(session, run))[-KEPT_CHARACTERS:]


def _of_actions(session: Session, run: CheckRun) -> str:
    """The job's own log; where that is gone, what the archive of its workflow run has of it."""
    repository = session.repository(LOGS)
    log = _followed(session, repository, f"actions/jobs/{run.id}/logs", run.name)
    if not log and (found := _RUN.search(run.details_url or "")):
        log = _followed(session, repository, f"actions/runs/{found[1]}/logs", run.name)
    return log


def _followed(session: Session, repository: Repository, path: str, job: str) -> str:
    status, headers, _ = session.read(
        "asking for a job's log",
        # The unchecked call: it answers the redirect itself instead of following it with our token.
        lambda: repository.requester.requestJson("GET", f"{repository.url}/{path}"),
    )
    if status == FOUND and "location" in headers:
        return download(str(headers["location"]), job)
    return "" if status in {NOT_FOUND, GONE} else unread(f"GitHub answered {status}")


def _shown(session: Session, run: CheckRun) -> str:
    """What the check run shows on GitHub's pages: all that there is from other services than GitHub Actions."""
    parts = [part for part in (run.output.title, run.output.summary, run.output.text) if part]
    if run.output.annotations_count:
        try:
            remarks = session.read(
                "reading the annotations", lambda: list(islice(run.get_annotations(), MOST_ANNOTATIONS))
            )
        except GitHubError:
            remarks = []
        parts += [f"{one.path}:{one.start_line}: {one.title or ''} {one.message or ''}" for one in remarks]
    return "\n".join(parts)
