"""What is repaired: the demo's sample repository, and a published package with a suite of some ten seconds."""

import hashlib
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bot.demo import samples

PACKAGE = "more-itertools==10.7.0"
ARCHIVE_SHA256 = "9fddd5403be01a94b204faadcff459ec3568cf110265d3c54323e1e866ad29d3"
OWNER = "bench"


class InvalidMeasurementError(Exception):
    """There is no figure to report; the text says why."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A repository with one wrong line. `tree` is red; with `right` in place of `wrong` in `path` it is green."""

    name: str
    tree: Mapping[str, bytes] = field(repr=False)
    path: str
    wrong: str
    right: str
    title: str
    body: str

    def __post_init__(self) -> None:
        """Refuse a line that is not there exactly once."""
        if self.tree[self.path].decode().splitlines().count(self.wrong) != 1:
            raise InvalidMeasurementError(f"{self.name}: the line to repair is not in {self.path} exactly once")

    @property
    def repository(self) -> str:
        """Its name on the stand-in."""
        return f"{OWNER}/{self.name}"

    @property
    def fixed(self) -> dict[str, bytes]:
        """The green tree."""
        return {**self.tree, self.path: _replaced(self.tree[self.path], self.wrong, self.right)}

    @property
    def reply(self) -> str:
        """What a model would answer that sees the fault at once."""
        return (
            "The comparison is off by one at the boundary.\n\n"
            f"{self.path}\n<<<<<<< SEARCH\n{self.wrong}\n=======\n{self.right}\n>>>>>>> REPLACE\n"
        )


def sample() -> Subject:
    """The repository of the demo's first scene."""
    found = samples.from_issue()
    return Subject(
        "sample",
        found.broken,
        "roomwise/spans.py",
        "    if cursor <= within.end:",
        "    if cursor < within.end:",
        found.title,
        found.body,
    )


def real(directory: Path) -> Subject:
    """The package's source distribution as published, but for one line. Downloads it into `directory`."""
    path, right = "more_itertools/more.py", "        reached_size = item_len + batch_size > max_size"
    wrong = right.replace(" > ", " >= ")
    tree = _unpacked(_downloaded(directory))
    return Subject(
        "real",
        {**tree, path: _replaced(tree[path], right, wrong)},
        path,
        wrong,
        right,
        "constrained_batches begins a new batch too early",
        "Items whose sizes add up to exactly max_size should share one batch, and now they are split in two.\n",
    )


def _downloaded(directory: Path) -> Path:
    command = [sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps"]
    done = subprocess.run(
        [*command, "--dest", str(directory), PACKAGE], capture_output=True, text=True, check=False, timeout=600
    )
    archives = sorted(directory.glob("*.tar.gz"))
    if done.returncode or len(archives) != 1:
        raise InvalidMeasurementError(f"pip could not download {PACKAGE}: {done.stderr.strip()[-500:]}")
    if hashlib.sha256(archives[0].read_bytes()).hexdigest() != ARCHIVE_SHA256:
        raise InvalidMeasurementError(f"{archives[0].name} is not the archive that this benchmark was made for")
    return archives[0]


def _unpacked(archive: Path) -> dict[str, bytes]:
    found = {}
    with tarfile.open(archive, "r:gz") as tar:
        for member in tar:
            source = tar.extractfile(member) if member.isreg() else None
            if source is not None:
                found[member.name.partition("/")[2]] = source.read()
    return found


def _replaced(content: bytes, old: str, new: str) -> bytes:
    return content.replace(f"{old}\n".encode(), f"{new}\n".encode())
