"""Red checks: whether the commit still is what it was, and where a fix of it goes."""

from bot.jobs import FixCheck
from bot.pipeline.admission.branches import fix_branch, start
from bot.pipeline.admission.pulls import standing
from bot.pipeline.admission.values import Admission, Case, Refusal, Way
from bot.pipeline.intake import settle
from bot.pipeline.ports.checks import Against, PullHead
from bot.pipeline.ports.github import PullRequest
from bot.pipeline.reports.markdown import code
from bot.pipeline.texts import Why

SHORT = 12


def recovered(case: Case) -> Refusal | None:
    """Whether CI ran again and ended well meanwhile, so that there is nothing to fix any more."""
    if not isinstance(case.job, FixCheck):
        return None
    if not settle.recovered(case.checks.of_commit(case.job.head_sha)):
        return None
    return case.refused(Why.RECOVERED, commit=case.job.head_sha[:SHORT])


def start_check(case: Case, job: FixCheck, ours: tuple[PullRequest, ...]) -> Admission | Refusal:
    """Where the work on a red check begins: at a branch, or at a pull request's head."""
    if not job.pull_request:
        return standing(case, ours) or start(case, ours)
    pull = case.checks.pull_request(job.pull_request)
    refusal = _overtaken(case, job, pull) or (_foreign(case, job, ours) if job.about else _others(case, job, pull))
    if refusal:
        return refusal
    against = Against(pull, case.checks.distance(pull.base_branch, job.head_sha))
    if job.about:
        return Admission(pull.head_branch, job.head_sha, pull.head_branch, Way.PUSH, against)
    way = Way.SUGGEST if pull.fork or case.policy.ci_pull_requests != "stack" else Way.PULL_REQUEST
    standing_one = standing(case, ours) if way is Way.PULL_REQUEST else None
    return standing_one or Admission(pull.head_branch, job.head_sha, fix_branch(case, ours), way, against)


def _overtaken(case: Case, job: FixCheck, pull: PullHead) -> Refusal | None:
    if not pull.is_open:
        return case.refused(Why.PULL_CLOSED, number=pull.number)
    if pull.head_sha != job.head_sha:
        head, red = pull.head_sha[:SHORT], job.head_sha[:SHORT]
        return case.refused(Why.MOVED_ON, branch=code(pull.head_branch), head=head, red=red)
    return None


def _foreign(case: Case, job: FixCheck, ours: tuple[PullRequest, ...]) -> Refusal | None:
    """Whether the pull request that is said to be ours is not: nothing is pushed to another's branch."""
    known = any(one.number == job.pull_request and one.is_open for one in ours)
    return None if known else case.refused(Why.NOT_OURS, number=job.pull_request)


def _others(case: Case, job: FixCheck, pull: PullHead) -> Refusal | None:
    if job.asked:
        return None
    if pull.fork:
        return case.refused(Why.FORK_PULL, number=pull.number)
    return case.refused(Why.PULLS_OFF) if case.policy.ci_pull_requests == "off" else None
