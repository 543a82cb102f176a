"""gitignore patterns, matched in time that grows with path times pattern: no pattern can make one wait.

A library that turns a whole pattern into one backtracking expression takes minutes for `*a*a*a/**/*a*a*b`. Here a
segment is matched by `fnmatch`, whose stars never give back what they took, and `**` by a set of positions.
"""

import fnmatch
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_ANY_DEPTH = "**"


@dataclass(frozen=True, slots=True)
class Glob:
    """One pattern: its segments from the root on, `None` for `**`.

    `directory` when only what lies below a match is meant, `floating` when the one segment may stand at any depth.
    """

    segments: tuple[re.Pattern[str] | None, ...]
    directory: bool = False
    floating: bool = False
    negated: bool = False

    @classmethod
    def of(cls, line: str) -> "Glob | None":
        """Read a gitignore line; `None` for a comment or a blank one."""
        text = line.strip()
        negated = text.startswith("!")
        text = text.removeprefix("!")
        if text.startswith("#") or not text.strip("/"):
            return None
        names = text.strip("/").split("/")
        # Of several `**` in a row one says it all.
        parts = [name for at, name in enumerate(names) if not (at and name == names[at - 1] == _ANY_DEPTH)]
        segments = tuple(None if part == _ANY_DEPTH else _compiled(part) for part in parts)
        directory = text.endswith("/") and segments[1:][-1:] != (None,)
        return cls(segments, directory, "/" not in text.rstrip("/"), negated)

    def covers(self, parts: Sequence[str], *, directory: bool = False) -> bool:
        """Whether the path of these parts, a directory's or a file's, or a directory above it, matches."""
        below = self.directory and not directory
        if self.floating and (segment := self.segments[0]):
            return any(map(segment.match, parts[: len(parts) - below]))
        reached = {0}
        for at, segment in enumerate(self.segments):
            if segment is None:
                inside = at == len(self.segments) - 1
                reached = set(range(min(reached) + inside, len(parts) + 1))
            else:
                reached = {place + 1 for place in reached if place < len(parts) and segment.match(parts[place])}
            if not reached:
                return False
        return min(reached) < len(parts) or not below


@dataclass(frozen=True, slots=True)
class Globs:
    """Patterns as gitignore reads them: of those that match a path the last decides."""

    globs: tuple[Glob, ...] = ()

    @classmethod
    def of(cls, lines: Iterable[str]) -> "Globs":
        """Read gitignore lines."""
        return cls(tuple(glob for line in lines if (glob := Glob.of(line)) is not None))

    def cover(self, path: str) -> bool:
        """Whether the patterns mean this file."""
        return self.verdict(path) or False

    def verdict(self, path: str) -> bool | None:
        """The same, `None` where no pattern matches; a directory's path ends in a slash."""
        directory = path.endswith("/")
        parts = path.rstrip("/").split("/")
        found = (glob for glob in reversed(self.globs) if glob.covers(parts, directory=directory))
        return next((not glob.negated for glob in found), None)


def _compiled(segment: str) -> re.Pattern[str]:
    """`fnmatch` knows no backslash: an escaped character becomes a class of its own where it means something."""
    head, *rest = segment.split("\\")
    plain = head + "".join(f"[{part[0]}]{part[1:]}" if part[:1] in {"*", "?", "["} else part for part in rest)
    return re.compile(fnmatch.translate(plain))
