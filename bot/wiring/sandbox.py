"""The sandbox of a worker or of a local command, built from the settings."""

import re
import secrets as randomness
from dataclasses import dataclass, replace

import structlog

from bot.adapters.containment import Containment
from bot.adapters.environments import DockerEnvironments
from bot.adapters.trees import RecentTrees
from bot.adapters.workspace import DockerWorkspace
from bot.pipeline.ports import Trees
from bot.repair.ports import Clock
from bot.settings import Settings
from sandbox.engine import DockerEngine
from sandbox.images import EnvironmentImages
from sandbox.install import InstallSettings
from sandbox.origin import Origin
from sandbox.policy import RUN_LABEL
from sandbox.reach import RegistryFor, summary
from sandbox.registries import Registries
from sandbox.registries.ask import InImage
from sandbox.spec import MIB, Egress, Limits
from sandbox.toolchains import TOOLCHAINS, BaseImages

_log = structlog.get_logger(__name__)

_CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----\n?")


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What runs tests, and what prepares their environments. `given` are the run ids handed out so far."""

    workspace: DockerWorkspace
    environments: DockerEnvironments
    engine: DockerEngine
    given: list[str]

    def stop(self) -> None:
        """Remove the containers of every run so far, those that run included."""
        for run_id in tuple(self.given):
            self.engine.sweep(RUN_LABEL, run_id)


def build_sandbox(settings: Settings, trees: Trees) -> Sandbox:
    """The sandbox over the configured engine; nothing is asked of it yet."""
    engine = DockerEngine(settings.docker_host)
    recent = RecentTrees(trees)
    given: list[str] = []

    def fresh() -> str:
        given.append(randomness.token_hex(8))
        return given[-1]

    base_images = BaseImages(settings.base_images)
    runtime = settings.sandbox_runtime or None
    in_image = {
        toolchain: InImage(engine, base_images.of_toolchain(toolchain), fresh(), runtime) for toolchain in TOOLCHAINS
    }
    seen: list[Egress] = []

    def report(decisions: tuple[Egress, ...]) -> None:
        seen.extend(decisions)
        if line := summary(decisions):
            _log.info("environment_egress", line=line)

    images = EnvironmentImages(
        engine,
        base_images,
        replace(install_settings(settings, Registries(in_image)), report=report),
        data_dir=settings.data_dir,
        log=lambda line: _log.info("environment", line=line),
    )
    environments = DockerEnvironments(images, recent, seen, lambda line: _log.warning("environment", line=line))
    workspace = DockerWorkspace(
        engine,
        recent,
        environments.image,
        limits=Limits(
            wall_seconds=settings.suite_timeout, memory=settings.sandbox_memory_mib * MIB, cpus=settings.sandbox_cpus
        ),
        runtime=runtime,
        parallel=settings.parallel_runs,
        token=fresh,
    )
    return Sandbox(workspace, environments, engine, given)


def build_containment(settings: Settings, clock: Clock, runtime: str) -> Containment:
    """What tries the limits of a runtime, empty for the engine's default; nothing is asked of the engine yet."""
    return Containment(
        DockerEngine(settings.docker_host),
        BaseImages(settings.base_images).of_toolchain("python"),
        runtime or None,
        settings.data_dir / "limits.json",
        clock,
    )


def install_settings(settings: Settings, registry_for: RegistryFor | None = None) -> InstallSettings:
    """What the install phase may reach: the package clients' own registries, and what the operator lists."""
    listed = {Origin.parse(f"https://{host}") for host in settings.allowed_hosts}
    bundle = settings.ca_bundle
    return InstallSettings(
        allow=frozenset(listed),
        private=frozenset(settings.private_hosts),
        ca_bundle=_certificates(bundle.read_bytes()) if bundle and bundle.is_file() else None,
        limits=Limits(
            wall_seconds=settings.install_timeout,
            memory=2048 * MIB,
            pids=512,
            scratch=1024 * MIB,
            results=2048 * MIB,
            output_total=64 * MIB,
        ),
        runtime=settings.sandbox_runtime or None,
        registry_for=registry_for or Registries(),
    )


def _certificates(bundle: bytes) -> bytes:
    """A bundle's certificates: what else lies in such a file, a private key perhaps, is nothing for a container."""
    return b"".join(_CERTIFICATE.findall(bundle))
