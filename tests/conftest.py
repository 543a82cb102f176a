"""Fixtures for tests on a real container engine. Without one they fail, unless `-m "not engine"` leaves them out."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import postgres_server
import pytest
from hypothesis import settings as property_settings
from suite_image import build_suite_image

from bot.demo import network
from bot.settings import Settings
from sandbox.containers.engine import DockerEngine
from sandbox.environments.base import ensure_base
from sandbox.environments.toolchains import TOOLCHAINS
from sandbox.errors import SandboxError

if TYPE_CHECKING:
    from bot.pipeline.ports.job import Trees
    from bot.wiring.sandbox import Sandbox

BASE_IMAGE = "regreen-base:bookworm"
GVISOR = "runsc"

# How long an example takes says something about the machine only.
property_settings.register_profile("no-deadline", deadline=None)
property_settings.load_profile("no-deadline")


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


@pytest.fixture(scope="session", params=[None, GVISOR], ids=["runc", GVISOR])
def runtime(request: pytest.FixtureRequest, engine: DockerEngine) -> str | None:
    """Each OCI runtime in turn, as `RunSpec.runtime` names it: the engine's default runc, then gVisor."""
    name: str | None = request.param
    if name is not None and name not in engine.ping().runtimes:
        reason = f"The engine does not know the runtime {name}: `make test` installs it, or says what to do."
        # CI shows containment on both runtimes, so there a missing one is a failure
        (pytest.fail if os.environ.get("REGREEN_REQUIRE_GVISOR") else pytest.skip)(reason)
    return name


@pytest.fixture(scope="session")
def base_image(engine: DockerEngine, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The reference of the sandbox's base image, built now if `make base` did not."""
    ensure_base(engine, BASE_IMAGE, work_dir=tmp_path_factory.mktemp("base"), log=print)
    return BASE_IMAGE


@pytest.fixture(scope="session")
def toolchain_image(engine: DockerEngine, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Gives the reference of a toolchain's base image, built now if `make test` did not."""

    def get(name: str) -> str:
        toolchain, work_dir = TOOLCHAINS[name], tmp_path_factory.mktemp("base")
        ensure_base(engine, toolchain.reference, work_dir=work_dir, log=print, toolchain=toolchain)
        return toolchain.reference

    return get


@pytest.fixture(scope="session")
def postgres_cluster() -> Iterator[postgres_server.Cluster]:
    """A Postgres server of this session; who stops it starts it again."""
    with postgres_server.running(postgres_server.required()) as cluster:
        yield cluster


@pytest.fixture
def postgres(postgres_cluster: postgres_server.Cluster) -> Iterator[str]:
    """The address of an empty Postgres database, for this test alone."""
    url = postgres_cluster.create()
    yield url
    postgres_cluster.drop(url)


@pytest.fixture(scope="session")
def suite_image(engine: DockerEngine, base_image: str) -> Iterator[str]:
    """The reference of an environment image with the pytest that runs these tests."""
    reference = f"regreen-test-suite:{os.getpid()}"
    build_suite_image(engine, base_image, reference)
    yield reference
    engine.remove_image(reference)


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


@pytest.fixture
def engine_sandbox(
    base_image: str, docker_host: str, ca_bundle: Path | None, tmp_path: Path
) -> "Callable[[Trees], Sandbox]":
    """Builds the real sandbox, workspace and environments, over any trees; registries are reached as the demo does."""
    from bot.wiring.sandbox import build_sandbox  # noqa: PLC0415 - most tests need none of it

    private = network.private_hosts(network.registry_hosts())
    settings = Settings(
        data_dir=tmp_path / "data",
        sandbox_base_image=base_image,
        docker_host=docker_host,
        ca_bundle=ca_bundle,
        private_hosts=tuple(private),
    )
    return lambda trees: build_sandbox(settings, trees)


@pytest.fixture
def demo_environ(base_image: str, docker_host: str, ca_bundle: Path | None, tmp_path: Path) -> dict[str, str]:
    """The variables of this machine, without a model: what it takes to reach the engine and the package registry."""
    found = {name: value for name, value in os.environ.items() if not name.startswith(("REGREEN_", "OPENAI_"))}
    found |= {
        "REGREEN_DATA_DIR": str(tmp_path),
        "REGREEN_DOCKER_HOST": docker_host,
        "REGREEN_SANDBOX_BASE_IMAGE": base_image,
        "REGREEN_PRIVATE_HOSTS": ",".join(network.private_hosts(network.registry_hosts())),
    }
    return found | ({"REGREEN_CA_BUNDLE": str(ca_bundle)} if ca_bundle else {})
