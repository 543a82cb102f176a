"""What is the App's own: its doings, its pull requests and their subjects, its branches."""

import re

from bot.events import PullRequest
from bot.triggers.values import Operator

_MARK = re.compile(r"<!-- regreen:subject=((?:issue|pull)-\d{1,19}|check-[A-Za-z0-9._/-]{1,250}) -->")
_EXTERNAL = re.compile(r"((?:issue|pull)-\d{1,19}|check-[A-Za-z0-9._/-]{1,250})(?:@.*)?", re.DOTALL)


def is_own(login: str, operator: Operator) -> bool:
    """Whether this is the App itself; GitHub does not tell logins apart by case."""
    return bool(operator.login) and login.casefold() == operator.login.casefold()


def subject_of(pull: PullRequest, operator: Operator) -> str:
    """The subject of one of the App's own pull requests, empty for anybody else's."""
    return marked(pull.author, pull.mark, pull.number, operator)


def marked(author: str, mark: str, number: int, operator: Operator) -> str:
    """The same by a pull request's author and first line. A person may have edited the line; then it is its own."""
    if not is_own(author, operator):
        return ""
    found = _MARK.fullmatch(mark)
    return found[1] if found else f"pull-{number}"


def external(external_id: str) -> str:
    """The subject that one of the App's own check runs is about, empty where it says none."""
    found = _EXTERNAL.fullmatch(external_id)
    return found[1] if found else ""
