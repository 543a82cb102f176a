"""`regreen doctor`: whether this machine, its engine, the settings, the App and the models are fit for work."""

import shutil
import ssl
import tempfile
from collections.abc import Iterator

from bot import wiring
from bot.adapters.containment import Containment
from bot.adapters.github.tokens import InstallationTokens
from bot.commands.checks import Check, Report, State
from bot.commands.doctor_models import models, named
from bot.commands.doctor_registries import registries
from bot.commands.doctor_site import Site
from bot.errors import SET_UP, ConfigurationError
from bot.progress import Progress
from bot.settings import Settings, named_alike
from bot.variables import unknown
from bot.wiring.jobs import SystemClock
from bot.wiring.sandbox import build_containment
from sandbox.containers.engine import EngineFacts
from sandbox.directories import make_private
from sandbox.errors import SandboxError
from sandbox.mirrors import registry_hosts

ROOM = 2 << 30
"""Free bytes that mirrors, logs and artifacts of some days need."""


def doctor(settings: Settings, runtime: str | None, progress: Progress, *, offline: bool) -> Report:
    """Check this machine, the settings and, unless `offline`, GitHub and the model servers.

    `runtime` is looked at instead of the configured one, when it is given. It changes nothing but the record of the
    limits that held. Without an App it is not good, since server and worker cannot start, unless `offline`: that is
    for a machine that repairs local repositories only.
    """
    name = settings.sandbox_runtime if runtime is None else runtime
    with progress.doing("trying the limits of the sandbox"):
        machine = _machine(settings, build_containment(settings, SystemClock(), name))
    with progress.doing("asking package registries, GitHub and model servers" if not offline else "reading settings"):
        return Report((*machine, *_decided(settings, asks=not offline, needed=not offline)))


def examine(settings: Settings, containment: Containment, *, offline: bool) -> Report:
    """The part that asks no network, over what tries the limits."""
    return Report((*_machine(settings, containment), *_decided(settings, asks=False, needed=not offline)))


def _machine(settings: Settings, containment: Containment) -> tuple[Check, ...]:
    return (*_engine(settings, containment), *_directory(settings))


def _decided(settings: Settings, *, asks: bool, needed: bool) -> Iterator[Check]:
    """Subject by subject: what the settings say of it, then, where somebody may be asked, how it is."""
    yield from _installs(settings)
    if asks:
        yield registries(settings, registry_hosts())
    yield from _github(settings, needed=needed)
    if asks:
        yield from _site(settings)
    yield from named(settings)
    if asks:
        yield from models(settings)
    for one in unknown(named_alike()):
        yield Check("no such setting", State.BROKEN, one.name, one.remedy)


def _engine(settings: Settings, containment: Containment) -> Iterator[Check]:
    try:
        facts = containment.engine.ping()
        yield Check("engine", State.HOLDS, f"{facts.version}, API {facts.api_version}, at {settings.docker_host}")
        yield _runtime(facts, containment)
        yield from _images(settings, containment)
        for probe in containment.probes():
            yield Check(f"limit: {probe.name}", _state(good=probe.holds), probe.seen, probe.remedy)
    except (SandboxError, ConfigurationError) as error:
        yield Check("limits", State.BROKEN, f"not tried: {error.cause}", error.remedy)


def _runtime(facts: EngineFacts, containment: Containment) -> Check:
    known = containment.runtime is None or containment.runtime in facts.runtimes
    chosen = containment.runtime or f"{containment.name}, {facts.default_runtime or 'unknown'}"
    remedy = "" if known else "Add it to the engine's configuration, or set another REGREEN_SANDBOX_RUNTIME."
    return Check("runtime", _state(good=known), f"{chosen}; the engine knows {', '.join(facts.runtimes)}", remedy)


def _images(settings: Settings, containment: Containment) -> Iterator[Check]:
    for reference in dict.fromkeys((containment.image, *settings.base_images.values())):
        identity = containment.engine.image(reference)
        missing = State.BROKEN if reference == containment.image else State.OPEN
        yield Check(
            "base image",
            State.HOLDS if identity else missing,
            f"{reference} {identity or 'is not here'}",
            "" if identity else "Run `regreen base`, or bring it to the engine.",
        )


def _directory(settings: Settings) -> Iterator[Check]:
    place = settings.data_dir
    try:
        make_private(place)
        with tempfile.TemporaryFile(dir=place):
            free = shutil.disk_usage(place).free
    except OSError as error:
        yield Check(
            "data directory",
            State.BROKEN,
            f"{place}: {error.strerror}",
            "Let it belong to the user that Regreen runs as, or set another REGREEN_DATA_DIR.",
        )
        return
    remedy = "" if free >= ROOM else "Free disk space: mirrors, logs and artifacts lie there."
    yield Check("data directory", _state(good=not remedy), f"{place}, {free / (1 << 30):.1f} GiB free", remedy)


def _github(settings: Settings, *, needed: bool) -> Iterator[Check]:
    if not (settings.app_id or settings.private_key_file or settings.webhook_secrets):
        seen = "not set up: server and worker cannot start; `regreen fix`, `gate` and `solve` work without"
        remedy = f"{SET_UP}; `regreen doctor --offline` is for local repositories alone."
        yield Check("GitHub App", State.BROKEN if needed else State.OPEN, seen, remedy)
        return
    try:
        wiring.private_key(settings)
        yield Check("App and key", State.HOLDS, f"App {settings.app_id}, {settings.private_key_file}")
    except ConfigurationError as error:
        yield Check("App and key", State.BROKEN, error.cause, error.remedy)
    count = len(settings.webhook_secrets)
    remedy = "" if count else f"{SET_UP}, or set REGREEN_WEBHOOK_SECRETS to the App's webhook secret."
    yield Check("webhook secrets", _state(good=bool(count)), f"{count} set", remedy)


def _site(settings: Settings) -> Iterator[Check]:
    try:
        tokens = InstallationTokens(settings.app_id, wiring.private_key(settings), settings.github_api_url)
    except ConfigurationError:
        # said already by the look at the settings, unless there is no App at all
        return
    yield from Site(settings, tokens).checks()


def _installs(settings: Settings) -> Iterator[Check]:
    hosts = f"allowed: {_list(settings.allowed_hosts)}; private: {_list(settings.private_hosts)}"
    yield Check("install hosts", State.HOLDS, f"{hosts}; beside the package registries")
    if settings.ca_bundle is None:
        return
    try:
        ssl.create_default_context(cafile=str(settings.ca_bundle))
        yield Check("CA bundle", State.HOLDS, str(settings.ca_bundle))
    except OSError as error:
        remedy = "Set REGREEN_CA_BUNDLE to a readable PEM file."
        yield Check("CA bundle", State.BROKEN, f"{settings.ca_bundle}: {error.strerror or error}", remedy)


def _state(*, good: bool) -> State:
    return State.HOLDS if good else State.BROKEN


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"
