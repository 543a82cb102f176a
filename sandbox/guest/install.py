"""Runs a recipe's install steps in the container, behind the relay; one standard-library file.

Run as `install.py PLAN`, a JSON file with `socket` (the proxy's), `relay` (its argv after the interpreter), `steps`
(argv lists), `root`, the environment's directory, `cache`, that of the package cache, and `keep`, the bytes that are
kept of it. Ends with 0, with `FIRST_STEP` plus the index of the step that failed, or, before any, with `UNREACHABLE`.
"""

import contextlib
import json
import os
import re
import shlex
import shutil
import socket
import stat
import subprocess
import sys
from pathlib import Path

FIRST_STEP = 64
LAST_CODE = 120
UNREACHABLE = 121
BLOCK = 4096
MOST_FILES = 500
MOST_BYTES = 64 << 20
MOST_LETTERS = 64 << 10  # all paths become one label of an image
LEFT_OUT = (
    ".git",
    "__pycache__",
    "node_modules",
    ".egg-info",
    ".eggs",
    ".tox",
    ".nox",
    ".venv",
    "venv",
    "_cache",
    "build",
    "dist",
    "target",
)
TESTS = re.compile(
    r"(^|/)(conftest\.py|test_[^/]*|[^/]*_test\.py|tests\.py|sitecustomize\.py|usercustomize\.py|\.?pytest\.ini|"
    r"tox\.ini|setup\.cfg|pyproject\.toml|[^/]*\.pth|[^/]*\.pyc)$"
)
MODULE = re.compile(r"([^/.]+)(/__init__)?(\.[^/]*)?\.(py|so)\Z")
INSTALLED = re.compile(r"([^/.]+)((\.[^/]*)?\.(py|so))?\Z")
TIMEOUT = 15.0


def reach(path: str) -> bool:
    """Whether the proxy's socket takes a connection: not every runtime passes one on to the host."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(TIMEOUT)
        try:
            probe.connect(path)
            probe.shutdown(socket.SHUT_WR)
            probe.recv(1)  # the end, once the proxy has seen that somebody came
        except OSError as error:
            print(f"no connection to the egress proxy: {error}", flush=True)  # noqa: T201 - the log is read by people
            return False
    return True


def start_relay(argv: list[str]) -> "subprocess.Popen[str]":
    """Start the relay and wait until it listens."""
    relay = subprocess.Popen([sys.executable, "-I", *argv], stdout=subprocess.PIPE, text=True)
    if relay.stdout is None or relay.stdout.readline().strip() != "listening":
        sys.exit("the relay to the egress proxy did not start")
    return relay


def run_steps(steps: list[list[str]]) -> int:
    """Run the steps until one fails."""
    for index, step in enumerate(steps):
        print(f"$ {shlex.join(step)}", flush=True)  # noqa: T201 - the log is read by people
        try:
            code = subprocess.run(step, check=False, stdin=subprocess.DEVNULL).returncode
        except OSError as error:
            print(error, flush=True)  # noqa: T201 - likewise
            code = 1
        if code:
            return min(FIRST_STEP + index, LAST_CODE)
    return 0


def keep_metadata(tree: Path, environment: Path) -> None:
    """Copy the metadata that an old-fashioned editable install left in the tree, which the test phase gets afresh."""
    for site in environment.glob("lib/python*/site-packages"):
        for link in sorted(site.glob("*.egg-link")):
            source = Path(link.read_text(encoding="utf-8").splitlines()[0])
            for metadata in source.glob("*.egg-info"):
                if tree in metadata.parents and metadata.is_dir():
                    shutil.copytree(metadata, site / metadata.name, dirs_exist_ok=True)


def installed(entry: str) -> str:
    """The module that an entry of site-packages is, empty for none."""
    found = INSTALLED.match(entry)
    return found.group(1) if found else ""


def module(name: str) -> str:
    """The module at the tree's root that a path would be imported as, empty for none."""
    found = MODULE.match(name)
    return found.group(1) if found else ""


def admitted(name: str) -> bool:
    """Whether a file that the steps made may lie under the tree of a run; the host asks this again.

    Nothing that decides which tests run, or how, may; nor what would take the place of a module of Python's own.
    """
    directories = name.split("/")[:-1]
    standard = getattr(sys, "stdlib_module_names", ())  # Python 3.9 has none
    return not (TESTS.search(name) or any(one.endswith(LEFT_OUT) for one in directories) or module(name) in standard)


def fits(count: int, letters: int, size: int) -> bool:
    """Whether so many files, with so many letters in their paths, may be kept; the host asks this again."""
    return count <= MOST_FILES and letters <= MOST_LETTERS and size <= MOST_BYTES


def regular(tree: Path) -> "set[str]":
    """Every regular file below the tree; directories of tools left out."""
    found: set[str] = set()
    for directory, directories, names in os.walk(tree):
        directories[:] = [name for name in directories if not name.endswith(LEFT_OUT)]
        for name in names:
            path = Path(directory, name)
            if stat.S_ISREG(path.lstat().st_mode):
                found.add(str(path.relative_to(tree)))
    return found


def keep_generated(tree: Path, before: "set[str]", environment: Path) -> None:
    """Copy the files that the steps made in the tree, such as versions and extension modules: a test run needs them.

    Only those that are admitted, and that take no installed module's place; nothing where there is too much.
    """
    kept = environment / ".regreen" / "tree"
    taken = {installed(path.name) for path in environment.glob("lib/python*/site-packages/*")}
    made = [name for name in sorted(regular(tree) - before) if admitted(name) and (module(name) or ".") not in taken]
    if not fits(len(made), sum(map(len, made)), sum((tree / name).stat().st_size for name in made)):
        print("the install left too many files in the tree to be kept", flush=True)  # noqa: T201 - as above
        return
    for name in made:
        (kept / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(tree / name, kept / name)


def listing(cache: Path) -> "dict[str, tuple[int, int]]":
    """Size and time of every file in a package cache."""
    found = ((path, path.lstat()) for path in cache.rglob("*"))
    return {
        str(path): (status.st_size, int(status.st_mtime)) for path, status in found if not stat.S_ISDIR(status.st_mode)
    }


def trim(cache: Path, keep: int, before: "dict[str, tuple[int, int]]") -> None:
    """Empty a package cache that is too large to be kept, or as it was: sending it out would take time for nothing."""
    now = listing(cache)
    if now == before or sum(BLOCK + size + -size % BLOCK for size, _ in now.values()) > keep:
        for path in cache.iterdir():
            shutil.rmtree(path, ignore_errors=True)
            with contextlib.suppress(OSError):
                path.unlink()


def main() -> int:
    """Run the plan."""
    plan = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    if not reach(plan["socket"]):
        return UNREACHABLE
    relay = start_relay(plan["relay"])
    try:
        before, cached = regular(Path.cwd()), listing(Path(plan["cache"]))
        code = run_steps(plan["steps"])
        if not code:
            keep_generated(Path.cwd(), before, Path(plan["root"]))
            keep_metadata(Path.cwd(), Path(plan["root"]))
            if plan["keep"]:
                trim(Path(plan["cache"]), plan["keep"], cached)
        return code
    finally:
        relay.kill()


if __name__ == "__main__":
    sys.exit(main())
