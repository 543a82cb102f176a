"""Starts pytest inside the container, before any code of the repository can; one file, standard library only.

As `python pytest_start.py ARGUMENTS` it takes the place of `python -m pytest` or `pytest`: it reads what it is told and
removes it, with the key in it, imports pytest and our plugin from where nothing of the working directory is found,
and only then makes `sys.path`, `sys.argv` and `PYTHONPATH` what the command would have made them. Where the command
could not be taken over, pytest loads this module by `-p`, and it does what is left to do.

`selection.json` beside it: {"node_ids": list or null, "seed": of a random order or null, "key": text, "program": the
script that the command names or null, "in_path": whether the command puts the working directory on the path, "path":
its PYTHONPATH or null}; with "observer", what `pytest_observer.py` is told, it is registered, too.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import re
import shutil
import sys
from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
PLUGIN = "regreen_" + HERE.name
OBSERVER = "regreen_observer_" + HERE.name
CHANGED = "REGREEN_INTERPRETER_CHANGED"
OWN_FINDERS = (BuiltinImporter, FrozenImporter, PathFinder)
# What pytest's versions import only when they need it; a package that is loaded finds its own modules.
LATE = (
    "attr", "colorama", "exceptiongroup", "importlib_metadata", "iniconfig", "packaging", "py", "pygments", "toml",
    "tomli", "tomllib", "typing_extensions", "zipp",
)  # fmt: skip


class Start:
    """The plugin that registers what does the work: its hook is the first that is called."""

    def __init__(self, plugin: Any, selection: dict[str, Any]) -> None:
        """`plugin` is our plugin's module; the key is in no frame afterwards."""
        self.parts: dict[str, Any] = {
            "regreen-selection": plugin.Selection(selection["node_ids"], maxfail=0),
            "regreen-recorder": plugin.Recorder(selection.pop("key").encode()),
        }
        if selection["seed"] is not None:
            self.parts["regreen-order"] = Order(selection["seed"])
        if "observer" in selection:
            self.parts["regreen-observer"] = importlib.import_module(OBSERVER).Observer(selection["observer"])

    def pytest_addoption(self, pluginmanager: Any) -> None:
        """Register them."""
        for name, part in self.parts.items():
            pluginmanager.register(part, name)
        self.parts.clear()


class Order:
    """Runs files in random order, classes within each, tests within those, so that what they share is set up once."""

    def __init__(self, seed: int) -> None:
        """The order depends on the seed, and on the order in which items come."""
        self.random = random.Random(seed)
        self.places: dict[Any, float] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Shuffle them, before whoever fixes the order of some."""
        items.sort(key=lambda item: [self.places.setdefault(node, self.random.random()) for node in item.listchain()])


def pytest_addoption(pluginmanager: Any) -> None:
    """Begin late, where pytest itself was started by somebody else."""
    selection = _told()
    _forget()
    Start(importlib.import_module(PLUGIN), selection).pytest_addoption(pluginmanager)


def main() -> int:
    """What the command would do, with our plugin."""
    selection = _told()
    script = selection["program"] and shutil.which(selection["program"])
    _as_interpreter_of(script)
    _forget()
    pytest, plugin = _imported()
    start = Start(plugin, selection)
    _disguise(script, selection)
    return int(pytest.main(sys.argv[1:], plugins=[start]))


def _told() -> dict[str, Any]:
    told: dict[str, Any] = json.loads((HERE / "selection.json").read_text(encoding="utf-8"))
    return told


def _forget() -> None:
    (HERE / "selection.json").unlink()


def _as_interpreter_of(script: str | None) -> None:
    """Go on in the interpreter that a script's first lines name, if that is another one."""
    changed = os.environ.pop(CHANGED, None)
    wanted = None if changed or script is None else _interpreter(Path(script).read_bytes()[:4096])
    if wanted is None or _place(wanted) == _place(sys.executable):
        return
    os.environ[CHANGED] = "1"
    os.execv(wanted, [wanted, __file__, *sys.argv[1:]])


def _interpreter(head: bytes) -> str | None:
    """The Python of a script that pip wrote, also where its path is too long for a first line."""
    lines = [line for line in head.splitlines()[:2] if line.startswith((b"#!", b"'''exec' "))]
    for line in reversed(lines):
        words = os.fsdecode(line.replace(b"#!", b"", 1).replace(b"'''exec' ", b"", 1)).replace('"', "").split()
        named = words[1:2] if words and words[0].endswith("/env") else words[:1]
        if named and re.fullmatch(r"(python|pypy)[\d.]*", named[0].rpartition("/")[2]):
            return shutil.which(named[0])
    return None


def _place(interpreter: str) -> tuple[str, str]:
    """An environment's interpreters are links: the same place and the same program are the same environment."""
    return os.path.dirname(os.path.abspath(interpreter)), os.path.realpath(interpreter)  # noqa: PTH100, PTH120 (links)


def _imported() -> tuple[Any, Any]:
    """Pytest, with what it imports later, and our plugin, found without the working directory.

    What lies there and is not installed elsewhere is pytest itself, or what it is made of: the suite is its own.
    """
    path, finders = list(sys.path), list(sys.meta_path)
    sys.path[:] = [str(HERE), *(place for place in path if not _is_inside(place))]
    sys.meta_path[:] = [finder for finder in finders if finder in OWN_FINDERS]
    try:
        found = _load()
    except ImportError:
        sys.path[:], sys.meta_path[:] = [*path, str(HERE)], finders
        found = _load()
    # importlib_metadata puts a finder of its own in place of the standard library's: without it nothing has metadata.
    sys.path[:], sys.meta_path[:] = path, [*finders, *(finder for finder in sys.meta_path if finder not in finders)]
    return found


def _load() -> tuple[Any, Any]:
    pytest = importlib.import_module("pytest")
    for name in importlib.import_module("_pytest.config").default_plugins:
        importlib.import_module("_pytest." + name)
    for name in LATE:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    if (HERE / (OBSERVER + ".py")).exists():
        importlib.import_module(OBSERVER)
    return pytest, importlib.import_module(PLUGIN)


def _is_inside(place: str) -> bool:
    root = os.path.realpath(Path.cwd())
    return (os.path.realpath(place) + os.sep).startswith(root + os.sep)


def _disguise(script: str | None, selection: dict[str, Any]) -> None:
    """Leave path, arguments, variables and main module as the command would have them."""
    spec = find_spec("pytest.__main__")
    isolated = getattr(sys.flags, "safe_path", False) or sys.flags.isolated
    first = str(Path.cwd()) if selection["in_path"] else os.path.dirname(os.path.realpath(script or sys.executable))  # noqa: PTH120
    added = [] if isolated else [first]
    os.environ.pop("PYTHONPATH", None)
    if selection["path"]:
        os.environ["PYTHONPATH"] = selection["path"]
        own = [] if sys.flags.ignore_environment else selection["path"].split(os.pathsep)
        added += [os.path.abspath(place) for place in own]  # noqa: PTH100 (as the interpreter does)
    rest = [place for place in sys.path if os.path.realpath(place) != str(HERE)]
    sys.path[:] = dict.fromkeys([*added, *rest])
    module = ModuleType("__main__")
    module.__spec__, module.__file__ = spec, spec.origin if spec else None
    # Processes that tests start anew begin with the main module: it must not be this one.
    sys.modules["__main__"] = module
    sys.argv[0] = str(script if script and not selection["in_path"] else module.__file__)
    if len(added) > 1 and "sitecustomize" not in sys.modules and find_spec("sitecustomize"):
        importlib.import_module("sitecustomize")


if __name__ == "__main__":
    sys.exit(main())
