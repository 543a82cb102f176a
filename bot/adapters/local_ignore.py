"""Which files of a working directory belong to the repository: .gitignore semantics, and what never does."""

import re
from collections.abc import Callable
from pathlib import Path

from pathspec import GitIgnoreSpec

from bot.errors import TreeError
from bot.repair.sources.globs import Globs

NEVER = GitIgnoreSpec.from_lines(
    [
        ".git",
        ".hg/",
        ".svn/",
        ".venv/",
        "venv/",
        "node_modules/",
        "__pycache__/",
        ".mypy_cache/",
        ".pytest_cache/",
        ".ruff_cache/",
        ".hypothesis/",
        ".tox/",
        ".nox/",
        ".regreen/",
        "*.pyc",
    ]
)
MOST_IGNORE_BYTES = 1 << 20
MOST_STARS = 3
"""In one pattern that the library may match: it backtracks, so that each further star costs a name's length more."""

Verdict = Callable[[str], bool | None]


class Ignores:
    """Answers for one walk from the top down: `enter` each directory before asking for its entries."""

    def __init__(self, root: Path) -> None:
        """Read the repository's own exclusions."""
        self._root = root
        self._specs: list[tuple[str, Verdict]] = []
        self._add("", root / ".git" / "info" / "exclude")

    def enter(self, prefix: str) -> None:
        """Read the ignore file of a directory; `prefix` is its path with a slash at the end, empty for the root."""
        self._add(prefix, self._root / prefix / ".gitignore")

    def ignored(self, path: str) -> bool:
        """Whether an entry is left out; a directory's `path` ends in a slash."""
        if NEVER.match_file(path) or (path.endswith("/") and (self._root / path / "pyvenv.cfg").is_file()):
            return True
        # The file nearest to the entry has the last word; inside it, the last matching line.
        for prefix, verdict in reversed(self._specs):
            if path.startswith(prefix) and (found := verdict(path[len(prefix) :])) is not None:
                return found
        return False

    def _add(self, prefix: str, file: Path) -> None:
        if file.is_symlink() or not file.is_file():
            return
        with file.open("rb") as source:
            lines = source.read(MOST_IGNORE_BYTES).decode("utf-8", "replace").splitlines()
        try:
            self._specs.append((prefix, _verdict(lines)))
        except (ValueError, re.error) as error:
            raise TreeError(f"{file} holds a pattern that is not understood: {error}", "Correct it.") from None


def _verdict(lines: list[str]) -> Verdict:
    if any(line.count("*") > MOST_STARS for line in lines):
        return Globs.of(lines).verdict
    spec = GitIgnoreSpec.from_lines(lines)
    return lambda path: spec.check_file(path).include
