"""What of an environment's layer is laid under the tree of every run, and what of that holds for one tree only."""

import ast
import re
from pathlib import PurePosixPath

from sandbox.containers import protocol
from sandbox.environments import ustar
from sandbox.guest import install

_ROOT = protocol.GENERATED.removeprefix("/")
_ABOVE = frozenset({_ROOT, str(PurePosixPath(_ROOT).parent)})
_MOST_DIRECTORIES = 16 * install.MOST_FILES
_SITE = re.compile(r"env/lib/python[^/]*/site-packages/([^/]+)(?:/|\Z)")

_SHORT = 4096
_VERSION = re.compile(r"version", re.IGNORECASE)
# An install is told this version, whatever the tree is.
_PRETENDED = b"9999"
_LITERAL = (
    *(ast.Module, ast.Assign, ast.AnnAssign, ast.Expr, ast.If, ast.ImportFrom, ast.alias, ast.Constant, ast.Tuple),
    *(ast.List, ast.Name, ast.Subscript, ast.BinOp, ast.BitOr, ast.Load, ast.Store),
)
_TYPES = frozenset({"__future__", "typing"})
# Package clients write these from manifests, which are part of every environment's key.
_LOCKS = frozenset(
    {"package-lock.json", "yarn.lock", "pnpm-lock.yaml", "go.sum", "uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock"}
)


class Generated:
    """Sees an environment's members as they pass, and says which of those laid under the tree may be there.

    A step can write there itself, so what the install's own program admits is asked again here.
    """

    def __init__(self) -> None:
        """Nothing has passed yet."""
        self._count = 0
        self._letters = 0
        self._modules: set[str] = set()
        self._taken: set[str] = set()
        self._directories = 0
        self._size = 0
        self._content = bytearray()
        self._pending = ""
        self._bound: list[str] = []

    @property
    def bound(self) -> tuple[str, ...]:
        """The paths, relative to the tree, that may differ with it: all but versions and lock files, in their order."""
        self._settle()
        return tuple(self._bound)

    @property
    def fault(self) -> str:
        """What is wrong with what was admitted so far, empty for nothing."""
        if self._directories > _MOST_DIRECTORIES or not install.fits(self._count, self._letters, self._size):
            return "more files for the tree than may be laid under it"
        hidden = sorted(self._modules & self._taken)
        return f"a file for the tree that would hide the installed module {hidden[0][:200]!r}" if hidden else ""

    def admits(self, path: str, kind: bytes, size: int) -> bool:
        """Whether a member may be part of the layer; `path` begins with the environment's directory."""
        self._settle()
        if found := _SITE.match(path):
            self._taken.add(install.installed(found[1]))
        if path in _ABOVE:
            return kind == ustar.DIRECTORY
        name = path.removeprefix(f"{_ROOT}/")
        if name == path:
            return True
        if kind == ustar.DIRECTORY:
            self._directories += 1
            return True
        if kind != ustar.REGULAR or not install.admitted(name):
            return False
        self._count += 1
        self._letters += len(name)
        self._modules |= {install.module(name)} - {""}
        self._size += size
        self._pending = name
        return True

    def take(self, data: bytes) -> None:
        """The next piece of the content of the member that was admitted last."""
        if self._pending and len(self._content) <= _SHORT:
            self._content += data[: _SHORT + 1]

    def _settle(self) -> None:
        if self._pending and not holds_for_every_tree(self._pending, bytes(self._content)):
            self._bound.append(self._pending)
        self._pending = ""
        self._content.clear()


def holds_for_every_tree(name: str, content: bytes) -> bool:
    """Whether a generated file is a lock file, or says nothing but the version that every install is told."""
    last = PurePosixPath(name).name
    if last in _LOCKS:
        return True
    if not _VERSION.search(last) or len(content) > _SHORT or _PRETENDED not in content:
        return False
    return _only_assigns(content) if last.endswith(".py") else content.strip() == b"9999.0"


def _only_assigns(content: bytes) -> bool:
    try:
        nodes = list(ast.walk(ast.parse(content)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return all(
        isinstance(node, _LITERAL) and not (isinstance(node, ast.ImportFrom) and node.module not in _TYPES)
        for node in nodes
    )


def feeds(path: str, bound: tuple[str, ...]) -> str | None:
    """The generated file that a change to this path could change, `None` when none could.

    Of Python sources only those that have a compiled sibling do, and what is itself generated.
    """
    if path in bound:
        return path
    if not path.endswith(".py"):
        return next(iter(bound), None)
    stem = PurePosixPath(path).with_suffix("")
    return next((one for one in bound if _stem(one) == stem), None)


def _stem(path: str) -> PurePosixPath:
    whole = PurePosixPath(path)
    return whole.with_name(whole.name.partition(".")[0] or whole.name)
