"""What is the App's own: its doings, its pull requests and their subjects, its branches."""

import re

from bot import own_pulls
from bot.events import PullRequest
from bot.triggers.values import Operator

_EXTERNAL = re.compile(r"((?:issue|pull)-\d{1,19}|check-[A-Za-z0-9._/-]{1,250})(?:@.*)?", re.DOTALL)


def is_own(login: str, operator: Operator) -> bool:
    """Whether this is the App itself; GitHub does not tell logins apart by case."""
    return bool(operator.login) and login.casefold() == operator.login.casefold()


def subject_of(pull: PullRequest, operator: Operator) -> str:
    """The subject of one of the App's own pull requests, empty for anybody else's."""
    return marked(pull.author, pull.mark, "" if pull.is_fork else pull.head_branch, operator)


def marked(author: str, mark: str, branch: str, operator: Operator) -> str:
    """The same by a pull request's author, marker, and branch in this repository, each empty where it is not known."""
    return own_pulls.subject_of(mark, branch) if is_own(author, operator) else ""


def external(external_id: str) -> str:
    """The subject that one of the App's own check runs is about, empty where it says none."""
    found = _EXTERNAL.fullmatch(external_id)
    return found[1] if found else ""
