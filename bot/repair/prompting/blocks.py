"""Pieces of a prompt: what strangers wrote stands between fences that it cannot close, within a number of bytes."""

import re

from bot.repair import describe

LONGEST_FENCE = 13
_TICKS = re.compile(f"`{{{LONGEST_FENCE},}}")
MAX_NAME = 200


def size(text: str) -> int:
    """Bytes as UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def cut(text: str, limit: int) -> str:
    """The text's first `limit` bytes, whole characters only."""
    if size(text) <= limit:
        return text
    return text.encode("utf-8", "surrogatepass")[: max(limit, 0)].decode("utf-8", "ignore")


def block(label: str, text: str, limit: int) -> str:
    """A line of ours, then the text as data, together at most `limit` bytes; nothing where there is no room for any."""
    # a longer run of backticks would need a longer fence, and says nothing more
    held = _TICKS.sub("`" * (LONGEST_FENCE - 1), text).strip("\n")
    kept = cut(held, limit - size(label) - 2 * LONGEST_FENCE - 4)
    return f"{label}\n{describe.fenced(kept, len(kept))}" if kept.strip() else ""


def is_plain(path: str) -> bool:
    """Whether a path may stand outside of a fence: a file's name is a stranger's text, too."""
    return len(path) <= MAX_NAME and path.isascii() and path.isprintable() and " " not in path
