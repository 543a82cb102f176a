"""All looks in their order: what costs nothing first, what asks GitHub most last."""

from collections.abc import Callable

from bot.jobs import FixCheck, subject
from bot.pipeline.admission.branches import start
from bot.pipeline.admission.checks import recovered, start_check
from bot.pipeline.admission.issues import closing, settled
from bot.pipeline.admission.named import out_of_reach
from bot.pipeline.admission.pulls import standing
from bot.pipeline.admission.repository import closed, forked, lacking, misruled
from bot.pipeline.admission.values import Admission, Case, Refusal
from bot.pipeline.reports.markdown import marker

LOOKS: tuple[Callable[[Case], Refusal | None], ...] = (
    closed,
    misruled,
    forked,
    settled,
    lacking,
    out_of_reach,
    closing,
    recovered,
)


def admit(case: Case) -> Admission | Refusal:
    """Look at the repository as it is now, not as it was at the trigger. Raises `GitHubError`."""
    for look in LOOKS:
        refusal = look(case)
        if refusal:
            return refusal
    ours = case.github.pull_requests(marker("subject", subject(case.job)))
    if isinstance(case.job, FixCheck):
        return start_check(case, case.job, ours)
    return standing(case, ours) or start(case, ours)
