"""A patch as a unified diff for people to read; never applied from this form."""

import difflib
import re
from collections.abc import Mapping

from bot.repair.types import Patch


def unified(before: Mapping[str, bytes], patch: Patch) -> str:
    """The patch as `git diff` would print it, text decoded leniently, binary files named only.

    `before` maps the patched paths that exist to their content.
    """
    return "".join(_one(change.path, before.get(change.path), change.content) for change in patch.changes)


def _one(path: str, old: bytes | None, new: bytes | None) -> str:
    head = f"diff --git a/{path} b/{path}\n"
    if b"\0" in (old or b"") + (new or b""):
        return f"{head}Binary files differ\n"
    lines = difflib.unified_diff(
        _lines(old),
        _lines(new),
        "/dev/null" if old is None else f"a/{path}",
        "/dev/null" if new is None else f"b/{path}",
    )
    return head + "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(data: bytes | None) -> list[str]:
    # str.splitlines also splits at form feeds and Unicode separators, which git does not
    return [] if not data else re.findall(r"[^\n]*\n|[^\n]+", data.decode("utf-8", "replace"))
