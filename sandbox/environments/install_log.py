"""The lines of an install's log that tell why it failed: package clients say much besides."""

import re

_NOISE = re.compile(r"npm (WARN|warn|notice)\b|\[notice\]|WARNING: |yarn (info|warn)\b|warning ", re.ASCII)
_ERROR = re.compile(
    r"npm (ERR!|error)|ERROR\b|[eE]rror\b|[\w.]*(Error|Exception)\b|fatal:|FATAL\b|E:|go: |\u00d7|\u2716", re.ASCII
)
_UNTELLING = re.compile(
    r"[nN]ote: [tT]his |hint: |\u2570\u2500>|\[end of output\]|\[\d+ lines of output\]|\$ |error: subprocess-exited"
    r"|ERROR: Failed (building|to build) |npm (ERR!|error)(\s*$| A complete log| code | errno | syscall |\s+/)",
    re.ASCII,
)
_NEVER = "this error originates from a subprocess"
_FRAME = re.compile(r"[\s|>\u2502\u2570\u2500]*")


def shown(output: str, lines: int, width: int) -> list[str]:
    """The last lines, noise left out; where errors came before those, their last ones take a third of the room."""
    kept = [line[:width] for line in output.rstrip().splitlines() if not _NOISE.match(line.lstrip())]
    early, late = kept[:-lines], kept[-lines:]
    errors = [line for line in early if _ERROR.match(line.lstrip())][-(lines // 3) :]
    return [*errors, "…", *late[len(errors) + 1 :]] if errors else late


def headline(output: str) -> str:
    """The line that tells most: the last error that says anything, else the last line; empty where there is none."""
    lines = [line.strip() for line in output.splitlines() if line.strip() and not _NOISE.match(line.strip())]
    telling = [line for line in lines if not _untelling(line)]
    errors = [line for line in telling if _ERROR.match(_FRAME.sub("", line, count=1))]
    return (errors or telling or lines or [""])[-1]


def _untelling(line: str) -> bool:
    return _UNTELLING.match(line) is not None or _NEVER in line
