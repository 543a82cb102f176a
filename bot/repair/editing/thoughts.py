"""What a model says to itself before it answers, in the tags of its maker: no draft in there is an edit.

Only tags outside of edits and fenced blocks count, since code may hold such tags, too.
"""

import re
from collections.abc import Sequence

from bot.repair.editing.markers import enclosing

_NAME = r"(?:(?:seed:|ant)?think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis)"
_OPENS = re.compile(
    rf"\s*(?:<{_NAME}>|\[{_NAME}\]|\u25c1{_NAME}\u25b7|<\|(?:begin_of_thought|start_thinking)\|>"
    r"|(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)[^<\n]{0,80}<\|message\|>)",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    rf"</{_NAME}>|\[/{_NAME}\]|\u25c1/{_NAME}\u25b7|<\|(?:end_of_thought|end_thinking)\|>"
    r"|<\|channel\|>final[^<\n]{0,80}<\|message\|>",
    re.IGNORECASE,
)
"""DeepSeek, Qwen and most others; Magistral; Kimi; Sky-T1, Command A; the channels of gpt-oss."""


def without_thoughts(lines: Sequence[str]) -> list[str]:
    """The lines of the answer; one that ends thoughts which nothing opens ends all that stands before it."""
    kept: list[str] = []
    inside, thinks = "", False
    for line in lines:
        rest = line
        if not inside and not thinks and (opening := _OPENS.match(line)):
            rest, thinks = line[opening.end() :], True
        closing = _CLOSES.search(rest) if not inside else None
        if thinks and closing is None:
            continue
        if closing is not None and (thinks or _is_alone(rest, closing)):
            if not thinks:
                kept.clear()
            rest, thinks = rest[closing.end() :], False
        inside = enclosing(rest, inside)
        kept.append(rest)
    return kept


def _is_alone(line: str, closing: re.Match[str]) -> bool:
    """Whether a tag stands at an end of its line; within it, the line only speaks of it."""
    return not line[: closing.start()].strip() or not line[closing.end() :].strip() or "|" in closing[0]
