"""`.github/regreen.yml` → `RepoPolicy`: what a repository's maintainers decide. They can only tighten the operator's.

The file is read from the default branch, so that whoever changes it could push there anyway.
"""

from bot.policy.model import PATH, BudgetPolicy, Language, RepoPolicy, RoleName
from bot.policy.reading import MAX_SIZE, Fault, advice, examine, kept, parse

__all__ = [
    "MAX_SIZE",
    "PATH",
    "BudgetPolicy",
    "Fault",
    "Language",
    "RepoPolicy",
    "RoleName",
    "advice",
    "examine",
    "kept",
    "parse",
]
