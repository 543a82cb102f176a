"""pyproject.toml: extras (PEP 621), dependency groups (PEP 735), and the tables of poetry, hatch, pdm and uv."""

import tomllib
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from sandbox.detect import work
from sandbox.detect.python.declared import MAX_ENTRIES, Declared, bounded, plain_requirements
from sandbox.detect.python.poetry import requirement
from sandbox.detect.reading import source, text
from sandbox.errors import DetectionError
from sandbox.spec import Tree

PATH = "pyproject.toml"
HATCH = "hatch.toml"

Table = Mapping[str, Any]

_MAX_INCLUDES = 50
_MAX_DOTS = 100
"""A line with more is a key so deep that parsing it takes time quadratic in its depth."""


def load(tree: Tree, path: str = PATH) -> Table:
    """The parsed file, empty where there is none. Raises `DetectionError` for a file that is no TOML, or an odd one."""
    return work.once(tree, ("toml", path), lambda: _loaded(tree, path))


def _loaded(tree: Tree, path: str) -> Table:
    content = text(tree, path)
    if any(line.count(".") > _MAX_DOTS for line in content.splitlines()):
        raise DetectionError(f"{path} has a line with more than {_MAX_DOTS} dots", "Shorten its key.")
    try:
        return tomllib.loads(content)
    except (ValueError, RecursionError) as error:
        raise DetectionError(f"{path} is no valid TOML: {error}", "Correct the file.") from error


def table(document: Table, *keys: str) -> Table:
    """A table at a path of keys, empty where there is none."""
    found: object = document
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def hatch(tree: Tree, key: str) -> tuple[Table, str, str]:
    """A table of hatch's configuration, its file, and how the header of a table in it begins; hatch.toml goes first."""
    if found := table(load(tree, HATCH), key):
        return found, HATCH, f"[{key}."
    return table(load(tree), "tool", "hatch", key), PATH, f"[tool.hatch.{key}."


def installable(tree: Tree) -> bool:
    """Whether pip can build the project from this file."""
    document = load(tree)
    poetry = table(document, "tool", "poetry")
    if poetry.get("package-mode") is False:
        return False
    return bool(document.get("build-system") or table(document, "project").get("name") or poetry.get("name"))


def read(tree: Tree) -> tuple[Declared, ...]:
    """Every named set of requirements in the file."""
    document, content = load(tree), text(tree, PATH)
    of_file = (_extras(document, content), _groups(document, content), _hatch(tree), _poetry(document, content))
    return bounded(chain.from_iterable(of_file), PATH)


def _extras(document: Table, content: str) -> Iterator[Declared]:
    for keys in (("project", "optional-dependencies"), ("tool", "poetry", "extras")):
        for name in table(document, *keys):
            yield Declared(name, source(PATH, content, f"[{'.'.join(keys)}]", name), extras=(name,))


def _groups(document: Table, content: str) -> Iterator[Declared]:
    groups = table(document, "dependency-groups")
    names = {_normal(name): name for name in groups}
    for name in groups:
        where = source(PATH, content, "[dependency-groups]", name)
        yield Declared(name, where, requirements=tuple(_expanded(groups, names, name, [])))
    for name, requirements in table(document, "tool", "pdm", "dev-dependencies").items():
        where = source(PATH, content, "[tool.pdm.dev-dependencies]", name)
        yield Declared(name, where, requirements=plain_requirements(requirements))
    if uv := plain_requirements(table(document, "tool", "uv").get("dev-dependencies")):
        yield Declared("dev", source(PATH, content, "[tool.uv]", "dev-dependencies"), requirements=uv)


def _hatch(tree: Tree) -> Iterator[Declared]:
    environments, path, header = hatch(tree, "envs")
    for name in environments:
        environment = table(environments, name)
        found = [*plain_requirements(environment.get("dependencies"))]
        found += plain_requirements(environment.get("extra-dependencies"))
        extras = plain_requirements(environment.get("features"))
        yield Declared(name, source(path, text(tree, path), f"{header}{name}]"), extras, tuple(found))


def _expanded(groups: Table, names: Mapping[str, str], name: str, seen: list[str]) -> Iterator[str]:
    """A dependency group's requirements with the groups that it includes; `names` finds them by their normal form."""
    if name in seen or len(seen) > _MAX_INCLUDES:
        return
    seen.append(name)
    entries = groups.get(name)
    if isinstance(entries, list) and len(entries) > MAX_ENTRIES:
        raise DetectionError(f"{PATH} has a group of more than {MAX_ENTRIES} entries", "Declare fewer.")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, Mapping):
            included = str(entry.get("include-group"))
            yield from _expanded(groups, names, names.get(_normal(included), included), seen)
        else:
            yield from plain_requirements([entry])


def _normal(name: str) -> str:
    """Names of groups are compared as names of packages are."""
    return name.lower().replace("_", "-").replace(".", "-")


def _poetry(document: Table, content: str) -> Iterator[Declared]:
    for name in table(document, "tool", "poetry", "group"):
        entries = table(document, "tool", "poetry", "group", name, "dependencies")
        where = source(PATH, content, f"[tool.poetry.group.{name}.dependencies]")
        yield Declared(name, where, requirements=_requirements(entries))
    if old := table(document, "tool", "poetry", "dev-dependencies"):
        where = source(PATH, content, "[tool.poetry.dev-dependencies]")
        yield Declared("dev", where, requirements=_requirements(old))


def _requirements(entries: Table) -> tuple[str, ...]:
    return tuple(requirement(name, value) for name, value in entries.items() if name != "python")
