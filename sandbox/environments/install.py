"""The install phase: a recipe's steps in a container whose only way out is the egress proxy."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Protocol, Self

from sandbox.containers.archive import pack
from sandbox.containers.policy import CACHE, ENVIRONMENT
from sandbox.containers.stream import Sink
from sandbox.environments.caches import SHARE
from sandbox.environments.install_failure import failure, may_be_the_cache
from sandbox.environments.kept import Room
from sandbox.errors import CacheSuspectedError, EndedEarlyError, RuntimeUnfitError, TreeTooLargeError
from sandbox.network.egress import SOCKET_NAME, EgressProxy
from sandbox.network.origin import Origin
from sandbox.network.reach import TRUST, RegistryFor, Report, may_be_private, no_registry, no_report, reach
from sandbox.registries.registry import Registry
from sandbox.spec import MIB, File, Limits, Phase, Recipe, RunResult, RunSpec, Tree, Verdict

UNREACHABLE = 121
"""The exit code when no connection to the proxy's socket comes about, as sandbox/guest/install.py has it."""

_PORT = 3128
_PROXY = f"http://127.0.0.1:{_PORT}"
_CA_FILE = "/regreen/ca.pem"
_GUEST = Path(__file__).parents[1] / "guest"
_CLIENTS = (
    ("PIP_NO_INPUT", "1"),
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    ("PIP_PROGRESS_BAR", "off"),
    ("UV_NO_PROGRESS", "1"),
    ("UV_PYTHON_DOWNLOADS", "never"),
    ("npm_config_update_notifier", "false"),
    ("npm_config_fund", "false"),
    ("npm_config_audit", "false"),
    ("npm_config_progress", "false"),
    # A commit's tree has no tags to take a version from; this one satisfies what plugins ask of the project.
    ("SETUPTOOLS_SCM_PRETEND_VERSION", "9999.0"),
    ("PBR_VERSION", "9999.0"),
    ("PDM_BUILD_SCM_VERSION", "9999.0"),
    ("POETRY_DYNAMIC_VERSIONING_BYPASS", "9999.0"),
)
_PLACES = (
    ("PATH", f"{ENVIRONMENT}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ("HOME", "/tmp"),  # noqa: S108 - the container's own
)
_CACHES = (
    ("PIP_CACHE_DIR", f"{CACHE}/pip"),
    ("UV_CACHE_DIR", f"{CACHE}/uv"),
    # The cache is another file system than the environment, so its files cannot be linked into it.
    ("UV_LINK_MODE", "copy"),
    ("npm_config_cache", f"{CACHE}/npm"),
    ("GOCACHE", f"{CACHE}/go"),
)
_NO_CACHES = (("PIP_NO_CACHE_DIR", "1"), ("UV_NO_CACHE", "1"))

INSTALL_LIMITS = Limits(
    wall_seconds=900.0,
    memory=2048 * MIB,
    pids=512,
    scratch=1024 * MIB,
    results=2048 * MIB,
    output_total=64 * MIB,
    cache=512 * MIB,
)


class Engine(Protocol):
    """What installing takes of a `DockerEngine`; see there."""

    def install(self, spec: RunSpec, archive: Iterable[bytes], *, proxy_dir: Path, sink: Sink) -> RunResult:
        """Run the install phase, the tars of /env and /cache into `sink`."""
        ...


@dataclass(frozen=True, slots=True)
class InstallSettings:
    """What the install phase may reach and use, and what is kept of it.

    `registry_for` says what a toolchain's clients use; `allow` are the origins that the proxy opens besides, `private`
    the hosts among all that may resolve to addresses which are not public. `ca_bundle` are PEM bytes that clients trust
    in place of their own, `environment` variables for them; no secret may be among these. `report` gets what the proxy
    decided, each time. `fallback` is the runtime that installs where `runtime` cannot reach
    the proxy's socket, `None` for none.
    """

    allow: frozenset[Origin] = frozenset()
    private: frozenset[str] = frozenset()
    ca_bundle: bytes | None = None
    environment: tuple[tuple[str, str], ...] = ()
    limits: Limits = field(default=INSTALL_LIMITS)
    runtime: str | None = None
    fallback: str | None = None
    room: Room = field(default=Room())
    registry_for: RegistryFor = no_registry
    report: Report = no_report

    def without_cache(self) -> Self:
        """The same, without a package cache."""
        return replace(self, limits=replace(self.limits, cache=0))

    def fallen_back(self) -> Self:
        """The same, on the fallback runtime."""
        return replace(self, runtime=self.fallback, fallback=None)


@dataclass(frozen=True, slots=True)
class Installation:
    """One install of a tree's recipe over `base`."""

    engine: Engine
    settings: InstallSettings
    base: str
    tree: Tree
    recipe: Recipe

    def run(self, run_id: str, proxy_dir: Path, sink: Sink, cache: Iterator[bytes] | None = None) -> None:
        """Run the steps, with the members of a package cache; what they leave goes to `sink`.

        Raises `InstallFailedError`, as `CacheSuspectedError` when the cache may be why, `RuntimeUnfitError`, and what
        an engine does.
        """
        settings = self.settings
        registry = settings.registry_for(self.recipe.toolchain)
        spec = RunSpec(
            run_id=run_id,
            image=self.base,
            command=("python3", "-I", "/regreen/install.py", "/regreen/plan.json"),
            phase=Phase.INSTALL,
            limits=settings.limits,
            environment=environment(settings, self.recipe, registry),
            runtime=settings.runtime,
            collect=ENVIRONMENT,
        )
        archive = pack({"repo": self.tree, "regreen": _guest_files(self.recipe, settings)})
        private = may_be_private(registry, settings.allow, settings.private)
        with EgressProxy(proxy_dir, reach(registry, settings.allow, self.recipe), private) as proxy:
            try:
                result = self.engine.install(spec, chain(cache or (), archive), proxy_dir=proxy_dir, sink=sink)
            except (TreeTooLargeError, EndedEarlyError) as error:
                if cache is None:
                    raise
                raise CacheSuspectedError(error.cause, error.remedy) from error
            finally:
                settings.report(proxy.counted())
            refused, reached = proxy.refused(), proxy.reached
        if result.verdict is Verdict.EXITED and result.exit_code == 0:
            return
        # The connection is made before any code of the repository's runs, which could leave with this code too.
        if result.exit_code == UNREACHABLE and not reached:
            raise _unfit(settings.runtime)
        failed = failure(self.recipe, result, refused, settings.limits)
        if settings.limits.cache and may_be_the_cache(result, warm=cache is not None):
            raise CacheSuspectedError(
                failed.cause, failed.remedy, failed.unlisted, failed.private, failed.told
            ) from failed
        raise failed


def environment(settings: InstallSettings, recipe: Recipe, registry: Registry) -> tuple[tuple[str, str], ...]:
    """The steps' variables, later ones first in force: a recipe decides on its tools, never on where they connect."""
    proxies = [(name, _PROXY) for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")]
    trust = TRUST if settings.ca_bundle else ()
    caches = _CACHES if settings.limits.cache else _NO_CACHES
    ours = (*_PLACES, *proxies, *((name, _CA_FILE) for name in trust), *registry.environment, *settings.environment)
    return tuple(dict((*_CLIENTS, *caches, *recipe.environment, *ours)).items())


def _guest_files(recipe: Recipe, settings: InstallSettings) -> Tree:
    socket = f"/proxy/{SOCKET_NAME}"
    plan = {
        "socket": socket,
        "relay": ["/regreen/relay.py", str(_PORT), socket],
        "steps": recipe.install,
        "root": ENVIRONMENT,
        "cache": CACHE,
        "keep": settings.limits.cache // SHARE,
    }
    files = {name: File((_GUEST / name).read_bytes()) for name in ("install.py", "relay.py")}
    files["plan.json"] = File(json.dumps(plan).encode())
    if settings.ca_bundle:
        files["ca.pem"] = File(settings.ca_bundle)
    return files


def _unfit(runtime: str | None) -> RuntimeUnfitError:
    named = f"The runtime {runtime}" if runtime else "The engine's default runtime"
    return RuntimeUnfitError(
        f"{named} lets no container connect to the egress proxy's socket, so nothing can be installed",
        "For gVisor, put --host-uds=open (--fsgofer-host-uds in versions before 2023) among its runtimeArgs in the "
        "engine's configuration, or name another runtime to install with.",
    )
