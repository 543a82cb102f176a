"""Which red tests a job is about. Pure; the texts are untrusted and only ever select among ids that fail here."""

import re

_SUMMARY = re.compile(r"(?:FAILED|ERROR)\s+(\S+?::.+?)\s*$", re.MULTILINE)
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
MAX_LOG_IDS = 2000


def for_issue(failing: tuple[str, ...], text: str) -> tuple[str, ...]:
    """The red ids that the text names, by full id or by test function; all of them when it names none."""
    named = tuple(node_id for node_id in failing if _names(text, node_id))
    return named or failing


def for_check(failing: tuple[str, ...], logs: tuple[str, ...]) -> tuple[str, ...]:
    """The red ids that failed in CI too: none when none of those fails here, all of them when the logs name no id."""
    named = named_in_logs(logs)
    # a summary line goes on with " - reason", and an id may hold blanks itself
    found = tuple(node_id for node_id in failing if any(f"{line} ".startswith(f"{node_id} ") for line in named))
    return found if named else failing


def named_in_logs(logs: tuple[str, ...]) -> frozenset[str]:
    """What pytest's short summaries say behind FAILED and ERROR, bounded; other runners' logs say nothing."""
    found: dict[str, None] = {}
    for log in logs:
        for match in _SUMMARY.finditer(_ANSI.sub("", log)):
            found[match.group(1)] = None
            if len(found) >= MAX_LOG_IDS:
                return frozenset(found)
    return frozenset(found)


def _names(text: str, node_id: str) -> bool:
    function = node_id.rsplit("::", 1)[-1].split("[", 1)[0]
    pattern = rf"(?<![\w]){re.escape(function)}(?![\w])"
    return node_id in text or (function.startswith("test") and re.search(pattern, text) is not None)
