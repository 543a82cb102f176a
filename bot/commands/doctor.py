"""`regreen doctor`: whether this machine, its engine and the settings are fit for work, without asking any network."""

import shutil
import ssl
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from rich.table import Table
from rich.text import Text

from bot import wiring
from bot.adapters.containment import Containment
from bot.errors import ConfigurationError
from bot.model_settings import ROLES
from bot.pipeline.markdown import plain
from bot.settings import Settings
from bot.wiring.sandbox import build_containment
from sandbox.engine import EngineFacts
from sandbox.errors import SandboxError

ROOM = 2 << 30
"""Free bytes that mirrors, logs and artifacts of some days need."""
MOST_TEXT = 600


class State(StrEnum):
    """What became of one check; `OPEN` is nothing to repair, but something that is not there or could not be tried."""

    HOLDS = "holds"
    BROKEN = "broken"
    OPEN = "open"


_STYLES = {State.HOLDS: "green", State.BROKEN: "bold red", State.OPEN: "yellow"}


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the table; `seen` and `remedy` may come from outside, so they are shown as plain text only."""

    topic: str
    state: State
    seen: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Every check, in the order in which they are shown."""

    checks: tuple[Check, ...]

    @property
    def good(self) -> bool:
        """Whether nothing is broken."""
        return all(check.state is not State.BROKEN for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        checks = [
            {"topic": one.topic, "state": one.state.value, "seen": one.seen, "remedy": one.remedy}
            for one in self.checks
        ]
        return {"good": self.good, "checks": checks}

    def table(self) -> Table:
        """For a terminal; nothing in it is read as markup, or steers the terminal."""
        table = Table("check", "state", "seen", box=None, pad_edge=False, header_style="bold")
        for one in self.checks:
            seen = "\n".join(part for part in (one.seen, f"→ {one.remedy}" if one.remedy else "") if part)
            state = Text(one.state.value, _STYLES[one.state])
            table.add_row(Text(plain(one.topic, MOST_TEXT)), state, Text(plain(seen, MOST_TEXT)))
        return table


def doctor(settings: Settings, runtime: str | None) -> Report:
    """Check this machine and the settings; `runtime` instead of the configured one, when it is given.

    It changes nothing but the record of the limits that held, and needs no settings for GitHub.
    """
    name = settings.sandbox_runtime if runtime is None else runtime
    return examine(settings, build_containment(settings, wiring.SystemClock(), name))


def examine(settings: Settings, containment: Containment) -> Report:
    """Likewise, over what tries the limits."""
    found = (_engine(settings, containment), _directory(settings), _github(settings), _others(settings))
    return Report(tuple(check for checks in found for check in checks))


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
        place.mkdir(parents=True, exist_ok=True)
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


def _github(settings: Settings) -> Iterator[Check]:
    if not (settings.app_id or settings.private_key_file or settings.webhook_secrets):
        yield Check("GitHub App", State.OPEN, "not set: `regreen fix` works without, server and worker do not")
        return
    try:
        wiring.private_key(settings)
        yield Check("App and key", State.HOLDS, f"App {settings.app_id}, {settings.private_key_file}")
    except ConfigurationError as error:
        yield Check("App and key", State.BROKEN, error.cause, error.remedy)
    count = len(settings.webhook_secrets)
    remedy = "" if count else "Set REGREEN_WEBHOOK_SECRETS to the App's webhook secret."
    yield Check("webhook secrets", _state(good=bool(count)), f"{count} set", remedy)


def _others(settings: Settings) -> Iterator[Check]:
    named = settings.model or settings.openai_base_url
    model = named if settings.wants_model else "not set: the mutation search proposes"
    yield Check("model", State.HOLDS if settings.wants_model else State.OPEN, model or "the key's own")
    own = [f"{role}: {named}" for role in ROLES[1:] if (named := _own_model(settings, role))]
    if own and settings.wants_model:
        yield Check("roles with a model of their own", State.HOLDS, ", ".join(own))
    elif own:
        remedy = "Set REGREEN_MODEL and OPENAI_BASE_URL or OPENAI_API_KEY: a role helps a coder."
        yield Check("roles with a model of their own", State.BROKEN, ", ".join(own), remedy)
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


def _own_model(settings: Settings, role: str) -> str:
    """What a role's own model is called, empty where it has none; a server's address may hold a password."""
    server = getattr(settings, f"openai_base_url_{role}")
    return str(getattr(settings, f"model_{role}")) or ("the first of its own server" if server else "")


def _state(*, good: bool) -> State:
    return State.HOLDS if good else State.BROKEN


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"
