"""Which red tests a job is about. Pure; the texts are untrusted and only ever select among ids that fail here.

Texts and ids may be long and many, so each text is read once, and ids are looked up in it instead of searched for.
"""

import re
from itertools import pairwise

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"\S+")
MAX_LOG_IDS = 2000
MAX_LINE = 1000
"""Characters of a log's line that are looked at; a longer id is not recognised in a log."""


def for_issue(failing: tuple[str, ...], text: str) -> tuple[str, ...]:
    """The red ids that the text names, by full id or by test function; all of them when it names none."""
    words = frozenset(_WORD.findall(text))
    named = tuple(node_id for node_id in failing if _names(text, words, node_id))
    return named or failing


def for_check(failing: tuple[str, ...], logs: tuple[str, ...]) -> tuple[str, ...]:
    """The red ids that failed in CI too: none when none of those fails here, all of them when the logs name no id."""
    named = named_in_logs(logs)
    if not named:
        return failing
    known = frozenset(failing)
    lengths = sorted({len(node_id) for node_id in known})
    found: set[str] = set()
    for line in named:
        # a summary line goes on with " - reason", and an id may hold blanks itself
        ends = (length for length in lengths if length == len(line) or line[length : length + 1] == " ")
        found |= {line[:end] for end in ends if line[:end] in known}
    return tuple(node_id for node_id in failing if node_id in found)


def named_in_logs(logs: tuple[str, ...]) -> frozenset[str]:
    """What pytest's short summaries say behind FAILED and ERROR, bounded; other runners' logs say nothing."""
    found: set[str] = set()
    for log in logs:
        for line in log.split("\n"):
            named = _summary(_ANSI.sub("", line[:MAX_LINE]))
            if named:
                found.add(named)
            if len(found) >= MAX_LOG_IDS:
                return frozenset(found)
    return frozenset(found)


def _summary(line: str) -> str:
    if "::" not in line:
        return ""
    for word, following in pairwise(_TOKEN.finditer(line)):
        if word[0].endswith(("FAILED", "ERROR")) and following[0].find("::") > 0:
            return line[following.start() :].rstrip()
    return ""


def _names(text: str, words: frozenset[str], node_id: str) -> bool:
    function = node_id.rsplit("::", 1)[-1].split("[", 1)[0]
    if not words.issuperset(_WORD.findall(function)):
        return False
    return (function.startswith("test") and (function.isidentifier() or function in text)) or node_id in text
