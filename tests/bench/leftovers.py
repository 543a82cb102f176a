"""What a worker could leave behind on a machine: counted before, and again after."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from docker import APIClient

_LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class Leftovers:
    """What an engine held at one moment, by id."""

    docker_host: str
    containers: frozenset[str]
    dangling: frozenset[str]
    volumes: frozenset[str]

    @classmethod
    def now(cls, docker_host: str) -> Self:
        """Ask the engine."""
        client = APIClient(docker_host, version="auto")
        try:
            return cls(
                docker_host,
                frozenset(one["Id"] for one in client.containers(all=True)),
                frozenset(one["Id"] for one in client.images(filters={"dangling": True})),
                frozenset(one["Name"] for one in client.volumes()["Volumes"] or ()),
            )
        finally:
            client.close()

    def new(self, data_dir: Path) -> list[str]:
        """What is there now and was not, a line each: on the engine, below `data_dir`, and among the processes."""
        after = Leftovers.now(self.docker_host)
        return [
            *(f"container {one[:12]}" for one in sorted(after.containers - self.containers)),
            *(f"unnamed image {one[7:19]}" for one in sorted(after.dangling - self.dangling)),
            *(f"volume {one[:12]}" for one in sorted(after.volumes - self.volumes)),
            *(f"directory {path}" for path in _work_directories(data_dir)),
            *(f"process {line}" for line in _processes(str(data_dir))),
        ]


def _work_directories(data_dir: Path) -> Iterator[Path]:
    """What only a build that is under way has: a directory with its key's name, beside its lock."""
    for path in sorted((data_dir / "environments").glob("*")):
        if path.is_dir() or path.suffix not in {_LOCK, ""}:
            yield path


def _processes(mentioned: str) -> Iterator[str]:
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = command.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if any(mentioned in word for word in words):
            yield f"{command.parent.name} {' '.join(words)[:200]}"
