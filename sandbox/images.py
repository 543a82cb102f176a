"""Environment images: a repository's dependencies, installed once for each content of what decides them."""

import errno
import fcntl
import hashlib
import json
import os
import shlex
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from sandbox.archive import pack
from sandbox.decisions import Refusals
from sandbox.egress import SOCKET_NAME, EgressProxy
from sandbox.errors import DiskFullError, ImageMissingError, InstallFailedError
from sandbox.layer import sanitise
from sandbox.origin import Origin
from sandbox.spec import MIB, File, Limits, Phase, Recipe, RunResult, RunSpec, Tree, Verdict

REPOSITORY_NAME = "regreen-env"
FIRST_STEP = 64
"""The exit code of a failed first step, as sandbox/guest/install.py has it."""

_LAYOUT_VERSION = 1
"""Part of every key: raise it when the way an environment is built changes."""

_PACKAGE_DEPTH = 2
_PORT = 3128
_LOG_LINES = 30
_LOG_LINE = 500
_LOG = 4000
_STEP = 500
_SOURCE = 500
_REFUSED = 2500
_ROOT = "/env"
_CA_FILE = "/regreen/ca.pem"
_CLIENTS = (
    ("PATH", f"{_ROOT}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ("HOME", "/tmp"),  # noqa: S108 - the container's own
    ("PIP_NO_CACHE_DIR", "1"),
    ("PIP_NO_INPUT", "1"),
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    ("PIP_PROGRESS_BAR", "off"),
    # A commit's tree has no tags to take a version from; this one satisfies what plugins ask of the project.
    ("SETUPTOOLS_SCM_PRETEND_VERSION", "9999.0"),
    ("PBR_VERSION", "9999.0"),
    ("PDM_BUILD_SCM_VERSION", "9999.0"),
    ("POETRY_DYNAMIC_VERSIONING_BYPASS", "9999.0"),
)
_VERDICTS = {
    Verdict.TIMEOUT: "took too long",
    Verdict.OUTPUT_LIMIT: "flooded its output",
    Verdict.RESULT_LIMIT: "left an environment that is too large",
    Verdict.OOM: "ran out of memory",
}
_GUEST = Path(__file__).parent / "guest"
_PROXY = f"http://127.0.0.1:{_PORT}"

INSTALL_LIMITS = Limits(
    wall_seconds=900.0, memory=2048 * MIB, pids=512, scratch=1024 * MIB, results=2048 * MIB, output_total=64 * MIB
)


BaseFor = Callable[[str, Recipe], str]
"""Repository and recipe → the base image's reference, as `sandbox.toolchains.BaseImages`."""


class Engine(Protocol):
    """What building an image takes of a `DockerEngine`; see there."""

    def image(self, reference: str) -> str | None:
        """The content id of a local image."""
        ...

    def install(self, spec: RunSpec, archive: Iterable[bytes], *, proxy_dir: Path, sink: BinaryIO) -> RunResult:
        """Run the install phase, the tar of /env into `sink`."""
        ...

    def layer(self, base: str, archive: BinaryIO, reference: str, labels: Mapping[str, str]) -> str:
        """Put a tar over an image."""
        ...


@dataclass(frozen=True, slots=True)
class InstallSettings:
    """What the install phase may reach and use.

    `allow` are the origins that the proxy opens, `private` the hosts among them that may resolve to addresses which
    are not public, `ca_bundle` PEM bytes that clients trust in place of their own, `environment` variables for the
    package clients; no secret may be among them.
    """

    allow: frozenset[Origin] = frozenset()
    private: frozenset[str] = frozenset()
    ca_bundle: bytes | None = None
    environment: tuple[tuple[str, str], ...] = ()
    limits: Limits = field(default=INSTALL_LIMITS)
    runtime: str | None = None


def environment_key(base_id: str, repository: str, tree: Tree, recipe: Recipe) -> str:
    """What an environment is named by: 32 hexadecimal digits over everything that decides its content."""
    inputs = {path: hashlib.sha256(tree[path].data).hexdigest() for path in recipe.inputs if path in tree}
    # An editable install may list the packages that it found, so a new one needs a new environment.
    packages = sorted(path for path in tree if path.endswith("/__init__.py") and path.count("/") <= _PACKAGE_DEPTH)
    parts = [_LAYOUT_VERSION, base_id, repository.lower(), recipe.ecosystem, recipe.install, inputs, packages]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


class EnvironmentImages:
    """Builds environment images on one engine; several processes may share `data_dir`, one at a time builds a key."""

    def __init__(
        self,
        engine: Engine,
        base_for: BaseFor,
        settings: InstallSettings,
        *,
        data_dir: Path,
        log: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`base_for` says which base image a recipe runs in; `log` gets a line about each piece of work."""
        self._engine = engine
        self._base_for = base_for
        self._settings = settings
        # The engine takes a relative path for the name of a volume.
        self._directory = (data_dir / "environments").absolute()
        self._log = log

    def reference(self, repository: str, tree: Tree, recipe: Recipe) -> str:
        """The image's reference, whether it is there or not; the base image's for a recipe that installs nothing.

        Raises `ImageMissingError` when the base image is not here, `EngineUnavailableError`.
        """
        base = self._base_for(repository, recipe)
        if not recipe.install:
            return base
        base_id = self._engine.image(base)
        if base_id is None:
            raise ImageMissingError(f"The sandbox base image {base} is not here", "Pull or build it first.")
        return f"{REPOSITORY_NAME}:{environment_key(base_id, repository, tree, recipe)}"

    def ensure(self, repository: str, tree: Tree, recipe: Recipe) -> str:
        """The reference of an image with the recipe's environment at /env, built unless it is there.

        Raises `InstallFailedError` with the failed step, the log's last lines and the refused hosts,
        `ImageMissingError`, `TreeTooLargeError`, `DiskFullError`, `EngineUnavailableError`.
        """
        reference = self.reference(repository, tree, recipe)
        if self._engine.image(reference) is not None:
            return reference
        key = reference.rpartition(":")[2]
        with _room_needed(), _locked(self._directory / f"{key}.lock"):
            if self._engine.image(reference) is None:
                labels = {"regreen.env": "1", "regreen.repository": repository, "regreen.key": key}
                self._build(reference, tree, recipe, labels)
        return reference

    def _build(self, reference: str, tree: Tree, recipe: Recipe, labels: Mapping[str, str]) -> None:
        base = self._base_for(labels["regreen.repository"], recipe)
        work = self._directory / labels["regreen.key"]
        # A process that was killed here leaves its directory; we hold the lock, so nobody uses it.
        shutil.rmtree(work, ignore_errors=True)
        proxy_dir = work / "proxy"
        proxy_dir.mkdir(parents=True)
        try:
            self._log(f"Setting up the environment of {labels['regreen.repository']}: {recipe.source}")
            with (work / "raw.tar").open("w+b") as raw, (work / "env.tar").open("w+b") as clean:
                self._install(base, tree, recipe, proxy_dir, raw)
                raw.seek(0)
                sanitise(raw, clean, self._settings.limits)
                clean.seek(0)
                self._engine.layer(base, clean, reference, labels)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def _install(self, base: str, tree: Tree, recipe: Recipe, proxy_dir: Path, raw: BinaryIO) -> None:
        settings = self._settings
        spec = RunSpec(
            run_id=f"env-{proxy_dir.parent.name}",
            image=base,
            command=("python3", "-I", "/regreen/install.py", "/regreen/plan.json"),
            phase=Phase.INSTALL,
            limits=settings.limits,
            environment=_environment(settings),
            runtime=settings.runtime,
            collect=_ROOT,
        )
        archive = pack({"repo": tree, "regreen": _guest_files(recipe, settings.ca_bundle)})
        with EgressProxy(proxy_dir, settings.allow, settings.private) as proxy:
            result = self._engine.install(spec, archive, proxy_dir=proxy_dir, sink=raw)
            refused = proxy.refused()
        if result.verdict is not Verdict.EXITED or result.exit_code != 0:
            raise _failure(recipe, result, refused, settings.limits)


def _environment(settings: InstallSettings) -> tuple[tuple[str, str], ...]:
    proxies = [(name, _PROXY) for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")]
    trust = ("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE") if settings.ca_bundle else ()
    return (*proxies, *((name, _CA_FILE) for name in trust), *_CLIENTS, *settings.environment)


def _guest_files(recipe: Recipe, ca_bundle: bytes | None) -> Tree:
    plan = {
        "relay": ["/regreen/relay.py", str(_PORT), f"/proxy/{SOCKET_NAME}"],
        "steps": recipe.install,
        "root": _ROOT,
    }
    files = {name: File((_GUEST / name).read_bytes()) for name in ("install.py", "relay.py")}
    files["plan.json"] = File(json.dumps(plan).encode())
    if ca_bundle:
        files["ca.pem"] = File(ca_bundle)
    return files


def _failure(recipe: Recipe, result: RunResult, refused: Refusals, limits: Limits) -> InstallFailedError:
    step = (result.exit_code or 0) - FIRST_STEP
    where = shlex.join(recipe.install[step]) if 0 <= step < len(recipe.install) else "the set-up"
    output = result.output.decode("utf-8", "replace")
    full = os.strerror(errno.ENOSPC) in output
    how = _VERDICTS.get(result.verdict) or ("ran out of room" if full else "failed")
    log = "\n".join(line[:_LOG_LINE] for line in output.rstrip().splitlines()[-_LOG_LINES:])[-_LOG:]
    hosts = f"\nHosts that the sandbox refused: {', '.join(refused.shown)[:_REFUSED]}" if refused.shown else ""
    remedy = f"Correct what is declared ({recipe.source[:_SOURCE]})."
    if refused.unlisted or refused.private:
        remedy = "If the repository needs them, add them to the allowed hosts, private ones to the private hosts too."
    elif full or result.verdict is Verdict.RESULT_LIMIT:
        remedy = (
            f"Install less for the tests: there are {limits.results // MIB} MiB for the environment and "
            f"{limits.scratch // MIB} MiB for temporary files."
        )
    cause = f"`{where[:_STEP]}` {how}{hosts}\nThe log's last lines:\n{log}"
    return InstallFailedError(cause, remedy, refused.unlisted, refused.private)


@contextmanager
def _room_needed() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        raise DiskFullError(
            "The data directory has no room for building an environment", "Free space in the data directory."
        ) from error


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock that the kernel releases when this process ends, however it ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
