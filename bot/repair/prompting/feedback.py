"""Test results → text for a prompt within a token budget: ids, exceptions, assertion values and frames come first.

What has no room is left out in this order: variables of frames first, then ids that failed alike, words, differences,
and last the values and frames of the failures behind the first.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from bot.repair import describe
from bot.repair.prompting import said
from bot.repair.prompting.said import Rank
from sandbox.spec import Frame, RunState, TestResult, TestRun

CHARS_PER_TOKEN = 4
MAX_LINE = 300
MAX_LINES = 400
MAX_FRAMES = 6
MAX_PROSE = 1000
"""Characters of words without any value that may stay as they are."""

MAX_VALUES = 8
"""Of one failure, that go before its frames."""

_MESSAGE, _FRAMES, _OTHERS = range(3)
_SHORTEST = 40
_MIN_SHARE = 240
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_ADDRESS = re.compile(r"(?<= at )0x[0-9a-fA-F]{6,16}\b")
_VOLATILE = re.compile(r"0x[0-9a-fA-F]+|/tmp/\S+|\d+")


class _Level(IntEnum):
    """What is given room first, over all failures; essential are values and frames."""

    ESSENTIAL = 1
    DIFFERENCES = 2
    WORDS = 3
    ALIKE = 4
    LOCALS = 5


@dataclass(frozen=True, slots=True)
class _Part:
    """Some text of a failure; `place` is where it goes, whatever was kept before it."""

    place: tuple[int, int]
    level: _Level
    text: str


@dataclass(slots=True)
class _Block:
    """Results that failed alike: the first one stands for all."""

    first: TestResult
    others: tuple[str, ...]
    head: str = ""
    kept: list[_Part] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What was kept, in its order."""
        return self.head + "".join(part.text for part in sorted(self.kept, key=lambda part: part.place))


