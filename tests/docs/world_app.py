"""A stand-in for GitHub with an App, and, where they are not to be started, a server and a worker with a run done."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pages.staging import MAINTAINER, REPAIRED, Staging, staged
from worlds import World, program

from bot.adapters.store import SqlRuns, connect
from bot.demo.processes import free_port
from bot.demo.stage import connection, write_keys
from bot.demo.stand_in import StandIn
from bot.demo.state import AppConfig
from bot.wiring import database_url

RUN_SECONDS = 240.0
JOURNAL = """\
[ "$*" = "-u regreen-worker -o cat" ] || exit 64
exec cat {log}
"""
# As docker-compose 1.29 prints them: a line of its own, and a name before each of the container's.
COMPOSE = """\
[ "$*" = "-f deploy/compose.yaml logs --no-color worker" ] || exit 64
echo "Attaching to deploy_worker_1"
sed "s/^/worker_1  | /" {log}
"""
SUDO = 'exec "$@"\n'


@contextmanager
def with_app(home: Path) -> Iterator[World]:
    """Its run has the id that the guides give as `acme/api:issue-7:6b0f…`; systemd's and compose's logs are files."""
    port = free_port()
    with staged(home, port) as running:
        running.state.add_label(REPAIRED, 1, "regreen", by=MAINTAINER)
        identity = _done(running)
        log = running.directory / "worker.log"
        program(home, "journalctl", JOURNAL.format(log=log))
        program(home, "docker-compose", COMPOSE.format(log=log))
        program(home, "sudo", SUDO)
        here = {
            "127.0.0.1:8080": running.server.removeprefix("http://"),
            "127.0.0.1:8090": f"127.0.0.1:{port}",
            "acme/api:issue-7:6b0f…": identity,
            '"6b0f…"': json.dumps(identity.rpartition(":")[2]),
        }
        yield World(home, _settings(running.environment), here)


@contextmanager
def with_github(home: Path) -> Iterator[World]:
    """The App and its settings alone, as `regreen setup` leaves them."""
    ports = {f"127.0.0.1:{usual}": f"127.0.0.1:{free_port()}" for usual in (8080, 8090)}
    server, worker = ports.values()
    write_keys(home)
    (home / "github").mkdir()
    with StandIn(AppConfig((home / "app.pub").read_text()), directory=home / "github") as stand_in:
        variables = connection(home, stand_in.base_url, f"http://{server}")
        stand_in.hook(f"http://{server}/webhook", variables["REGREEN_WEBHOOK_SECRETS"])
        yield World(home, variables | {"REGREEN_WORKER_PORT": worker.rpartition(":")[2]}, ports)


def _settings(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(("REGREEN_", "OPENAI_"))}


def _done(running: Staging) -> str:
    """The id of the run that a label began, once it has ended."""
    database = connect(database_url(running.settings))
    try:
        runs = SqlRuns(database)
        deadline = time.monotonic() + RUN_SECONDS
        while time.monotonic() < deadline:
            for one in runs.recent(1):
                if one.outcome is not None:
                    return one.identity
            running.processes.check()
            time.sleep(0.5)
    finally:
        database.dispose()
    message = f"No run ended within {RUN_SECONDS:.0f} s; the logs are in {running.directory}"
    raise TimeoutError(message)
