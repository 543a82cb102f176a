"""Pull requests that stand in the way of another."""

from bot.pipeline.admission.values import Case, Refusal
from bot.pipeline.github_port import PullRequest


def standing(case: Case, ours: tuple[PullRequest, ...]) -> Refusal | None:
    """Whether one of ours for the same subject is open; `ours` are all of them, newest first."""
    del case
    for pull in ours:
        if pull.is_open:
            return Refusal(
                f"a pull request for this is open already: {pull.url}", "Review, merge or close that one first."
            )
    return None
