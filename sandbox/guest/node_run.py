"""Runs a command of a Node project in the container; one standard-library file.

Run as `node_run.py COMMAND…` in the repository. The installation's packages lie read-only below /env/node; here each
directory of packages becomes a real one of links, so that tools may put their caches into it, and the links between the
packages of a workspace lead to the sources of this tree. Patterns among the arguments are resolved as a shell would.
"""

import os
import subprocess
import sys
from pathlib import Path

INSTALLED = Path("/env/node")
MODULES = "node_modules"


def link(source: Path, target: Path) -> None:
    """Link each package of a directory, those of a scope one by one; what is there stays."""
    target.mkdir(parents=True, exist_ok=True)
    for entry in sorted(source.iterdir()):
        place = target / entry.name
        if place.is_symlink() or (place.exists() and not entry.name.startswith("@")):
            continue
        if entry.is_symlink():
            place.symlink_to(entry.readlink())
        elif entry.name.startswith("@"):
            link(entry, place)
        else:
            place.symlink_to(entry)


def expanded(word: str) -> list[str]:
    """The files that a pattern means, the word itself where it is none."""
    if not any(letter in word for letter in "*?[") or word.startswith(("-", "/")):
        return [word]
    found = sorted(str(path) for path in Path().glob(word) if MODULES not in path.parts)
    return found or [word]


def main() -> int:
    """Link, then run; ends as the command did, with 1 for each code of a runner that counts its failures."""
    repository = Path.cwd()
    for folder, folders, _ in os.walk(INSTALLED):
        if MODULES in folders:
            link(Path(folder, MODULES), repository / Path(folder).relative_to(INSTALLED) / MODULES)
        folders[:] = [name for name in folders if name != MODULES]
    counts, words = sys.argv[1] == "--counts", sys.argv[2:]
    command = [words[0], *(found for word in words[1:] for found in expanded(word))]
    path = os.environ.get("PATH", os.defpath)
    environment = {**os.environ, "PATH": f"{repository / MODULES / '.bin'}:{path}", "CI": "true"}
    try:
        code = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, env=environment).returncode
    except OSError as error:
        print(error, flush=True)  # noqa: T201 - the log is read by people
        return 127
    if counts and code > 0:
        return 1
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
