"""The install phase: a recipe's steps in a container whose only way out is the egress proxy."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from sandbox.archive import pack
from sandbox.egress import SOCKET_NAME, EgressProxy
from sandbox.install_failure import failure
from sandbox.origin import Origin
from sandbox.reach import TRUST, RegistryFor, Report, no_registry, no_report, reach
from sandbox.registries.registry import Registry
from sandbox.spec import MIB, File, Limits, Phase, Recipe, RunResult, RunSpec, Tree, Verdict

ROOT = "/env"

_PORT = 3128
_PROXY = f"http://127.0.0.1:{_PORT}"
_CA_FILE = "/regreen/ca.pem"
_GUEST = Path(__file__).parent / "guest"
_CLIENTS = (
    ("PIP_NO_CACHE_DIR", "1"),
    ("PIP_NO_INPUT", "1"),
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    ("PIP_PROGRESS_BAR", "off"),
    ("UV_NO_PROGRESS", "1"),
    ("UV_PYTHON_DOWNLOADS", "never"),
    ("UV_LINK_MODE", "copy"),
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
    ("PATH", f"{ROOT}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ("HOME", "/tmp"),  # noqa: S108 - the container's own
)

INSTALL_LIMITS = Limits(
    wall_seconds=900.0, memory=2048 * MIB, pids=512, scratch=1024 * MIB, results=2048 * MIB, output_total=64 * MIB
)


class Engine(Protocol):
    """What installing takes of a `DockerEngine`; see there."""

    def install(self, spec: RunSpec, archive: Iterable[bytes], *, proxy_dir: Path, sink: BinaryIO) -> RunResult:
        """Run the install phase, the tar of /env into `sink`."""
        ...


@dataclass(frozen=True, slots=True)
class InstallSettings:
    """What the install phase may reach and use.

    `registry_for` says what a toolchain's clients use; `allow` are the origins that the proxy opens besides, `private`
    the hosts among all that may resolve to addresses which are not public. `ca_bundle` are PEM bytes that clients trust
    in place of their own, `environment` variables for them; no secret may be among these. `report` gets what the proxy
    decided.
    """

    allow: frozenset[Origin] = frozenset()
    private: frozenset[str] = frozenset()
    ca_bundle: bytes | None = None
    environment: tuple[tuple[str, str], ...] = ()
    limits: Limits = field(default=INSTALL_LIMITS)
    runtime: str | None = None
    registry_for: RegistryFor = no_registry
    report: Report = no_report


@dataclass(frozen=True, slots=True)
class Installation:
    """One install of a tree's recipe over `base`."""

    engine: Engine
    settings: InstallSettings
    base: str
    tree: Tree
    recipe: Recipe

    def run(self, run_id: str, proxy_dir: Path, sink: BinaryIO) -> None:
        """Run the steps; the tar of /env goes to `sink`. Raises `InstallFailedError`, and what an engine does."""
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
            collect=ROOT,
        )
        archive = pack({"repo": self.tree, "regreen": _guest_files(self.recipe, settings.ca_bundle)})
        with EgressProxy(proxy_dir, reach(registry, settings.allow, self.recipe), settings.private) as proxy:
            try:
                result = self.engine.install(spec, archive, proxy_dir=proxy_dir, sink=sink)
            finally:
                settings.report(proxy.counted())
            refused = proxy.refused()
        if result.verdict is not Verdict.EXITED or result.exit_code != 0:
            raise failure(self.recipe, result, refused, settings.limits)


def environment(settings: InstallSettings, recipe: Recipe, registry: Registry) -> tuple[tuple[str, str], ...]:
    """The steps' variables, later ones first in force: a recipe decides on its tools, never on where they connect."""
    proxies = [(name, _PROXY) for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")]
    trust = TRUST if settings.ca_bundle else ()
    ours = (*_PLACES, *proxies, *((name, _CA_FILE) for name in trust), *registry.environment, *settings.environment)
    return tuple(dict((*_CLIENTS, *recipe.environment, *ours)).items())


def _guest_files(recipe: Recipe, ca_bundle: bytes | None) -> Tree:
    plan = {
        "relay": ["/regreen/relay.py", str(_PORT), f"/proxy/{SOCKET_NAME}"],
        "steps": recipe.install,
        "root": ROOT,
    }
    files = {name: File((_GUEST / name).read_bytes()) for name in ("install.py", "relay.py")}
    files["plan.json"] = File(json.dumps(plan).encode())
    if ca_bundle:
        files["ca.pem"] = File(ca_bundle)
    return files
