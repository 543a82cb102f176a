"""What is known of languages by the ends of file names; Python is the one whose syntax is understood."""

import re
from collections.abc import Iterator, Sequence
from posixpath import dirname, join, normpath

PYTHON = ".py"
JAVASCRIPT = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
GO = ".go"
SOURCES = (
    PYTHON, *JAVASCRIPT, GO,
    ".rb", ".rs", ".java", ".kt", ".scala", ".cs", ".c", ".h", ".cc", ".cpp", ".hpp", ".php", ".swift", ".ex", ".exs",
    ".lua", ".pl", ".pm", ".sh", ".vue", ".svelte",
)  # fmt: skip
"""What a fix may touch, unless it is protected."""

_RELATIVE = re.compile(r"""(?:\bfrom|\bimport|\brequire\s?\(|\bimport\s?\()\s?['"](\.{1,2}/[^'"\n]{1,300})['"]""")
_QUOTED = re.compile(r'^\s*(?:import\s+)?(?:[\w.]{1,80} )?"([^"\n]{1,300})"', re.MULTILINE)


def imported(path: str, data: bytes, known: Sequence[str]) -> Iterator[str]:
    """The files of the tree that a file in JavaScript or Go names in its imports, as far as names tell.

    `known` are the tree's paths. For Go these are the files of its own package, then those of the packages whose
    directory ends like an import path.
    """
    text = data.decode("utf-8", "replace")
    if path.endswith(JAVASCRIPT):
        present = frozenset(known)
        for name in _RELATIVE.findall(text):
            yield from _resolved(normpath(join(dirname(path), name)), present)
    elif path.endswith(GO):
        wanted = [dirname(path), *(_folder(name, known) for name in _QUOTED.findall(text[:20_000]))]
        for folder in dict.fromkeys(wanted):
            yield from (one for one in known if one.endswith(GO) and one != path and dirname(one) == folder)


def _resolved(stem: str, present: frozenset[str]) -> Iterator[str]:
    """A module's file: as it is named, with a suffix, in place of a compiled one's, or a directory's index."""
    bare = re.sub(r"\.[cm]?jsx?$", "", stem)
    candidates = [stem, *(f"{one}{end}" for one in (stem, bare, f"{stem}/index") for end in JAVASCRIPT)]
    yield from [path for path in candidates if path in present][:1]


def _folder(name: str, known: Sequence[str]) -> str:
    """The longest end of an import path that is a directory with Go files; a name that no directory has otherwise."""
    folders = {dirname(path) for path in known if path.endswith(GO)}
    parts = name.split("/")
    return next((end for at in range(len(parts)) if (end := "/".join(parts[at:])) in folders), "\0")
