"""What a repository keeps elsewhere: Git LFS, of which the tree holds pointers, and submodules. Pure.

Sources: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md, https://git-scm.com/docs/gitattributes,
https://git-scm.com/docs/gitmodules
"""

import re

from bot.repair.sources.globs import Globs

MAX_READ = 256 * 1024
MAX_LINES = 5_000
_POINTER = b"version https://git-lfs.github.com/spec/v1\n"
_MODULE = re.compile(r"^\s*path\s*=\s*(\S.{0,1000}?)\s*$")


def is_pointer(content: bytes) -> bool:
    """Whether a file is a pointer to one that Git LFS keeps."""
    return content.startswith(_POINTER)


def filtered(attributes: bytes | None) -> Globs:
    """The patterns of a `.gitattributes` file that Git LFS keeps; later lines take back what earlier ones say."""
    patterns = []
    for line in _lines(attributes):
        pattern, *values = line.split()
        if pattern.startswith(("#", '"', "[")):
            continue
        if "filter=lfs" in values:
            patterns.append(pattern)
        elif any(value in {"-filter", "!filter"} or value.startswith("filter=") for value in values):
            patterns.append(f"!{pattern}")
    return Globs.of(patterns)


def submodules(modules: bytes | None) -> tuple[str, ...]:
    """The directories of a `.gitmodules` file."""
    found = (_MODULE.match(line) for line in _lines(modules))
    return tuple(match[1].strip('"').rstrip("/") for match in found if match)


def _lines(data: bytes | None) -> list[str]:
    lines = (data or b"")[:MAX_READ].decode("utf-8", "replace").splitlines()[:MAX_LINES]
    return [line for line in lines if line.strip()]
