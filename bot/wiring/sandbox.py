"""The sandbox of a worker or of a local command, built from the settings."""

import re
import secrets as randomness
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Protocol

import structlog

from bot.adapters.containment import Containment
from bot.adapters.environments import DockerEnvironments, Listed
from bot.adapters.trees import RecentTrees
from bot.adapters.workspace import DockerWorkspace
from bot.jobs import Job, job_id
from bot.pipeline.ports.job import Environments, Trees
from bot.repair.ports import Clock, Workspace
from bot.settings import Settings
from sandbox.containers.ahead import Ahead
from sandbox.containers.engine import DockerEngine
from sandbox.containers.owner import Owner
from sandbox.environments.caches import SHARE
from sandbox.environments.images import EnvironmentImages
from sandbox.environments.install import INSTALL_LIMITS, InstallSettings
from sandbox.environments.kept import GIB, Room
from sandbox.environments.toolchains import TOOLCHAINS, BaseImages
from sandbox.errors import SandboxError
from sandbox.network.origin import Origin
from sandbox.network.reach import RegistryFor, summary
from sandbox.reaper import Reaper
from sandbox.registries import Registries
from sandbox.registries.ask import InImage
from sandbox.spec import MIB, Egress, Limits

SANDBOX_LABEL = "regreen.sandbox"

_log = structlog.get_logger(__name__)

_CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----\n?")


class JobSandbox(Protocol):
    """What a job uses of a sandbox."""

    @property
    def workspace(self) -> Workspace:
        """What runs tests."""
        ...

    @property
    def environments(self) -> Environments:
        """What prepares for them."""
        ...

    def stop(self) -> None:
        """End at once what runs, and let nothing more begin. Raises `SandboxError`."""
        ...

    def close(self) -> None:
        """Say that no run follows."""
        ...


SandboxFor = Callable[[Settings, Trees, Callable[[str], str]], JobSandbox]
"""Makes the sandbox of one job."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What runs tests, and what prepares their environments. `mark` is the value of all its containers' own label."""

    workspace: DockerWorkspace
    environments: DockerEnvironments
    engine: DockerEngine
    ahead: Ahead
    mark: str

    def stop(self) -> None:
        """Remove every container of it, those that run, wait for a run or prepare an environment, and start no other.

        Raises `EngineUnavailableError`.
        """
        self.engine.close()
        self.ahead.close()
        self._sweep()

    def close(self) -> None:
        """Say that no run follows: what waits for one is gone after this, and the environments may be evicted.

        What an engine that fails keeps is the reaper's.
        """
        self.engine.close()
        if not self.ahead.close():
            with suppress(SandboxError):
                self._sweep()
        self.environments.release()

    def _sweep(self) -> None:
        self.engine.sweep(SANDBOX_LABEL, self.mark)


def build_sandbox(settings: Settings, trees: Trees, identify: Callable[[str], str] = str) -> Sandbox:
    """The sandbox over the configured engine; nothing is asked of it yet.

    `identify` turns a repository's name into what no other one ever has; a local path is that already.
    """
    running = settings.parallel_jobs * settings.parallel_runs
    mark = fresh()
    labels = {**_owner(settings.data_dir).labels, SANDBOX_LABEL: mark}
    engine = DockerEngine(settings.docker_host, running=running, labels=labels)
    ahead = Ahead(engine, bases=settings.parallel_jobs)
    recent = RecentTrees(trees)
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
        identify=identify,
    )
    listed = Listed(settings.allowed_hosts, settings.private_hosts)
    environments = DockerEnvironments(images, recent, seen, lambda line: _log.warning("environment", line=line), listed)
    workspace = DockerWorkspace(
        ahead,
        recent,
        environments.image,
        limits=Limits(
            wall_seconds=settings.suite_timeout, memory=settings.sandbox_memory_mib * MIB, cpus=settings.sandbox_cpus
        ),
        runtime=runtime,
        parallel=settings.parallel_runs,
        token=fresh,
        generated=images.generated,
    )
    return Sandbox(workspace, environments, engine, ahead, mark)


def fresh() -> str:
    """A word that nobody else has."""
    return randomness.token_hex(8)


def identity(settings: Settings, job: Job) -> str:
    """What tells a job's repository from every other for good; without an id, only the job's own work is shared."""
    return f"{settings.github_url}#{job.repository_id}" if job.repository_id else f"job {job_id(job)}"


def build_reaper(settings: Settings) -> Reaper:
    """What removes the remains of killed processes, and what takes more room than the settings allow."""
    engine = DockerEngine(settings.docker_host)
    return Reaper(engine, settings.data_dir, _room(settings), lambda line: _log.info("environment", line=line))


def remove_own(settings: Settings) -> int:
    """Remove every container of this process's jobs; returns how many. Raises `EngineUnavailableError`."""
    ((label, value),) = _owner(settings.data_dir).labels.items()
    return DockerEngine(settings.docker_host).sweep(label, value)


@cache
def _owner(data_dir: Path) -> Owner:
    """One for the whole process, which ends with it."""
    return Owner(data_dir)


def _room(settings: Settings) -> Room:
    return Room(round(settings.image_gib * GIB), round(settings.package_caches_gib * GIB))


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
        limits=replace(
            INSTALL_LIMITS, wall_seconds=settings.install_timeout, cache=SHARE * settings.package_cache_mib * MIB
        ),
        runtime=settings.sandbox_runtime or None,
        fallback=settings.install_runtime_fallback or None,
        room=_room(settings),
        registry_for=registry_for or Registries(),
    )


def _certificates(bundle: bytes) -> bytes:
    """A bundle's certificates: what else lies in such a file, a private key perhaps, is nothing for a container."""
    return b"".join(_CERTIFICATE.findall(bundle))
