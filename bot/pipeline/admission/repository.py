"""Repositories in which nothing can be made."""

from bot.pipeline.admission.values import Case, Refusal


def closed(case: Case) -> Refusal | None:
    """Whether the repository takes no changes."""
    if case.facts.archived:
        return Refusal("the repository is archived", "Unarchive it to have fixes made.")
    if case.facts.disabled:
        return Refusal("the repository is disabled", "Ask GitHub why it was disabled.")
    return None
