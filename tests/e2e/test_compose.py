"""The compose files, started for real with what this machine has: the server and a worker answer, and end in order."""

import json
import os
import secrets
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from fakes_github_site import key_pair
from payloads import labeled, signed
from product_image import ROOT, build, packed

from bot.demo import compose

OWNER = 10002
SECRET = "a secret of at least sixteen characters"
TOKEN = "a-token-of-more-than-sixteen-characters"
PASSWORD = "a/pass:word@of-the-database"
POSTGRES_IMAGE = Path(__file__).parent / "postgres_image"

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(1200)]


@dataclass(frozen=True, slots=True)
class Stack:
    """One compose file under a project's name of its own."""

    file: str
    variables: Mapping[str, str]
    project: str

    def __call__(self, *arguments: str) -> str:
        command = [*(compose.command() or ()), "-p", self.project, "-f", str(ROOT / "deploy" / self.file), *arguments]
        done = subprocess.run(
            command, env={**os.environ, **self.variables}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def get(self, service: str, path: str) -> httpx.Response:
        port = self.variables["REGREEN_PUBLISHED_PORT" if service == "serve" else "REGREEN_PUBLISHED_WORKER_PORT"]
        # where a server listens beyond loopback, as in a container, its metrics are the operator's
        headers = {"Authorization": f"Bearer {TOKEN}"}
        return httpx.get(f"http://127.0.0.1:{port}{path}", headers=headers, timeout=20)

    def wait_until_ready(self, service: str) -> dict[str, Any]:
        """The answer of /readyz as soon as nothing is wrong."""
        deadline = time.monotonic() + 120
        said = ""
        while time.monotonic() < deadline:
            try:
                answer = self.get(service, "/readyz")
            except httpx.HTTPError as error:
                said = repr(error)
            else:
                if answer.status_code == httpx.codes.OK:
                    found: dict[str, Any] = answer.json()
                    return found
                said = answer.text
            time.sleep(0.5)
        pytest.fail(f"{service}: {said}\n{self('logs', '--no-color', '--tail=30')}")

    def wait_until_said(self, service: str, words: str) -> None:
        """Until a service's log has these words: here GitHub cannot be reached, so a delivery is put off."""
        deadline = time.monotonic() + 120
        while words not in self("logs", "--no-color", service):
            assert time.monotonic() < deadline, self("logs", "--no-color", "--tail=30", service)
            time.sleep(1.0)


def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return str(taken.getsockname()[1])


@pytest.fixture
def prepared(image: str, tmp_path: Path, docker_host: str) -> dict[str, str]:
    """The files that the deployment guide has people make, and the variables that name them."""
    if compose.command() is None:
        reason = "There is no docker-compose: apt-get install docker-compose."
        (pytest.fail if os.environ.get(compose.NEED.require) else pytest.skip)(reason)
    if not docker_host.startswith("unix://"):
        pytest.skip("The compose files mount the engine's socket, and this engine has none.")
    data, key, environment = tmp_path / "data", tmp_path / "app.pem", tmp_path / "regreen.env"
    data.mkdir(mode=0o700)
    key.write_text(key_pair()[0])
    key.chmod(0o600)
    for owned in (data, key):
        os.chown(owned, OWNER, OWNER)
    address = f"postgresql://regreen:{quote(PASSWORD, safe='')}@postgres/regreen".replace("-", "%2D")
    lines = {
        "REGREEN_APP_ID": "1",
        "REGREEN_WEBHOOK_SECRETS": SECRET,
        "REGREEN_OPERATOR_TOKEN": TOKEN,
        "REGREEN_GITHUB_API_URL": "http://127.0.0.1:9",
        "REGREEN_DATABASE_URL": address,
    }
    environment.write_text("".join(f"{name}={value}\n" for name, value in lines.items()))
    (tmp_path / "password").write_text(PASSWORD)
    engine = docker_host.removeprefix("unix://")
    return {
        "DOCKER_HOST": docker_host,
        "REGREEN_IMAGE": image,
        "REGREEN_ENV_FILE": str(environment),
        "REGREEN_DATA": str(data),
        "REGREEN_KEY": str(key),
        "REGREEN_ENGINE_SOCKET": engine,
        "REGREEN_ENGINE_GROUP": str(Path(engine).stat().st_gid),
        "REGREEN_PUBLISHED_PORT": free_port(),
        "REGREEN_PUBLISHED_WORKER_PORT": free_port(),
        "REGREEN_POSTGRES_PASSWORD_FILE": str(tmp_path / "password"),
    }


@pytest.fixture
def postgres_image(client: Any, base_image: str) -> Iterator[str]:
    tag = f"regreen-postgres-test:{os.getpid()}"
    yield build(client, tag, packed(lambda archive: archive.add(POSTGRES_IMAGE, ".")), {"BASE_IMAGE": base_image})
    client.images.remove(tag, force=True)


@pytest.fixture
def sqlite(prepared: dict[str, str]) -> Iterator[Stack]:
    path = Path(prepared["REGREEN_ENV_FILE"])
    path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if "DATABASE" not in line))
    yield from running(Stack("compose.yaml", prepared, f"regreentest{secrets.token_hex(4)}"))


@pytest.fixture
def postgres(prepared: dict[str, str], postgres_image: str) -> Iterator[Stack]:
    variables = prepared | {"REGREEN_POSTGRES_IMAGE": postgres_image}
    yield from running(Stack("compose.postgres.yaml", variables, f"regreentest{secrets.token_hex(4)}"))


def running(stack: Stack) -> Iterator[Stack]:
    try:
        stack("up", "-d")
        yield stack
    finally:
        stack("down", "--volumes", "--timeout", "30")


def holds(stack: Stack, client: Any) -> None:
    """Of either file: all checks hold, a delivery gets from the server to the worker, both end in order."""
    assert set(stack.wait_until_ready("serve")["checks"].values()) == {"ok"}
    checks = stack.wait_until_ready("worker")["checks"]
    assert checks == dict.fromkeys(("work", "loops", "engine", "database", "disk", "queue"), "ok")
    body = json.dumps(labeled()).encode()
    port = stack.variables["REGREEN_PUBLISHED_PORT"]
    answer = httpx.post(f"http://127.0.0.1:{port}/webhook", content=body, headers=signed(body, SECRET), timeout=20)
    assert (answer.status_code, answer.json()) == (202, {"outcome": "accepted"})
    counted = 'regreen_webhook_deliveries_total{event="issues",outcome="accepted"} 1.0'
    assert counted in stack.get("serve", "/metrics").text
    stack.wait_until_said("worker", '"delivery": "d-1"')
    stack("stop")
    found = client.containers.list(all=True, filters={"label": f"com.docker.compose.project={stack.project}"})
    ended = {one.labels["com.docker.compose.service"]: one for one in found}
    assert {name: ended[name].attrs["State"]["ExitCode"] for name in ("serve", "worker")} == {"serve": 0, "worker": 0}
    assert PASSWORD not in stack("logs", "--no-color")
    for name in ("serve", "worker"):
        configuration = ended[name].attrs["HostConfig"]
        assert configuration["ReadonlyRootfs"]
        assert configuration["CapDrop"] == ["ALL"]
        assert not configuration["Privileged"]


def test_one_machine_with_sqlite_starts_takes_a_delivery_and_ends(sqlite: Stack, client: Any) -> None:
    holds(sqlite, client)


def test_postgres_and_a_worker_start_take_a_delivery_and_end(postgres: Stack, client: Any) -> None:
    holds(postgres, client)
