"""The systemd units by their own words: who reaches the engine and the key, and when a worker is started anew."""

import http.server
import shutil
import subprocess
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

UNITS = Path(__file__).parents[2] / "deploy" / "systemd"
HOST, OWN, ROOTLESS = "/run/docker.sock", "/run/regreen-engine/docker.sock", "/run/user/10002/docker.sock"
CLOSED_TO_WORLD = {"/home", "/root", "/run/user"}
"""What ProtectHome=yes makes inaccessible."""


def unit(*names: str) -> dict[str, list[str]]:
    """The settings of a unit and the drop-ins beside it, as systemd reads them: an empty value takes back others."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in names:
        for line in (UNITS / name).read_text(encoding="utf-8").splitlines():
            key, equals, value = line.partition("=")
            if equals and not line.startswith("#"):
                if not value:
                    found[key].clear()
                found[key] += value.split() if key != "ExecStart" else [value]
    return found


def reaches(settings: dict[str, list[str]], path: str) -> bool:
    """Whether a service sees a path at all, whatever its mode is."""
    closed = {one.lstrip("-") for one in settings["InaccessiblePaths"]}
    closed |= CLOSED_TO_WORLD if settings["ProtectHome"][-1] in {"yes", "tmpfs"} else set()
    shown = set(settings["BindPaths"]) if settings["ProtectHome"][-1] == "tmpfs" else set()
    above = {str(place) for place in (Path(path), *Path(path).parents)}
    return not closed & above or bool(shown & above)


SERVER = unit("regreen-serve.service")
WORKERS = {
    "host": unit("regreen-worker.service"),
    "own": unit("regreen-worker.service", "regreen-worker-engine.conf"),
    "rootless": unit("regreen-worker.service", "regreen-worker-rootless.conf"),
}


@pytest.mark.parametrize(
    ("worker", "socket", "group"),
    [("host", HOST, ["docker"]), ("own", OWN, ["regreen-engine"]), ("rootless", ROOTLESS, [])],
)
def test_a_worker_reaches_its_engine_and_is_in_that_engines_group_alone(
    worker: str, socket: str, group: list[str]
) -> None:
    settings = WORKERS[worker]
    named = [one for one in settings["Environment"] if one.startswith("REGREEN_DOCKER_HOST=")]
    assert named == ([] if worker == "host" else [f"REGREEN_DOCKER_HOST=unix://{socket}"])
    assert reaches(settings, socket)
    assert settings["SupplementaryGroups"] == group


@pytest.mark.parametrize("place", ["/home/someone", "/root", "/run/user/0/bus"])
def test_a_rootless_worker_sees_no_other_users_files_for_it(place: str) -> None:
    assert not reaches(WORKERS["rootless"], place)


@pytest.mark.parametrize(
    "path", [HOST, OWN, ROOTLESS, "/etc/regreen/app.pem", "/etc/regreen/regreen.env", "/var/lib/regreen/app.pem"]
)
def test_the_server_reaches_neither_an_engine_nor_the_key(path: str) -> None:
    assert not reaches(SERVER, path)


def test_the_server_is_in_no_group_that_an_engines_socket_belongs_to() -> None:
    (started,) = unit("regreen-engine.service")["ExecStart"]
    words = started.split()
    assert words[words.index("--group") + 1] == "regreen-engine"
    assert SERVER["SupplementaryGroups"] == []
    assert SERVER["Group"] == ["regreen"]
    # another user namespace: the kernel lets nobody in one look into processes of the other, of the same user or not
    assert SERVER["PrivateUsers"] == ["yes"]


class Answering(http.server.BaseHTTPRequestHandler):
    """Says with its status what `status` is."""

    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status if self.path == "/healthz" else 404)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the standard library's name
        del format, args


@contextmanager
def answering(status: int) -> Iterator[int]:
    handler = type("Handler", (Answering,), {"status": status})
    with http.server.HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def restarts(port: int) -> bool:
    """Whether the look at a worker's health would restart a worker at this port."""
    lines = (UNITS / "regreen-worker-health.service").read_text(encoding="utf-8").splitlines()
    (condition,) = [line.partition("=")[2] for line in lines if line.startswith("ExecCondition=")]
    command = condition.removeprefix("/bin/sh -c '").removesuffix("'").replace("$$", "$").replace("%%", "%")
    assert command.count("127.0.0.1:8090") == 1
    command = command.replace("127.0.0.1:8090", f"127.0.0.1:{port}")
    return subprocess.run(["/bin/sh", "-c", command], check=False).returncode == 0


@pytest.mark.skipif(shutil.which("curl") is None, reason="There is no curl: apt-get install curl.")
def test_a_worker_is_restarted_where_a_loop_has_stopped_and_neither_when_all_is_well_nor_when_it_does_not_run() -> None:
    with answering(503) as port:
        assert restarts(port)
    assert not restarts(port)
    with answering(200) as port:
        assert not restarts(port)


def test_the_look_at_its_health_leaves_a_worker_alone_that_was_stopped() -> None:
    assert unit("regreen-worker-health.service")["ExecStart"] == [
        "/usr/bin/systemctl try-restart regreen-worker.service"
    ]
