"""Which Node a project asks for: `engines` of package.json, else .nvmrc or .node-version.

Source: github.com/npm/node-semver, "Ranges".
"""

import re
from collections.abc import Iterator

from sandbox.detect.node.manifest import MAX_ENGINE, Manifest
from sandbox.detect.reading import text
from sandbox.errors import DetectionError
from sandbox.spec import Tree

NODE = (18, 20)
"""Debian bookworm's."""

_FILES = (".nvmrc", ".node-version")
_CODENAMES = {"lts/iron": 20, "lts/jod": 22, "lts/krypton": 24}
_OPERATOR = re.compile(r"(>=|<=|>|<|=|\^|~>?)\s+")
_CLAUSE = re.compile(r"(>=|<=|>|<|=|\^|~>?|)v?(\d{1,4}|[xX*])(?:\.(\d{1,4}|[xX*]))?(?:\.(\d{1,4}|[xX*]))?(?:[-+].*)?")


def unmet(tree: Tree, manifest: Manifest) -> Iterator[str]:
    """A sentence where the base image's Node is not what the project takes."""
    where, wanted = _wanted(tree, manifest)
    if wanted and excludes(wanted):
        yield (
            f"{where} asks for Node {wanted}; the sandbox's own base image has {NODE[0]}. "
            "REGREEN_SANDBOX_BASE_IMAGES may name an image that has it."
        )


def excludes(wanted: str) -> bool:
    """Whether a range leaves out the base image's Node; what cannot be read leaves out nothing."""
    return not any(_admits(part) for part in wanted[:MAX_ENGINE].split("||"))


def _wanted(tree: Tree, manifest: Manifest) -> tuple[str, str]:
    if manifest.engine:
        return manifest.line("engines", "node"), manifest.engine
    for path in _FILES:
        try:
            words = text(tree, path).split()
        except DetectionError:
            continue
        if words:
            version = words[0][:MAX_ENGINE].lower()
            # Somebody's own choice within what the project takes: only its major number is taken for a wish.
            number = str(_CODENAMES.get(version, "")) or version.removeprefix("v").partition(".")[0]
            return f"{path}:1", number
    return "", ""


def _admits(alternative: str) -> bool:
    low, mark, high = alternative.partition(" - ")
    clauses = [f">={low.strip()}", f"<={high.strip()}"] if mark else _OPERATOR.sub(r"\1", alternative).split()
    return all(map(_fits, clauses))


def _fits(clause: str) -> bool:
    match = _CLAUSE.fullmatch(clause)
    if match is None or not match[2].isdigit():
        return True
    operator, major = match[1], int(match[2])
    exact = match[3] is not None and match[3].isdigit()
    # A third number only says which patch of a minor version, which is close enough to try.
    version, ours = ((major, int(match[3])), NODE) if exact else ((major, 0), (NODE[0], 0))
    patched = match[4] is not None and match[4] not in {"0", "x", "X", "*"}
    verdicts = {
        ">=": ours >= version,
        ">": ours > version or (ours == version and patched),
        "<=": ours <= version,
        "<": ours < version or (ours == version and patched),
        "^": ours[0] == major and ours >= version,
    }
    return verdicts.get(operator, ours == version)
