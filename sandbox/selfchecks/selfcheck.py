"""Tries to break every limit of the sandbox, in containers like any other, and says which hold.

A limit that the engine takes without a complaint may still mean nothing: rootless engines on cgroup v1 ignore all of
them. So nothing is believed that was not tried. Takes seconds, and memory of about 350 MiB at most; 1 GiB where gVisor
runs without a limit on processes. Which log driver is in force cannot be seen from inside, and is not claimed.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Protocol

from sandbox.containers import policy
from sandbox.containers.archive import pack
from sandbox.errors import EndedEarlyError, EngineUnavailableError, ImageMissingError, SandboxError
from sandbox.selfchecks.observed import Container, Observed, Probe
from sandbox.selfchecks.probes import QUESTIONS
from sandbox.spec import MIB, File, Limits, RunResult, RunSpec

__all__ = ["Probe", "Runner", "check", "digest"]

_ROOM = Limits(
    wall_seconds=60.0, memory=192 * MIB, cpus=1.0, pids=128, tree=8 * MIB, scratch=4 * MIB, results=MIB, inodes=4096
)
_LIMITS: Mapping[Container, Limits] = {
    Container.AROUND: _ROOM,
    Container.MEMORY: replace(_ROOM, memory=64 * MIB),
    # Memory enough for all the processes that are tried: on gVisor each takes 5 MiB, and a lack of it proves nothing.
    Container.PIDS: replace(_ROOM, cpus=0.4, memory=1024 * MIB),
    Container.FLOOD: replace(_ROOM, memory=64 * MIB, output_total=MIB, output_kept=64 * 1024),
    Container.DEADLINE: replace(_ROOM, memory=64 * MIB, wall_seconds=1.0),
}
_STUBBORN = "trap '' TERM INT HUP; while :; do sleep 0.1; done"
_PROBE = "/regreen/probe.py"


class Runner(Protocol):
    """What runs a container; `DockerEngine` is one."""

    def run(self, spec: RunSpec, archive: Iterable[bytes]) -> RunResult:
        """As `DockerEngine.run`."""
        ...


@dataclass(frozen=True, slots=True)
class _Ended:
    observed: Observed | None
    failure: str = ""


def check(runner: Runner, image: str, *, runtime: str | None = None, kernel: str = "") -> tuple[Probe, ...]:
    """Probe every limit with an image that has Python 3.11, several containers at once.

    `kernel` is the release of the engine's own kernel (`EngineFacts.kernel`): what another kernel answers, as gVisor's
    does, reaches no host. Raises `ImageMissingError`, `EngineUnavailableError`.
    """
    specs = _specs(image, runtime)

    def ended(container: Container) -> _Ended:
        spec = specs[container]
        try:
            result = runner.run(spec, pack(_trees()))
        except EndedEarlyError as error:
            return _Ended(None, error.cause)
        except (ImageMissingError, EngineUnavailableError):
            raise
        except SandboxError as error:
            return _Ended(None, error.cause)
        return _Ended(Observed(result, spec.limits, _promised(spec), kernel))

    with ThreadPoolExecutor(len(specs)) as pool:
        endings = dict(zip(specs, pool.map(ended, specs), strict=True))
    return tuple(
        question.answer(endings[question.container].observed, endings[question.container].failure)
        for question in QUESTIONS
    )


def digest() -> str:
    """Names what a check would try, and under which policy: another value makes earlier answers worthless."""
    bodies = [policy.arguments(spec, _seccomp(), 0) for spec in _specs("", None).values()]
    guest = {name: file.data.hex() for name, file in _trees()["regreen"].items()}
    text = json.dumps([bodies, guest, [question.name for question in QUESTIONS]], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _specs(image: str, runtime: str | None) -> dict[Container, RunSpec]:
    promised = _promised(RunSpec("", "", (), limits=_ROOM))
    memory = _LIMITS[Container.MEMORY].memory + sum(promised.values())
    python = ("python3", "-I", _PROBE)
    commands: Mapping[Container, tuple[str, ...]] = {
        Container.AROUND: (*python, "around", *(f"{path}={size}" for path, size in promised.items())),
        Container.MEMORY: (*python, "memory", str(2 * memory)),
        Container.PIDS: (*python, "pids", str(_ROOM.pids + 32)),
        Container.FLOOD: ("sh", "-c", "yes"),
        Container.DEADLINE: ("sh", "-c", f'setsid sh -c "{_STUBBORN}" & {_STUBBORN}'),
    }
    return {
        container: RunSpec(f"selfcheck-{container}", image, command, limits=_LIMITS[container], runtime=runtime)
        for container, command in commands.items()
    }


def _promised(spec: RunSpec) -> Mapping[str, int]:
    """The writable mounts of a run and their sizes, as the policy asks the engine for them."""
    host = policy.arguments(spec, _seccomp(), 0)["HostConfig"]
    options = {path: dict(part.partition("=")[::2] for part in text.split(",")) for path, text in host["Tmpfs"].items()}
    shared = {"/dev/shm": int(host["ShmSize"])}  # noqa: S108 - the container's
    return {path: int(each["size"]) for path, each in options.items()} | shared


def _seccomp() -> str:
    return files("sandbox").joinpath("seccomp.json").read_text(encoding="utf-8")


def _trees() -> dict[str, dict[str, File]]:
    return {"repo": {}, "regreen": {"probe.py": File(files("sandbox").joinpath("guest/probe.py").read_bytes())}}
