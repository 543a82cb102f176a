"""Failed check runs and their logs. A log lies on another host: it gets no token, and not more than a cap is read."""

import time
from collections.abc import Iterable
from itertools import islice

import httpx
from github.CheckRun import CheckRun

from bot.adapters.github.errors import GONE, NOT_FOUND
from bot.adapters.github.session import LOGS, Session
from bot.pipeline.github_port import FailedJob

ACTIONS = "github-actions"
RED = frozenset({"failure", "timed_out", "startup_failure"})
MOST_JOBS = 10
KEPT_CHARACTERS = 200_000
MOST_BYTES = 64 << 20
"""How much of one log is downloaded at most; the tail is what counts, and a host offers no way to ask for it."""
MOST_SECONDS = 120.0
UTF8_WIDTH = 4
FOUND = 302


def failed_jobs(session: Session, suite_id: int) -> tuple[FailedJob, ...]:
    """The failed check runs of a suite, see `bot.pipeline.github_port.GitHub.failed_jobs`."""
    suite = session.repository(LOGS).get_check_suite(suite_id)
    runs = session.read(
        "listing the check runs",
        lambda: list(
            islice((run for run in suite.get_check_runs(filter="latest") if run.conclusion in RED), MOST_JOBS)
        ),
    )
    return tuple(FailedJob(run.name, run.conclusion, _log(session, run)) for run in runs)


def _log(session: Session, run: CheckRun) -> str:
    log = _job_log(session, run.id) if run.app.slug == ACTIONS else ""
    if not log:
        log = "\n".join(part for part in (run.output.title, run.output.summary, run.output.text) if part)
    return log[-KEPT_CHARACTERS:]


def _job_log(session: Session, job_id: int) -> str:
    repository = session.repository(LOGS)
    status, headers, _ = session.read(
        "asking for a job's log",
        # The unchecked call: it answers the redirect itself instead of following it with our token.
        lambda: repository.requester.requestJson("GET", f"{repository.url}/actions/jobs/{job_id}/logs"),
    )
    if status == FOUND and "location" in headers:
        return download(str(headers["location"]))
    return "" if status in {NOT_FOUND, GONE} else _unread(f"GitHub answered {status}")


def download(url: str, *, most_bytes: int = MOST_BYTES, most_seconds: float = MOST_SECONDS) -> str:
    """The last 200,000 characters of a log, fetched without any credential; a note in brackets where that fails."""
    try:
        with (
            httpx.Client(follow_redirects=True, max_redirects=3, timeout=30.0) as client,
            client.stream("GET", url) as response,
        ):
            response.raise_for_status()
            return _tail(response.iter_bytes(1 << 16), most_bytes, time.monotonic() + most_seconds)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return _unread(type(error).__name__)


def _tail(chunks: Iterable[bytes], most_bytes: int, deadline: float) -> str:
    tail, seen, note = bytearray(), 0, ""
    for chunk in chunks:
        tail += chunk
        seen += len(chunk)
        if len(tail) > 2 * UTF8_WIDTH * KEPT_CHARACTERS:
            del tail[: -UTF8_WIDTH * KEPT_CHARACTERS]
        if seen >= most_bytes or time.monotonic() > deadline:
            note = _unread(f"only its first {seen} bytes")
            break
    # GitHub's logs begin with a byte order mark.
    text = tail.decode("utf-8", "replace").removeprefix("\ufeff")
    return text[-(KEPT_CHARACTERS - len(note)) :] + note


def _unread(cause: str) -> str:
    return f"[the job's log could not be read: {cause}]"
