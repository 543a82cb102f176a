"""`RunSpec` → the body of the engine's create call. Pure; no parameter loosens what stands here.

Command and variables are not in it: they come on stdin (`sandbox.containers.protocol`), so that none of them acts on
the first process, and a container can be made before they are known.

Source: the Docker Engine API's `POST /containers/create`, API 1.41 and later.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from sandbox.containers.protocol import entrypoint
from sandbox.errors import ImageRefusedError
from sandbox.spec import MIB, Limits, Phase, RunSpec

UID = 10001
OPEN_FILES = 4096
SHARED_MEMORY = 64 * MIB
RUN_LABEL = "regreen.run"
DEADLINE_LABEL = "regreen.deadline"
ENVIRONMENT = "/env"
CACHE = "/cache"
PROXY = "/proxy"
_SHOWN = 200


def arguments(spec: RunSpec, seccomp: str, deadline: int, proxy_dir: PurePosixPath | None = None) -> dict[str, Any]:
    """The whole create call. `deadline` (seconds since the epoch) lets a reaper find what outlived its run.

    `seccomp` is the profile's JSON text. Raises `ValueError` when a proxy is given outside the install phase, or
    missing in it.
    """
    if (spec.phase is Phase.INSTALL) != (proxy_dir is not None):
        message = "the install phase, and only it, has a proxy"
        raise ValueError(message)
    body: dict[str, Any] = {
        "Image": spec.image,
        "Entrypoint": entrypoint(spec.collect, CACHE if CACHE in _mounts(spec) else ""),
        "Cmd": [],
        "Env": [],
        "User": f"{UID}:{UID}",
        "WorkingDir": "/",
        "Labels": {RUN_LABEL: spec.run_id, DEADLINE_LABEL: str(deadline)},
        "Healthcheck": {"Test": ["NONE"]},
        "Tty": False,
        "OpenStdin": True,
        "StdinOnce": True,
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "HostConfig": _host(spec, seccomp),
    }
    if proxy_dir is not None:
        body["HostConfig"]["Binds"] = [f"{proxy_dir}:{PROXY}:ro"]
    if spec.runtime is not None:
        body["HostConfig"]["Runtime"] = spec.runtime
    return body


def require_harmless(reference: str, config: Mapping[str, Any]) -> None:
    """Raise `ImageRefusedError` when an image's configuration would loosen the policy.

    `config` is `Config` of the engine's inspect call. A volume that an image declares is writable disk without a limit,
    and no argument of the create call takes it away. Everything else that an image may say is overridden by
    `arguments` (entry point, command, user, directory, health check), means nothing without a network (ports) or when
    containers end by SIGKILL only (stop signal), or acts on builds only (shell, triggers). Its variables come from whom
    its shell comes from.
    """
    volumes = sorted(config.get("Volumes") or {})
    if volumes:
        listed = ", ".join(volumes)[:_SHOWN]
        raise ImageRefusedError(
            f"The image {reference} declares volumes, which would be disk without a limit: {listed}",
            "Use an image without VOLUME.",
        )


def _host(spec: RunSpec, seccomp: str) -> dict[str, Any]:
    limits, mounts = spec.limits, _mounts(spec)
    # Pages of a tmpfs are charged to the container, so the workload keeps `limits.memory` with every mount full. The
    # limit also bounds what gVisor does not: it ignores `nr_inodes`, and its /dev has no size.
    memory = limits.memory + sum(mounts.values()) + SHARED_MEMORY
    return {
        "NetworkMode": "none",
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges:true", f"seccomp={seccomp}"],
        "Privileged": False,
        "ReadonlyRootfs": True,
        # A daemon may be set to put an init of its own in the first process's place.
        "Init": False,
        "PidsLimit": limits.pids,
        "Memory": memory,
        "MemorySwap": memory,
        "NanoCpus": round(limits.cpus * 1e9),
        "Tmpfs": {path: _tmpfs(size, limits) for path, size in mounts.items()},
        "IpcMode": "private",
        "ShmSize": SHARED_MEMORY,
        "Ulimits": [
            {"Name": "nofile", "Soft": OPEN_FILES, "Hard": OPEN_FILES},
            {"Name": "core", "Soft": 0, "Hard": 0},
            {"Name": "fsize", "Soft": max(mounts.values()), "Hard": max(mounts.values())},
        ],
        "LogConfig": {"Type": "none", "Config": {}},
        "AutoRemove": False,
    }


def _mounts(spec: RunSpec) -> Mapping[str, int]:
    limits = spec.limits
    mounts = {"/repo": limits.tree, "/tmp": limits.scratch, "/regreen": limits.scratch}  # noqa: S108 (the container's)
    if spec.phase is Phase.INSTALL:
        mounts[ENVIRONMENT] = limits.results
        if limits.cache:
            mounts[CACHE] = limits.cache
    return mounts


def _tmpfs(size: int, limits: Limits) -> str:
    return f"rw,exec,nosuid,nodev,size={size},nr_inodes={limits.inodes},uid={UID},gid={UID},mode=0755"
