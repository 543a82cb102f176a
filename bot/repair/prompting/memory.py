"""What a model is told of its own attempts: bounded, however many there were (Reflexion, arXiv 2303.11366)."""

import difflib
from collections.abc import Mapping, Sequence

from bot.repair import describe
from bot.repair.prompting.blocks import block, cut, size
from bot.repair.prompting.feedback import condense
from bot.repair.types import Attempt, SourceFile, Verdict

MAX_REFLECTIONS = 3
SUMMARISED_AFTER = 3
"""Failures that are told one by one; more of them are summed up."""
MAX_DIFF = 4000
MAX_LESSON = 400
MAX_FAILURES = 3

_DONE = {
    Verdict.NOT_FIXED: "changed nothing for the failing tests",
    Verdict.PARTIAL: "fixed some of them",
    Verdict.REGRESSED: "broke tests that had passed",
    Verdict.INVALID_RUN: "kept the tests from running",
    Verdict.REFUSED: "touched what may not be touched",
    Verdict.REJECTED: "passed the tests, and was not believed",
    Verdict.NOT_APPLIED: "could not be applied",
    Verdict.REPEATED: "repeated an earlier one",
}
AGAIN = "The files above are as before all attempts; write the fix against them, and not the same one again."


def recall(history: Sequence[Attempt], files: Mapping[str, SourceFile], limit: int) -> str:
    """The last attempt with its diff and failure, what went before in short, at most three lessons; `limit` bytes."""
    if not history:
        return ""
    last = history[-1]
    said = [*_before(history[:-1]), *(f"Lesson: {lesson}" for lesson in lessons(history))]
    said.append(f"Your last attempt, number {last.number}: {last.verdict} - {last.reason}")
    head = block("What was tried:", "\n".join(said), limit // 2)
    room = limit - size(head) - size(AGAIN) - 4
    red = condense(last.red, room // 12) if last.red else ""
    change = diff(last, files)
    body = "\n\n".join(cut(part, room // 2 - 60) for part in (change, red) if part)
    shown = block("Its change, and what failed then:" if change else "What failed then:", body, room) if body else ""
    return cut("\n".join(part for part in (head, shown, AGAIN) if part), limit) if head else ""


def learned(history: Sequence[Attempt], limit: int) -> str:
    """At most three lessons of earlier attempts, none of their code; `limit` bytes."""
    told = "\n".join(f"- {lesson}" for lesson in lessons(history))
    return block("What earlier attempts, which failed, have shown:", told, limit) if told else ""


def lessons(history: Sequence[Attempt]) -> list[str]:
    """The newest distinct reflections, oldest of them first."""
    told = [
        describe.one_line(f"{attempt.reflection.cause} {attempt.reflection.lesson}", MAX_LESSON)
        for attempt in history
        if attempt.reflection is not None
    ]
    newest = list(dict.fromkeys(reversed(told)))[:MAX_REFLECTIONS]
    return newest[::-1]


def _before(earlier: Sequence[Attempt]) -> list[str]:
    """The attempts before the last one: a line each, or, after three failures, all of them summed up."""
    if len(earlier) < SUMMARISED_AFTER:
        return [f"Attempt {past.number}: {past.verdict} - {describe.one_line(past.reason, 160)}" for past in earlier]
    return summary(earlier)


def summary(attempts: Sequence[Attempt]) -> list[str]:
    """What many attempts showed, in a few lines: how they ended, how far they came, what they broke, what was red."""
    lines = [f"{describe.count(len(attempts), 'earlier attempt')} failed:"]
    for verdict, done in _DONE.items():
        numbers = tuple(str(attempt.number) for attempt in attempts if attempt.verdict is verdict)
        if numbers:
            lines.append(f"- {done}: {describe.some(numbers, 8)}")
    closest = max(attempts, key=lambda attempt: (len(attempt.comparison.fixed), -len(attempt.comparison.regressed)))
    if closest.comparison.fixed:
        lines.append(f"- closest was {closest.number}: {describe.one_line(closest.reason, 160)}")
    broken = tuple(dict.fromkeys(name for attempt in attempts for name in attempt.comparison.regressed))
    if broken:
        lines.append(f"- broken by some of them: {describe.one_line(describe.some(broken), 300)}")
    failures = dict.fromkeys(attempt.failure for attempt in reversed(attempts) if attempt.failure)
    lines += [f"- seen: {describe.one_line(failure, 200)}" for failure in list(failures)[:MAX_FAILURES]]
    return lines


def diff(attempt: Attempt, files: Mapping[str, SourceFile]) -> str:
    """What an attempt changed, as a unified diff of the files that were read; capped."""
    changes = attempt.proposal.patch.changes if attempt.proposal else ()
    before = {change.path: files[change.path].data for change in changes if change.path in files}
    lines: list[str] = []
    for change in changes:
        lines += unified(change.path, before.get(change.path, b""), change.content or b"")
    return "\n".join(lines)[:MAX_DIFF]


def unified(path: str, before: bytes, after: bytes) -> list[str]:
    """One file's change, two lines around each."""
    old, new = (data.decode("utf-8", "replace").splitlines() for data in (before, after))
    return list(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm="", n=2))
