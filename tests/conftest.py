"""Fixtures for tests on a real container engine. Without one they fail, unless `-m "not engine"` leaves them out."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox.base import ensure_base
from sandbox.engine import DockerEngine
from sandbox.errors import SandboxError

BASE_IMAGE = "regreen-base:bookworm"


@pytest.fixture(scope="session")
def docker_host() -> str:
    """Where the engine answers; the preparation of `make test` names it."""
    return os.environ.get("REGREEN_DOCKER_HOST") or os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"


@pytest.fixture(scope="session")
def engine(docker_host: str) -> DockerEngine:
    """The engine, known to answer."""
    engine = DockerEngine(docker_host)
    try:
        engine.ping()
    except SandboxError as error:
        pytest.fail(f"{error} Run `make test`, which prepares an engine, or leave these out: -m 'not engine'.")
    return engine


@pytest.fixture(scope="session")
def base_image(engine: DockerEngine, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The reference of the sandbox's base image, built now if `make base` did not."""
    ensure_base(engine, BASE_IMAGE, work_dir=tmp_path_factory.mktemp("base"), log=print)
    return BASE_IMAGE


@pytest.fixture
def run_label(engine: DockerEngine) -> Iterator[Callable[[], str]]:
    """Gives run ids whose containers are swept when the test ends."""
    given: list[str] = []

    def fresh() -> str:
        given.append(f"test-{os.getpid()}-{os.urandom(6).hex()}")
        return given[-1]

    yield fresh
    for run_id in given:
        engine.sweep("regreen.run", run_id)


@pytest.fixture(scope="session")
def ca_bundle() -> Path | None:
    """The CA bundle that this machine's clients trust, where one is configured or the distribution has one."""
    for name in ("REGREEN_CA_BUNDLE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
        if os.environ.get(name):
            return Path(os.environ[name])
    bundle = Path("/etc/ssl/certs/ca-certificates.crt")
    return bundle if bundle.is_file() else None
