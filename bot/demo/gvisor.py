"""gVisor's runtime for an engine: the arguments that the installed version wants, and the engine's configuration."""

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RUNTIME = "runsc"
USUAL_CONFIGURATION = Path("/etc/docker/daemon.json")
ANSWER_SECONDS = 20


def arguments(flags: str) -> list[str]:
    """What runsc is started with, given what `runsc flags` prints.

    Without a network of its own, as our containers have none; with our seccomp profile; with the sockets that are
    mounted, since installing goes through one; on a platform that needs no hardware.
    """
    chosen = ["--network=none", "--platform=systrap" if "systrap" in flags else "--platform=ptrace"]
    chosen += ["--host-uds=open"] if "-host-uds value" in flags else ["--fsgofer-host-uds"]
    return chosen + (["--oci-seccomp"] if "-oci-seccomp" in flags else [])


def installed() -> dict[str, Any] | None:
    """The entry for the engine's `runtimes`, `None` where runsc is not installed."""
    path = shutil.which(RUNTIME)
    return entry(path, _flags(path)) if path else None


def entry(path: str, flags: str) -> dict[str, Any]:
    """One entry of the engine's `runtimes`."""
    return {"path": path, "runtimeArgs": arguments(flags)}


def configuration(existing: Mapping[str, Any], runtime: Mapping[str, Any] | None) -> dict[str, Any]:
    """An engine's configuration with gVisor's runtime in it; whatever was there stays, an own entry for it too."""
    if runtime is None:
        return dict(existing)
    return {**existing, "runtimes": {RUNTIME: dict(runtime), **existing.get("runtimes", {})}}


def existing(path: Path = USUAL_CONFIGURATION) -> dict[str, Any]:
    """The engine's usual configuration, empty where there is none. Raises `ValueError` for what is no JSON object."""
    if not path.exists():
        return {}
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        message = f"{path} is no JSON object"
        raise ValueError(message)  # noqa: TRY004 - the same trouble as no JSON at all
    return found


def advice(runtime: Mapping[str, Any] | None) -> str:
    """What a person does to an engine that is not ours to change."""
    shown = runtime or entry(f"/usr/bin/{RUNTIME}", "-host-uds value -oci-seccomp")
    lines = json.dumps({"runtimes": {RUNTIME: shown}})
    install = "" if runtime else f"Install {RUNTIME} (Debian: apt-get install {RUNTIME}), then put"
    return (
        f"The container engine does not know gVisor's runtime, {RUNTIME}. {install or 'Put'} this into "
        f"{USUAL_CONFIGURATION}, beside what is there, and restart the engine:  {lines}"
    )


def _flags(path: str) -> str:
    try:
        asked = subprocess.run(  # noqa: S603 - the installed runtime, without anything of anybody's
            [path, "flags"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=ANSWER_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return asked.stdout + asked.stderr
