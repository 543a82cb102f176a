"""Files of requirements: by convention, named after what they are for."""

from sandbox.detect.python.declared import Declared, words
from sandbox.spec import Tree

_MAX_DEPTH = 1
_NAMES = frozenset({"requirements", "requirement", "reqs"})
_PLAIN = "requirements.txt"
MAX_READ = 50


def everywhere(tree: Tree) -> tuple[str, ...]:
    """Every file of requirements near the root, sorted."""
    return tuple(
        sorted(
            path
            for path in tree
            if path.endswith((".txt", ".in")) and path.count("/") <= _MAX_DEPTH and words(path) & _NAMES
        )
    )


def read(tree: Tree) -> tuple[Declared, ...]:
    """Each of them but the plain one, named by its path."""
    return tuple(
        Declared(path, f"{path}:1", files=(path,))
        for path in everywhere(tree)
        if path != _PLAIN and path.endswith(".txt")
    )


def plain(tree: Tree) -> tuple[Declared, ...]:
    """The one without a qualifier: run-time requirements where nothing else declares them."""
    return (Declared("requirements", f"{_PLAIN}:1", files=(_PLAIN,)),) if _PLAIN in tree else ()
