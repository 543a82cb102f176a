"""Whether the sandbox's limits hold on this machine: tried, and a good answer kept for an hour."""

import hashlib
import json
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.errors import ConfigurationError
from bot.repair.ports import Clock
from sandbox.containers.engine import EngineFacts
from sandbox.directories import make_private
from sandbox.selfchecks import selfcheck
from sandbox.selfchecks.selfcheck import Probe
from sandbox.spec import RunResult, RunSpec

KEPT_SECONDS = 3600.0
MOST_BYTES = 4096
_BOOT = Path("/proc/sys/kernel/random/boot_id")


class Engine(Protocol):
    """What of the container engine is needed."""

    def run(self, spec: RunSpec, archive: Iterable[bytes]) -> RunResult:
        """As `DockerEngine.run`."""
        ...

    def ping(self) -> EngineFacts:
        """As `DockerEngine.ping`."""
        ...

    def image(self, reference: str) -> str | None:
        """As `DockerEngine.image`."""
        ...


def require_runtime(facts: EngineFacts, runtime: str | None) -> None:
    """Raise `ConfigurationError`, with those that there are, when the engine does not know this OCI runtime."""
    if runtime is not None and runtime not in facts.runtimes:
        raise ConfigurationError(
            f"The container engine does not know the runtime {runtime}",
            f"It knows {', '.join(facts.runtimes)}. Add it to the engine's configuration, or set another "
            "REGREEN_SANDBOX_RUNTIME.",
        )


@dataclass(frozen=True, slots=True)
class Containment:
    """Tries the limits of one runtime with one base image; `record` is a file of the operator's own.

    The record says that all limits held, for which engine, runtime, image, policy and boot of this machine. Whoever
    could write it, as this user, could as well change this program.
    """

    engine: Engine
    image: str
    runtime: str | None
    record: Path
    clock: Clock

    @property
    def name(self) -> str:
        """The runtime, for people."""
        return self.runtime or "the engine's default runtime"

    def require(self) -> EngineFacts:
        """Return what the engine is once every limit holds, which costs a few seconds at most once an hour.

        Raises `ConfigurationError` that names the limits which do not hold or the missing image, and
        `EngineUnavailableError`.
        """
        facts = self.engine.ping()
        key = self._key(facts)
        if not self._held(key):
            broken = [probe for probe in self._try(facts, key) if not probe.holds]
            if broken:
                raise ConfigurationError(
                    f"The sandbox does not hold on {self.name}: "
                    + "; ".join(f"{probe.name} ({probe.seen})" for probe in broken),
                    " ".join(dict.fromkeys(probe.remedy for probe in broken)) + " `regreen doctor` shows every limit.",
                )
        return facts

    def probes(self) -> tuple[Probe, ...]:
        """Try every limit now, whatever is on record. Raises as `require` does."""
        facts = self.engine.ping()
        return self._try(facts, self._key(facts))

    def _key(self, facts: EngineFacts) -> str:
        image = self.engine.image(self.image)
        if image is None:
            raise ConfigurationError(f"The sandbox base image {self.image} is not here", "Run `regreen base`.")
        require_runtime(facts, self.runtime)
        boot = _BOOT.read_text(encoding="ascii") if _BOOT.exists() else ""
        return hashlib.sha256(repr((facts, self.runtime, image, selfcheck.digest(), boot)).encode()).hexdigest()

    def _try(self, facts: EngineFacts, key: str) -> tuple[Probe, ...]:
        probes = selfcheck.check(self.engine, self.image, runtime=self.runtime, kernel=facts.kernel)
        # An old good answer must not outlive a bad one.
        with suppress(OSError):
            self.record.unlink()
        if all(probe.holds for probe in probes):
            self._remember(key)
        return probes

    def _held(self, key: str) -> bool:
        with suppress(OSError, ValueError, RecursionError):
            descriptor = os.open(self.record, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(descriptor, "rb") as file:
                about = os.fstat(descriptor)
                others = about.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
                if not stat.S_ISREG(about.st_mode) or others or about.st_uid != os.geteuid():
                    return False
                match json.loads(file.read(MOST_BYTES)):
                    case {"held": str(held), "at": int() | float() as at}:
                        return held == key and at <= self.clock.now() < at + KEPT_SECONDS
        return False

    def _remember(self, key: str) -> None:
        # Without a record the next start tries again, which costs only time.
        with suppress(OSError):
            make_private(self.record.parent)
            fresh = self.record.with_name(f"{self.record.name}.{os.getpid()}")
            fresh.unlink(missing_ok=True)
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                json.dump({"held": key, "at": self.clock.now()}, file)
            fresh.replace(self.record)
