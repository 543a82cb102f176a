"""When two patches are the same code, and how large a patch is."""

import ast
import difflib
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import takewhile

from bot.repair.sources.syntax import parse
from bot.repair.types import FileChange, Patch

MAX_COMPARED = 200 * 200


def tree_hash(patch: Patch) -> str:
    """A hash of what the patched files mean: Python as its syntax tree, so that layout and comments do not count."""
    digest = hashlib.sha256()
    for change in sorted(patch.changes, key=lambda change: change.path):
        meaning = b"deleted" if change.content is None else hashlib.sha256(_meaning(change)).hexdigest().encode()
        digest.update(change.path.encode("utf-8", "surrogatepass") + b"\0" + meaning + b"\0")
    return digest.hexdigest()


def unchanged(patch: Patch, before: Mapping[str, bytes]) -> bool:
    """Whether the patch leaves every file's meaning as it is in `before` (path → content)."""
    return all(_same(change, before.get(change.path)) for change in patch.changes)


def changed_lines(patch: Patch, before: Mapping[str, bytes]) -> int:
    """Lines added plus lines removed; where much differs a line that only moved does not count."""
    return sum(_lines(before.get(change.path, b""), change.content or b"") for change in patch.changes)


def _meaning(change: FileChange) -> bytes:
    content = change.content or b""
    if not change.path.endswith(".py"):
        return content
    tree = parse(content)
    try:
        return content if tree is None else ast.dump(tree).encode()
    except (ValueError, RecursionError):
        return content


def _same(change: FileChange, before: bytes | None) -> bool:
    if change.content is None or before is None:
        return change.content is before
    return _meaning(change) == _meaning(FileChange(change.path, before))


def _lines(before: bytes, after: bytes) -> int:
    """The exact comparison is quadratic at best, so it is kept for short stretches between equal ends."""
    old, new = before.splitlines(), after.splitlines()
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(old) * len(new) > MAX_COMPARED:
        removed, added = Counter(old) - Counter(new), Counter(new) - Counter(old)
        return removed.total() + added.total()
    blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return len(old) + len(new) - 2 * sum(block.size for block in blocks)


def _shared(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    """How many first lines are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
