"""Lock files: the tool that wrote one says, in a place of its own, what it pins, and pip installs exactly that.

The tool's own environment is outside /env, and the exported list outside the tree: neither is left behind.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sandbox.detect.python.pyproject import Table, load, table
from sandbox.spec import Tree

LIST = "/tmp/regreen-locked.txt"  # noqa: S108 - the container's own
TOOL = "/tmp/regreen-tool"  # noqa: S108 - likewise

Step = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lock:
    """One lock file: the packages of the tool that reads it, and the command that lists what it pins."""

    path: str
    packages: tuple[str, ...]
    export: Callable[[Sequence[str], Sequence[str]], Step]

    def steps(self, groups: Sequence[str], extras: Sequence[str]) -> tuple[Step, ...]:
        """Install the tool, list what is pinned, install that."""
        return (
            ("python3", "-m", "venv", TOOL),
            (f"{TOOL}/bin/python", "-m", "pip", "install", *self.packages),
            self.export(groups, extras),
            ("python", "-m", "pip", "install", "--no-deps", "-r", LIST),
        )


def _uv(groups: Sequence[str], extras: Sequence[str]) -> Step:
    chosen = [part for name in groups for part in ("--group", name)]
    chosen += [part for name in extras for part in ("--extra", name)]
    fixed = ("export", "--frozen", "--no-hashes", "--no-emit-project", "--no-python-downloads", "--python", "python3")
    return (f"{TOOL}/bin/uv", *fixed, *chosen, "--quiet", "-o", LIST)


def _poetry(groups: Sequence[str], extras: Sequence[str]) -> Step:
    chosen = [part for name in groups for part in ("--with", name)]
    chosen += [part for name in extras for part in ("--extras", name)]
    return (f"{TOOL}/bin/poetry", "export", "--without-hashes", *chosen, "-o", LIST)


def _pdm(groups: Sequence[str], extras: Sequence[str]) -> Step:
    chosen = [part for name in (*groups, *extras) for part in ("-G", name)]
    return (f"{TOOL}/bin/pdm", "export", "-f", "requirements", "--without-hashes", *chosen, "-o", LIST)


def _pipenv(groups: Sequence[str], extras: Sequence[str]) -> Step:
    del groups, extras
    return ("sh", "-c", f"{TOOL}/bin/pipenv requirements --dev > {LIST}")


_LOCKS = (
    Lock("uv.lock", ("uv",), _uv),
    Lock("poetry.lock", ("poetry", "poetry-plugin-export"), _poetry),
    Lock("pdm.lock", ("pdm",), _pdm),
    Lock("Pipfile.lock", ("pipenv",), _pipenv),
)


def find(tree: Tree) -> Lock | None:
    """The lock at the root, `None` where there is none."""
    return next((lock for lock in _LOCKS if lock.path in tree), None)


def groups(tree: Tree, lock: Lock) -> tuple[str, ...]:
    """The groups that this tool knows by name."""
    document = load(tree)
    known: list[Table] = [table(document, "dependency-groups")]
    if lock.path == "poetry.lock":
        known.append(table(document, "tool", "poetry", "group"))
        known += [{"dev": None}] if table(document, "tool", "poetry", "dev-dependencies") else []
    if lock.path == "pdm.lock":
        known.append(table(document, "tool", "pdm", "dev-dependencies"))
    return tuple(dict.fromkeys(name for one in known for name in one))
