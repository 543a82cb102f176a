"""Which issues a pull request closes, by what GitHub reads as that in its text.

Source: https://docs.github.com/issues/tracking-your-work-with-issues/using-issues/linking-a-pull-request-to-an-issue
"""

import re

from bot.visible import without_hidden

MAX_READ = 65_536
_CLOSES = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s{1,9}"
    r"(?:https?://[\w.:-]{1,253}/)?([\w.-]{1,100}/[\w.-]{1,100})?(?:#|/issues/|\bGH-)(\d{1,10})\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1|\Z)|(?<!`)(`+)(?!`).*?(?<!`)\2(?!`)", re.DOTALL | re.MULTILINE)


def closes(text: str, repository: str, issue: int) -> bool:
    """Whether the text holds a keyword and the issue, of this repository (owner/name) where it names one.

    What a page does not show, and what it shows as code, is none.
    """
    shown = _CODE.sub(" ", without_hidden(text[:MAX_READ]))
    return any(
        int(number) == issue and (not named or named.casefold() == repository.casefold())
        for named, number in _CLOSES.findall(shown)
    )