def least_tokens(results: Sequence[TestResult]) -> int:
    """The budget from which on no id of failures that differ, and no exception, is left out of `condense`."""
    blocks = _fold(results)
    return -(-(sum(len(block.head) + 2 for block in blocks) + len(_more(len(results)))) // CHARS_PER_TOKEN)


def condense(results: Sequence[TestResult], budget_tokens: int) -> str:
    """The failures in at most `budget_tokens`, at four characters a token; alike ones are folded.

    Ids and exceptions come first: all of them from `least_tokens` on, else as many as have room, and how many more.
    """
    room = max(budget_tokens * CHARS_PER_TOKEN, 0)
    every = _fold(results)
    blocks, tail = _fill(every, room)
    return "\n\n".join([*(block.text for block in blocks), *([tail] if tail else [])])


def beyond_rules(results: Sequence[TestResult], budget_tokens: int) -> tuple[TestResult, ...]:
    """The results of which `condense` leaves out what its rules count as evidence, or whose message is mere words.

    Of results that failed alike only the first.
    """
    blocks, _ = _fill(_fold(results), max(budget_tokens * CHARS_PER_TOKEN, 0))
    return tuple(block.first for block in blocks if _is_beyond(block))


def _is_beyond(block: _Block) -> bool:
    parts = [part for part in _parts(block) if part.place[0] == _MESSAGE]
    kept = {part.place for part in block.kept}
    words = sum(len(part.text) for part in parts if part.level is _Level.WORDS)
    further = [part for part in parts if part.place[1]]
    values = (part for part in further if part.level in {_Level.ESSENTIAL, _Level.DIFFERENCES})
    is_prose = words > MAX_PROSE and not any(values)
    return is_prose or any(part.place not in kept for part in parts) or block.first.message.count("\n") > MAX_LINES


def _fill(every: list[_Block], room: int) -> tuple[list[_Block], str]:
    """The blocks that have room, each with what is kept of it, and what is said of the rest."""
    blocks, tail = _fitting(every, room)
    free = room - sum(len(block.head) + 2 for block in blocks) + 2 - (len(tail) + 2 if tail else 0)
    parts = {id(block): list(_parts(block)) for block in blocks}
    for level in _Level:
        for at, block in enumerate(blocks):
            wanted = [part for part in parts[id(block)] if part.level is level]
            if level is _Level.ESSENTIAL:
                share = min(max(free // (len(blocks) - at), _MIN_SHARE), free)
                wanted = _squeezed(wanted, share)
                free -= _keep(block, wanted, share)
            else:
                # The first two lines of a difference are its two sides: of one alone nothing is learnt.
                pair = _squeezed(wanted[:2], free) if level is _Level.DIFFERENCES else wanted[:2]
                free -= _keep(block, [*pair, *wanted[2:]], free)
    return blocks, tail


def condense_run(run: TestRun, budget_tokens: int) -> str:
    """A whole run: its failures, or, when it cannot be believed, why, and then what failed nevertheless."""
    if run.state is RunState.COMPLETE:
        return condense(run.red, budget_tokens)
    room = budget_tokens * CHARS_PER_TOKEN
    head = _clean(describe.cause(run))[: room // 2]
    if not run.red:
        return head
    return f"{head}\n\n{condense(run.red, (room - len(head) - 2) // CHARS_PER_TOKEN)}"


def _fitting(blocks: list[_Block], room: int) -> tuple[list[_Block], str]:
    """The blocks whose heads have room together, the first one at least, and what is said of the rest."""
    if blocks and len(blocks[0].head) > room:
        blocks[0].head = _short_head(blocks[0].first, room)
        return blocks[:1], ""
    used = 0
    for at, block in enumerate(blocks):
        used += len(block.head) + 2
        tail = _more(sum(1 + len(left.others) for left in blocks[at + 1 :]))
        if used - 2 + (len(tail) + 2 if tail else 0) > room:
            rest = _more(sum(1 + len(left.others) for left in blocks[at:]))
            return _fitting_fewer(blocks[:at], rest, room)
    return blocks, ""


def _short_head(result: TestResult, room: int) -> str:
    """Both ends of an id for which there is no room, and the exception; half of the room is left for the rest."""
    head = f"FAILED {said.middle(_clean(result.node_id), max(room // 2 - len('FAILED '), 0))}"
    return f"{head}\n  {said.middle(_clean(_what(result)), max(room // 4, 0))}"[:room]


def _fitting_fewer(blocks: list[_Block], tail: str, room: int) -> tuple[list[_Block], str]:
    """The same blocks with the tail where it fits, else without it."""
    used = sum(len(block.head) + 2 for block in blocks)
    return blocks, tail if blocks and used + len(tail) <= room else ""


def _keep(block: _Block, parts: Iterable[_Part], room: int) -> int:
    """Keep what has room, one after the other; how much it took."""
    used = 0
    for part in parts:
        if used + len(part.text) <= room:
            used += len(part.text)
            block.kept.append(part)
    return used


def _squeezed(parts: list[_Part], room: int) -> list[_Part]:
    """The same, with lines of the message shortened to what the frames leave, where they do not fit as they are."""
    total = sum(len(part.text) for part in parts)
    lines = [part for part in parts if part.place[0] == _MESSAGE]
    if total <= room or not lines:
        return parts
    frames = min(total - sum(len(part.text) for part in lines), room // 2)
    limit = max((room - frames) // len(lines), _SHORTEST)
    short = dict(zip(lines, said.all_shortened([part.text for part in lines], limit), strict=True))
    return [_Part(part.place, part.level, short.get(part, part.text)) for part in parts]


def _fold(results: Sequence[TestResult]) -> list[_Block]:
    alike: dict[tuple[object, ...], list[TestResult]] = {}
    for result in results:
        last = tuple((frame.path, frame.line, frame.function) for frame in result.frames[-1:])
        key = (result.exception, _VOLATILE.sub("#", result.message), last, result.phase)
        alike.setdefault(key, []).append(result)
    blocks = [_Block(found[0], tuple(other.node_id for other in found[1:])) for found in alike.values()]
    for block in blocks:
        phase = "" if block.first.phase == "call" else f" (in {block.first.phase})"
        block.head = f"FAILED {_clean(block.first.node_id)}{phase}\n  {_clean(_what(block.first))}"
    return blocks


def _what(result: TestResult) -> str:
    return result.exception or str(result.outcome)


def _parts(block: _Block) -> Iterator[_Part]:
    """Everything that can be said of a failure, in the order in which it is given room."""
    message = list(_message(block.first))
    frames = _shown(block.first.frames)
    places = [_Part((_FRAMES, 2 * at), _Level.ESSENTIAL, _where(frame)) for at, frame in enumerate(frames)]
    yield from (*message[:1], *places[::-1], *message[1:])
    if block.others:
        yield _Part((_OTHERS, 0), _Level.ALIKE, f"\n  alike: {_clean(describe.some(block.others))}")
    for at in reversed(range(len(frames))):
        if frames[at].locals:
            yield _Part((_FRAMES, 2 * at + 1), _Level.LOCALS, f"\n    with {_variables(frames[at])}")


def _message(result: TestResult) -> Iterator[_Part]:
    """The first line, then what shows the assertion's values, then the rest, as far as it says anything."""
    lines = [line.rstrip() for line in _clean(result.message).strip().split("\n")[:MAX_LINES]]
    ranks = said.ranks(lines)
    shown = said.all_shortened(lines, MAX_LINE)
    values = 0
    for at in sorted(range(len(lines)), key=lambda at: (ranks[at], at)):
        if ranks[at] is Rank.NOISE or not lines[at].strip():
            continue
        level = {Rank.DIFFERENCE: _Level.DIFFERENCES, Rank.WORDS: _Level.WORDS}.get(ranks[at], _Level.ESSENTIAL)
        values += level is _Level.ESSENTIAL
        if values > MAX_VALUES and level is _Level.ESSENTIAL:
            level = _Level.DIFFERENCES
        yield _Part((_MESSAGE, at), level, f": {shown[at]}" if at == 0 else f"\n    {shown[at]}")


def _shown(frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """The outermost frame and the innermost ones; of a place that comes again, as in a recursion, the last."""
    places = {(frame.path, frame.line, frame.function): at for at, frame in enumerate(frames)}
    found = tuple(frames[at] for at in sorted(places.values()))
    return found if len(found) <= MAX_FRAMES else (found[0], *found[1 - MAX_FRAMES :])


def _where(frame: Frame) -> str:
    inside = f" in {_line(frame.function)}" if frame.function else ""
    return f"\n  at {_line(frame.path)}:{frame.line}{inside}"


def _variables(frame: Frame) -> str:
    return ", ".join(f"{_line(name)} = {_line(text)}" for name, text in frame.locals)


def _more(number: int) -> str:
    return f"... and {describe.count(number, 'more failing test')}" if number else ""


def _line(text: str) -> str:
    return _clean(text).replace("\n", " ")


def _clean(text: str) -> str:
    """Without terminal escapes, other characters that cannot be seen, and objects' addresses.

    An address tells nothing, and makes a prompt that nobody has asked before out of each run.
    """
    plain = _ADDRESS.sub("0x…", _ESCAPES.sub("", text))
    return "".join(letter for letter in plain if letter.isprintable() or letter in "\n\t")
