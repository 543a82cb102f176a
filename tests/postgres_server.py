"""A Postgres of our own on a free port of this machine, as long as a test session, without a trace afterwards."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bot.demo.postgres import programs

REQUIRE = "REGREEN_REQUIRE_POSTGRES"
SECONDS = 60
CONNECTIONS = 200
_WITHOUT_SYNC = ("-c", "fsync=off", "-c", "full_page_writes=off")


@dataclass
class Cluster:
    """A server and its directory; `stop` and `start` it as a test needs. `durable` says that commits are on disk."""

    binaries: Path
    directory: Path
    port: int
    durable: bool = False
    _server: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.directory / "log"

    def url(self, database: str = "postgres") -> str:
        """The address of one of its databases, for SQLAlchemy."""
        return f"postgresql+psycopg://regreen@127.0.0.1:{self.port}/{database}"

    def create(self, name: str = "") -> str:
        """The address of a new, empty database, of a name of its own where none is given."""
        name = name or f"test_{os.urandom(6).hex()}"
        self._do(f'CREATE DATABASE "{name}"')
        return self.url(name)

    def drop(self, url: str) -> None:
        """Remove a database, whoever still uses it."""
        self._do(f'DROP DATABASE IF EXISTS "{url.rpartition("/")[2]}" WITH (FORCE)')

    def start(self) -> None:
        """Start the server, and wait until it answers. Raises `RuntimeError`."""
        options = ["-h", "127.0.0.1", "-p", str(self.port), "-k", "", "-c", f"max_connections={CONNECTIONS}"]
        options += () if self.durable else _WITHOUT_SYNC
        with self.log.open("ab") as sink:
            self._server = subprocess.Popen(
                [str(self.binaries / "postgres"), "-D", str(self.directory / "data"), *options],
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                cwd=self.directory,
                start_new_session=True,
                **_identity(),
            )
        deadline = time.monotonic() + SECONDS
        while not self._answers():
            if self._server.poll() is not None or time.monotonic() > deadline:
                message = f"Postgres did not start:\n{self.log.read_text(errors='replace')[-2000:]}"
                raise RuntimeError(message)
            time.sleep(0.05)

    def stop(self, *, crash: bool = False) -> None:
        """End the server with everybody's connections; a `crash` leaves it to recover at the next start."""
        if self._server is not None:
            self._server.send_signal(signal.SIGQUIT if crash else signal.SIGINT)
            self._server.wait(SECONDS)
            self._server = None

    def _answers(self) -> bool:
        try:
            self._do("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def _do(self, statement: str) -> None:
        address = {"host": "127.0.0.1", "port": self.port, "user": "regreen", "dbname": "postgres"}
        with closing(psycopg.connect(**address, autocommit=True, connect_timeout=SECONDS)) as connection:  # type: ignore[arg-type]  # psycopg's own names
            connection.execute(statement.encode())


@contextmanager
def running(binaries: Path, *, durable: bool = False) -> Iterator[Cluster]:
    """A fresh server."""
    # the server refuses to run as root
    who = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
    directory = Path(tempfile.mkdtemp(prefix="regreen-postgres-"))
    os.chown(directory, who.pw_uid, who.pw_gid)
    cluster = Cluster(binaries, directory, free_port(), durable)
    data = ("-D", str(directory / "data"))
    made = [str(binaries / "initdb"), *data, "-U", "regreen", "-A", "trust", "-N", "-E", "UTF8", "--locale=C"]
    try:
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL, timeout=SECONDS, cwd=directory, **_identity())
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(directory, ignore_errors=True)


def required() -> Path:
    """Where the programs are. Without them a test is skipped, or fails where REGREEN_REQUIRE_POSTGRES is set."""
    found = programs()
    if found is None:
        reason = "There is no Postgres on this machine: `make test` installs it, or says what to do."
        # CI shows what many workers do, so there a missing one is a failure
        (pytest.fail if os.environ.get(REQUIRE) else pytest.skip)(reason)
    return found


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _identity() -> dict[str, Any]:
    if os.geteuid() != 0:
        return {}
    who = pwd.getpwnam("nobody")
    return {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}
