"""The sandbox of a worker or of a local command, built from the settings."""

import secrets as randomness
from dataclasses import dataclass

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
from sandbox.registries import pip_registry
from sandbox.spec import MIB, Limits
from sandbox.toolchains import BaseImages

_log = structlog.get_logger(__name__)


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

    images = EnvironmentImages(
        engine,
        BaseImages(settings.base_images),
        install_settings(settings),
        data_dir=settings.data_dir,
        log=lambda line: _log.info("environment", line=line),
    )
    environments = DockerEnvironments(images, recent)
    workspace = DockerWorkspace(
        engine,
        recent,
        environments.image,
        limits=Limits(
            wall_seconds=settings.suite_timeout, memory=settings.sandbox_memory_mib * MIB, cpus=settings.sandbox_cpus
        ),
        runtime=settings.sandbox_runtime or None,
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


def install_settings(settings: Settings) -> InstallSettings:
    """What the install phase may reach: the package clients' own registries, and what the operator lists."""
    registry = pip_registry()
    listed = {Origin.parse(f"https://{host}") for host in settings.allowed_hosts}
    bundle = settings.ca_bundle
    return InstallSettings(
        allow=registry.origins | listed,
        private=frozenset(settings.private_hosts),
        ca_bundle=bundle.read_bytes() if bundle and bundle.is_file() else None,
        environment=registry.environment,
        limits=Limits(
            wall_seconds=settings.install_timeout,
            memory=2048 * MIB,
            pids=512,
            scratch=1024 * MIB,
            results=2048 * MIB,
            output_total=64 * MIB,
        ),
        runtime=settings.sandbox_runtime or None,
    )
