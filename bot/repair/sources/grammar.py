"""Other languages than this interpreter's Python, as trees: JavaScript, TypeScript, Go, and Python of any age.

Sources are strangers': what is parsed is bounded in bytes and in the parser's own steps, and no walk here recurses.
"""

from functools import cache, lru_cache

import tree_sitter_go
import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

MAX_BYTES = 1 << 20
FEW_STEPS = 2000
BYTES_A_STEP = 10
"""Code that a person wrote takes fewer than one for each 35; what is made to be ambiguous takes any number."""
_CHUNK = 1 << 14
_SUFFIXES = {
    "js": "javascript", "mjs": "javascript", "cjs": "javascript", "jsx": "javascript",
    "ts": "typescript", "mts": "typescript", "cts": "typescript", "tsx": "tsx", "go": "go", "py": "python",
    "pyi": "python",
}  # fmt: skip
SCRIPTS = frozenset({"javascript", "typescript", "tsx"})


def language_of(path: str) -> str:
    """Which grammar reads a file, by its name; empty for none."""
    return _SUFFIXES.get(path.rpartition(".")[2], "")


@lru_cache(maxsize=32)
def tree_of(language: str, text: str) -> Node | None:
    """The root of a text's tree, errors and all; `None` for one too long, or too much work."""
    data = text.encode("utf-8", "replace")
    if len(data) > MAX_BYTES:
        return None
    left = FEW_STEPS + len(data) // BYTES_A_STEP

    def is_enough(offset: int, has_error: bool) -> bool:  # noqa: FBT001 (the parser calls it so)
        nonlocal left
        del offset, has_error
        left -= 1
        return left < 0

    try:
        tree = Parser(_grammar(language)).parse(
            lambda offset, _: data[offset : offset + _CHUNK], encoding="utf8", progress_callback=is_enough
        )
    except ValueError:
        return None
    return tree.root_node if tree is not None and left >= 0 else None


def fault(language: str, text: str) -> str:
    """Where a text does not parse, as `line 3: near ...`; empty where it does, or cannot be told."""
    root = tree_of(language, text)
    if root is None or not root.has_error:
        return ""
    node = root
    while True:
        wrong = next((child for child in node.children if child.has_error or child.is_missing), None)
        if wrong is None or node.is_error:
            break
        node = wrong
    line = node.start_point.row + 1
    if node.is_missing:
        return f"line {line}: {node.type!r} is missing"
    near = (text.split("\n")[line - 1 : line] or [""])[0].strip()[:80]
    return f"line {line}: near {near!r}"


@cache
def _grammar(name: str) -> Language:
    return Language(
        {
            "javascript": tree_sitter_javascript.language,
            "typescript": tree_sitter_typescript.language_typescript,
            "tsx": tree_sitter_typescript.language_tsx,
            "go": tree_sitter_go.language,
            "python": tree_sitter_python.language,
        }[name]()
    )
