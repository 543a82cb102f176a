"""package.json: what of it counts here, and where it stands."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from sandbox.detect.reading import MAX_SIZE, source, text
from sandbox.errors import DetectionError
from sandbox.spec import Tree

PATH = "package.json"
_TABLES = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_MAX_ENTRIES = 5000
MAX_ENGINE = 200


@dataclass(frozen=True, slots=True)
class Manifest:
    """`wanted` are packages of every kind by name, `scripts` the lines that npm runs, `manager` as `pnpm@8.6.0`.

    `engine` is the range of Node's versions that the project takes.
    """

    wanted: Mapping[str, str] = field(default_factory=dict)
    scripts: Mapping[str, str] = field(default_factory=dict)
    manager: str = ""
    workspaces: bool = False
    content: str = ""
    engine: str = ""

    def line(self, *keys: str) -> str:
        """`file:line` of a key."""
        return source(PATH, self.content, *(f'"{key}"' for key in keys))


def read(tree: Tree) -> Manifest:
    """The tree's, empty where there is none. Raises `DetectionError` for one that cannot be read."""
    # JSON's parser takes linear time, so a long line harms nobody.
    content = text(tree, PATH, line=MAX_SIZE)
    try:
        values = json.loads(content or "{}")
    except (ValueError, RecursionError) as error:
        raise DetectionError(f"{PATH} is no valid JSON: {str(error)[:200]}", "Correct the file.") from error
    if not isinstance(values, dict):
        raise DetectionError(f"{PATH} holds no object", "Correct the file.")
    wanted: dict[str, str] = {}
    for name in _TABLES:
        wanted |= _texts(values.get(name))
    manager = values.get("packageManager")
    return Manifest(
        wanted,
        _texts(values.get("scripts")),
        manager[:100] if isinstance(manager, str) else "",
        bool(values.get("workspaces")),
        content,
        _texts(values.get("engines")).get("node", "")[:MAX_ENGINE],
    )


def _texts(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    if len(value) > _MAX_ENTRIES:
        raise DetectionError(f"{PATH} has a table of more than {_MAX_ENTRIES} entries", "Declare fewer.")
    return {key: entry for key, entry in value.items() if isinstance(entry, str)}
