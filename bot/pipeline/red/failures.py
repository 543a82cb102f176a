"""What failed at CI on a commit: the jobs of every red suite with their logs, and the statuses of older services."""

from bot.jobs import FixCheck
from bot.pipeline.ports.checks import Checks, CommitChecks
from bot.pipeline.ports.github import FailedJob, GitHub

MOST_JOBS = 20


def failures(job: FixCheck, github: GitHub, checks: Checks) -> tuple[FailedJob, ...]:
    """The failed jobs of the commit, at most 20, those of the suite that began it first. Raises `GitHubError`.

    One job of ours is about a commit and not about a suite: each workflow has a suite of its own.
    """
    said = checks.of_commit(job.head_sha)
    found: list[FailedJob] = []
    for suite_id in _suites(job, said):
        if len(found) < MOST_JOBS:
            found += github.failed_jobs(suite_id)
    found += [FailedJob(one.context, one.state, one.description) for one in said.red_statuses]
    return tuple(found[:MOST_JOBS])


def _suites(job: FixCheck, said: CommitChecks) -> tuple[int, ...]:
    if not said.suites:
        return (job.suite_id,) if job.suite_id else ()
    # One that ran again and ended well meanwhile is not red any more, even if it began this.
    return tuple(sorted(said.red_suites, key=lambda suite_id: suite_id != job.suite_id))
