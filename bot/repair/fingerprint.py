"""When two patches are the same code, and how large a patch is."""

import ast
import difflib
import hashlib
from collections.abc import Mapping

from bot.repair.syntax import parse
from bot.repair.types import FileChange, Patch

MAX_DIFF_LINES = 5000


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
    """Lines added plus lines removed; beyond 5,000 lines a file counts whole."""
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
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > MAX_DIFF_LINES:
        return len(old) + len(new)
    blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    kept = sum(block.size for block in blocks)
    return len(old) + len(new) - 2 * kept
