"""A Postgres of our own on a free port of this machine, as long as a test session, without a trace afterwards."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SECONDS = 60
_DEBIAN = "/usr/lib/postgresql"


def programs() -> Path | None:
    """Where initdb and postgres are, `None` where this machine has none."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    versions = sorted(Path(_DEBIAN).glob("*/bin/initdb")) if Path(_DEBIAN).is_dir() else []
    return versions[-1].parent if versions else None


@contextmanager
def running(binaries: Path) -> Iterator[str]:
    """A fresh server; gives the address of its database."""
    # the server refuses to run as root
    who = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
    directory = Path(tempfile.mkdtemp(prefix="regreen-postgres-"))
    os.chown(directory, who.pw_uid, who.pw_gid)
    identity: dict[str, Any] = (
        {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
    )
    try:
        data = directory / "data"
        made = [
            str(binaries / "initdb"),
            "-D",
            str(data),
            "-U",
            "regreen",
            "-A",
            "trust",
            "-N",
            "-E",
            "UTF8",
            "--locale=C",
        ]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL, timeout=SECONDS, cwd=directory, **identity)
        port = _free_port()
        options = ["-h", "127.0.0.1", "-p", str(port), "-k", "", "-c", "fsync=off"]
        server = subprocess.Popen(
            [str(binaries / "postgres"), "-D", str(data), *options],
            stderr=subprocess.DEVNULL,
            cwd=directory,
            **identity,
        )
        try:
            _await(port, server)
            yield f"postgresql+psycopg://regreen@127.0.0.1:{port}/postgres"
        finally:
            server.terminate()
            server.wait(SECONDS)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await(port: int, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return
        except OSError:
            time.sleep(0.05)
    message = "Postgres did not start"
    raise RuntimeError(message)
