"""Which files decide what an environment holds: manifests, and whatever they name, include or import."""

import ast
import re
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from posixpath import basename, dirname, join, normpath

from sandbox.detect import work
from sandbox.detect.python import builds, pyproject, requirements
from sandbox.detect.python.declared import MANIFESTS
from sandbox.detect.reading import MAX_SIZE, text
from sandbox.errors import DetectionError
from sandbox.spec import Tree

MAX_FILES = 200
MAX_READ = 1 << 20
"""How many files, and bytes of them, are followed; beyond that every file of the tree decides."""

_CONFIGURED = ("pyproject.toml", "hatch.toml", "setup.cfg", "setup.py")
_BUILD_SCRIPTS = ("setup.py", "hatch_build.py", "pdm_build.py", "build.py")
_LISTS = (".txt", ".in")
_PROSE = (".md", ".rst")
_LONGEST_NAME = 500
_SEPARATORS = re.compile(r"""[\s'",=:;()\[\]{}]+""")

Follow = Callable[[str], Iterable[str]]


def decisive(tree: Tree, files: Iterable[str]) -> tuple[str, ...]:
    """The paths, sorted, whose content decides the environment; `files` are those that pip is given.

    A file counts when a manifest names it in any setting, one of Python when the build takes it (`builds`), when a file
    of requirements mentions it in any way, and when what builds the project imports it.
    Raises `DetectionError` for a manifest that is too large.
    """
    manifests = [path for path in MANIFESTS if path in tree]
    named = [path for path in _named(tree) if not path.endswith(_PROSE)]
    lists = [*requirements.everywhere(tree), *files, *(path for path in named if path.endswith(_LISTS))]
    found = {*manifests, *named, *_closure(tree, lists, _mentions(tree))}
    if "setup.py" in tree or pyproject.installable(tree):
        built = builds.files(tree)
        found |= set(built.read)
        scripts = [path for path in (*_BUILD_SCRIPTS, *named, *built.run, *_backends(tree)) if path.endswith(".py")]
        found |= _closure(tree, scripts, lambda path: _imports(tree, path))
    return tuple(sorted(found))


def _closure(tree: Tree, start: Iterable[str], follow: Follow) -> set[str]:
    """The files of the tree that are reached from `start`, a symbolic link's target among them."""
    found: set[str] = set()
    read = 0
    waiting = deque(start)
    while waiting:
        path = waiting.popleft()
        if path in found or path not in tree:
            continue
        found.add(path)
        file = tree[path]
        read += len(file.data)
        if len(found) > MAX_FILES or read > MAX_READ:
            return set(tree)
        if stat.S_ISLNK(file.mode):
            waiting.append(normpath(join(dirname(path), file.data.decode("utf-8", "replace"))))
            continue
        try:
            waiting.extend(follow(path))
        except DetectionError:
            return set(tree)
    return found


def _named(tree: Tree) -> Iterator[str]:
    for manifest in _CONFIGURED:
        words = _SEPARATORS.split(text(tree, manifest, line=MAX_SIZE))
        paths = (path for word in words if (path := word.removeprefix("./")) in tree)
        # Tools that check and format name files of Python, too; those of a build are found by their keys.
        yield from (path for path in paths if manifest == "setup.py" or not path.endswith(".py"))


def _mentions(tree: Tree) -> Follow:
    """What a file of requirements mentions: files, and local projects, whose manifests count."""
    projects: dict[str, list[str]] = {}
    for path in tree:
        if basename(path) in MANIFESTS:
            projects.setdefault(dirname(path), []).append(path)

    def follow(path: str) -> Iterator[str]:
        if basename(path) in MANIFESTS:
            return
        for word in _SEPARATORS.split(text(tree, path, MAX_READ, MAX_READ).replace("\\\n", "").replace("\\\r\n", "")):
            work.spend(len(word) // 8 + 1)
            name = word[2:] if word.startswith(("-r", "-c", "-e")) else word
            for home in dict.fromkeys((dirname(path), "")):
                place = normpath(join(home, name))
                yield from (place, *projects.get(place, ())) if place in tree or place in projects else ()

    return follow


def _backends(tree: Tree) -> Iterator[str]:
    """The modules of a build backend that lies in the tree (PEP 517)."""
    build = pyproject.table(pyproject.load(tree), "build-system")
    paths, name = build.get("backend-path"), str(build.get("build-backend", "")).partition(":")[0]
    for path in paths if isinstance(paths, list) else ():
        yield from _modules(normpath(str(path)), name)


def _imports(tree: Tree, path: str) -> Iterator[str]:
    try:
        module = ast.parse(text(tree, path))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level + len(node.module or "") <= _LONGEST_NAME:
            names = ["." * node.level + (node.module or "")]
            names += [f"{names[0]}{'.' if node.module else ''}{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            for home in dict.fromkeys(("", dirname(path))):
                yield from _modules(home, name)


def _modules(home: str, name: str) -> Iterator[str]:
    """The files that a dotted name may be, the packages on its way included; each leading dot but one goes up."""
    if len(name) > _LONGEST_NAME:
        return
    bare = name.lstrip(".")
    path = normpath(join(home, *[".."] * (len(name) - len(bare) - 1)))
    for part in filter(None, bare.split(".")):
        work.spend(len(path) // 8 + 1)
        path = normpath(join(path, part))
        yield from (f"{path}.py", f"{path}/__init__.py")
