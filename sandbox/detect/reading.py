"""How a tree's files reach whatever parses them: as bounded text, with lines that can be named."""

from sandbox.detect import work
from sandbox.errors import DetectionError
from sandbox.spec import Tree

MAX_SIZE = 128 * 1024
MAX_LINE = 1000
"""Bounds on what is parsed: bytes of a file and of a line. The standard library's parsers of TOML and ini files take
time that is quadratic in a line's length."""


def text(tree: Tree, path: str, size: int = MAX_SIZE, line: int = MAX_LINE) -> str:
    """A file as text, empty where there is none: the one way to whatever parses it.

    Raises `DetectionError` for more than `size` bytes, or `line` of them without a line break.
    """
    return work.once(tree, ("text", path, size, line), lambda: _text(tree, path, size, line))


def _text(tree: Tree, path: str, size: int, line: int) -> str:
    file = tree.get(path)
    if file is None:
        return ""
    if len(file.data) > size:
        raise DetectionError(f"{path} is larger than {size // 1024} KiB", "Shorten the file.")
    work.spend(len(file.data))
    if any(len(one) > line for one in file.data.splitlines()):
        raise DetectionError(f"{path} has a line of more than {line} characters", "Break the line.")
    return file.data.decode("utf-8", "replace")


def source(path: str, content: str, *starts: str) -> str:
    """`path:line` of the line that begins with the last of `starts`, each looked for behind the one before."""
    work.spend(len(content) // 16)
    lines = content.splitlines()
    found = 0
    for start in starts:
        rest = (number for number, line in enumerate(lines[found:], found) if line.strip().startswith(start))
        found = next(rest, found)
    return f"{path}:{found + 1}"
