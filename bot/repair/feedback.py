"""Test results → text for a prompt within a token budget: ids, exceptions, assertion values and frames come first."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.repair import describe
from sandbox.spec import Frame, RunState, TestResult, TestRun

CHARS_PER_TOKEN = 4
MAX_LINE = 300
MAX_FRAMES = 6
_MIN_SHARE = 240
_ASSERTION = re.compile(
    r"^\s*(?:assert\b|[-+?]|where\b|and\b|E\b|expected\b|actual\b|\w*(?:Error|Exception)\b)", re.IGNORECASE
)
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_VOLATILE = re.compile(r"0x[0-9a-fA-F]+|\d+")


@dataclass(frozen=True, slots=True)
class _Group:
    """Results that failed alike: the first one stands for all."""

    first: TestResult
    others: tuple[str, ...]


def condense(results: Sequence[TestResult], budget_tokens: int) -> str:
    """The failures in at most `budget_tokens`, at four characters a token; alike ones are folded.

    The first id and its exception are always in it, from about 60 tokens on; then as many as have room.
    """
    room = budget_tokens * CHARS_PER_TOKEN
    groups = _fold(results)
    blocks: list[str] = []
    for at, group in enumerate(groups):
        tail = _more(sum(1 + len(left.others) for left in groups[at + 1 :]))
        free = room - sum(len(block) + 2 for block in blocks) - len(tail) - 2
        share = max(free // (len(groups) - at), _MIN_SHARE)
        block = _block(group, min(share, free))
        if free < _MIN_SHARE and blocks and len(block) > free:
            blocks.append(_more(sum(1 + len(left.others) for left in groups[at:])))
            break
        blocks.append(block)
    return "\n\n".join(blocks)[: max(room, 0)]


def condense_run(run: TestRun, budget_tokens: int) -> str:
    """A whole run: its failures, or, when it cannot be believed, why, and then what failed nevertheless."""
    if run.state is RunState.COMPLETE:
        return condense(run.red, budget_tokens)
    room = budget_tokens * CHARS_PER_TOKEN
    head = _clean(describe.cause(run))[: room // 2]
    if not run.red:
        return head
    return f"{head}\n\n{condense(run.red, (room - len(head) - 2) // CHARS_PER_TOKEN)}"


def _fold(results: Sequence[TestResult]) -> tuple[_Group, ...]:
    alike: dict[tuple[object, ...], list[TestResult]] = {}
    for result in results:
        key = (result.exception, _VOLATILE.sub("#", result.message), result.frames[-1:], result.phase)
        alike.setdefault(key, []).append(result)
    return tuple(_Group(found[0], tuple(other.node_id for other in found[1:])) for found in alike.values())


def _block(group: _Group, room: int) -> str:
    """One group in at most `room` characters: the heading whole where it fits, then values, frames, further ids."""
    first = group.first
    what = first.exception or str(first.outcome)
    phase = "" if first.phase == "call" else f" (in {first.phase})"
    head = f"FAILED {_clean(first.node_id)}{phase}\n  {_clean(what)}"
    if len(head) >= room:
        return head[: max(room, 0)]
    frames = _frames(first.frames)
    others = f"\n  alike: {describe.some(group.others)}" if group.others else ""
    message = _message(_clean(first.message), room - len(head) - len(frames) - len(others) - 4)
    text = head + (f": {message}" if message else "")
    for part in (frames, others):
        if part and len(text) + len(part) <= room:
            text += part
    return text


def _frames(frames: tuple[Frame, ...]) -> str:
    return "".join(f"\n  at {frame.path}:{frame.line} in {frame.function}" for frame in frames[-MAX_FRAMES:])


def _message(text: str, room: int) -> str:
    """The first line and what shows the assertion's values, then the rest, in order, as far as there is room."""
    lines = [_middle(line.rstrip(), MAX_LINE) for line in text.strip().split("\n")]
    first_seen = {line: at for at, line in reversed(list(enumerate(lines)))}
    order = sorted(first_seen.values(), key=lambda at: (at > 0, not _ASSERTION.match(lines[at]), at))
    kept: list[int] = []
    for at in order:
        if len(lines[at]) + 4 <= room:
            kept.append(at)
            room -= len(lines[at]) + 4
    if not kept and room > 0:
        return _middle(lines[0], room)
    return "\n    ".join(lines[at] for at in sorted(kept) if lines[at].strip())


def _middle(text: str, limit: int) -> str:
    """Both ends of a text that is too long."""
    if len(text) <= limit:
        return text
    half = max(limit - 3, 0) // 2
    return f"{text[:half]}...{text[len(text) - half :]}"[:limit]


def _more(number: int) -> str:
    return f"... and {describe.count(number, 'more failing test')}" if number else ""


def _clean(text: str) -> str:
    """Without terminal escapes and other characters that cannot be seen."""
    plain = _ESCAPES.sub("", text)
    return "".join(letter for letter in plain if letter.isprintable() or letter in "\n\t")
