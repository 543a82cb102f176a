"""A machine of one's own: a container of Debian in which the reader is root, as the guides to deployment have it.

Neither systemd nor an engine runs in it: `systemctl` and `docker-compose` there only say whether the units, and the
file, that they are given were put in place.
"""

import io
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docker
from documents import ROOT
from world_app import SUDO
from worlds import World

from sandbox.containers.engine import DockerEngine
from sandbox.environments.base import ensure_base

IMAGE = "regreen-base:bookworm"
CHECKOUT = "/srv/checkout"
SYSTEMCTL = """\
case "$1" in
daemon-reload) ;;
enable | restart) shift; [ "$1" != --now ] || shift
    for unit; do
        [ -f "/etc/systemd/system/$unit" ] || [ -f "/etc/systemd/system/$unit.service" ] || exit 5
    done ;;
*) exit 64 ;;
esac
"""
COMPOSE = '[ "$1 $3 $4" = "-f up -d" ] && [ -f "$2" ]\n'


@dataclass(frozen=True, slots=True)
class Machine(World):
    """Runs blocks in the container."""

    container: Any = None

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        """As root; `sudo` is there and changes nothing."""
        command = ["bash", "-euo", "pipefail", "-c", script]
        code, (out, err) = self.container.exec_run(command, workdir=CHECKOUT, demux=True)
        return subprocess.CompletedProcess(command, code, (out or b"").decode(), (err or b"").decode())


@contextmanager
def with_machine(home: Path, docker_host: str) -> Iterator[World]:
    """With a checkout's `deploy` in the directory, and beside it the App's key."""
    ensure_base(DockerEngine(docker_host), IMAGE, work_dir=home, log=print)
    client = docker.DockerClient(base_url=docker_host)
    container = client.containers.create(
        IMAGE, ["sleep", "infinity"], network_mode="none", labels={"regreen.test": "docs"}, init=True
    )
    try:
        container.put_archive("/", _files())
        container.start()
        yield Machine(home, container=container)
    finally:
        container.remove(force=True, v=True)
        client.close()


def _files() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.add(ROOT / "deploy", f"{CHECKOUT}/deploy")
        for path, text, mode in (
            (f"{CHECKOUT}/app.pem", "a key\n", 0o600),
            ("/usr/local/bin/sudo", f"#!/bin/sh\n{SUDO}", 0o755),
            ("/usr/local/bin/systemctl", f"#!/bin/sh\n{SYSTEMCTL}", 0o755),
            ("/usr/local/bin/docker-compose", f"#!/bin/sh\n{COMPOSE}", 0o755),
        ):
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(text), mode
            archive.addfile(member, io.BytesIO(text.encode()))
    return packed.getvalue()
