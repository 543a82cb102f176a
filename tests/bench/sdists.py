"""Source distributions as trees, fetched with pip's own client and read without unpacking anything here."""

import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

from sandbox.spec import File, Tree

FETCHER = Path(__file__).with_name("fetch_sdist.py")
INTERPRETERS = (sys.executable, "python3")
SECONDS = 300.0
MAX_FILES = 20_000
MAX_BYTES = 256 << 20
EXECUTABLE = 0o111


@dataclass(frozen=True, slots=True)
class Sdist:
    """One of them; `file` is its archive's name, without the ending."""

    name: str
    file: str
    tree: Tree


def fetch(name: str, directory: Path) -> Sdist:
    """The newest one of a package. Raises `OSError`, `subprocess.SubprocessError`, `ValueError`."""
    path = _archive(name, directory)
    return Sdist(name, path.name.removesuffix(".tar.gz"), read(path))


def read(path: Path) -> Tree:
    """The regular files below the archive's one directory."""
    files: dict[str, File] = {}
    size = 0
    with tarfile.open(path) as archive:
        for member in archive:
            name = member.name.partition("/")[2]
            content = archive.extractfile(member) if member.isreg() and name else None
            if content is None or ".." in name.split("/"):
                continue
            size += member.size
            if size > MAX_BYTES or len(files) > MAX_FILES:
                message = f"{path.name} is too large"
                raise ValueError(message)
            files[name] = File(content.read(), 0o100755 if member.mode & EXECUTABLE else 0o100644)
    return files


def _archive(name: str, directory: Path) -> Path:
    kept = sorted(directory.glob(f"{name.replace('-', '_')}-*.tar.gz"))
    if kept:
        return kept[-1]
    for interpreter in INTERPRETERS:
        argv = [interpreter, "-P", str(FETCHER), name, str(directory)]
        done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=SECONDS, cwd=directory)
        if done.returncode == 0:
            return Path(done.stdout.splitlines()[-1])
    message = f"no source distribution of {name}: {done.stderr.strip().splitlines()[-1:]}"
    raise ValueError(message)
