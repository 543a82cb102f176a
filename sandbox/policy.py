"""`RunSpec` → the body of the engine's create call. Pure; no parameter loosens what stands here.

Source: the Docker Engine API's `POST /containers/create`, API 1.41 and later.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from sandbox.spec import MIB, Limits, Phase, RunSpec

UID = 10001
OPEN_FILES = 4096
SHARED_MEMORY = 64 * MIB
RUN_LABEL = "regreen.run"
DEADLINE_LABEL = "regreen.deadline"
UNPACK_FAILED = 97
UNPACKED = b"+"
ENVIRONMENT = "/env"
PROXY = "/proxy"

_INIT_DIRECTORY = "/regreen/init"
_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# The kernel lets nobody with the same user trace a process, or open its descriptors, whose program that user could not
# read when it started. So the first process goes on as a shell that nobody can read: its stdout is out of reach.
_START = f"""workload=$PATH
PATH={_SYSTEM_PATH}
mkdir {_INIT_DIRECTORY} && cp /bin/sh {_INIT_DIRECTORY}/sh && chmod 0111 {_INIT_DIRECTORY}/sh || exit {UNPACK_FAILED}
init=$1; shift
exec {_INIT_DIRECTORY}/sh -c "$init" init "$workload" "$@" """

# Written before any code of the workload runs, `UNPACKED` cannot be forged or kept back by it. The workload's own
# output goes to stderr, so that stdout carries nothing but that byte and the tar of results. Whatever it left running
# is killed before that tar begins, since tar itself could be traced. Only the workload searches its own PATH.
_INIT = f"""workload=$1 collect=$2; shift 2
rm -r {_INIT_DIRECTORY}
tar -x -f - -C / --no-same-owner || exit {UNPACK_FAILED}
mkdir -p "$collect" && cd /repo || exit {UNPACK_FAILED}
printf {UNPACKED.decode()}
env "PATH=$workload" "$@" </dev/null >&2
code=$?
exec 2>/dev/null
kill -9 -1
TAR_OPTIONS=--format=gnu tar -c -f - -C "$collect" .
exit $code"""


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
        "Entrypoint": ["/bin/sh", "-c", _START, "init", _INIT, spec.collect],
        "Cmd": list(spec.command),
        "Env": [f"{name}={value}" for name, value in spec.environment],
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


def _host(spec: RunSpec, seccomp: str) -> dict[str, Any]:
    limits, mounts = spec.limits, _mounts(spec)
    # Pages of a tmpfs are charged to the container, so the workload keeps `limits.memory` with every mount full.
    memory = limits.memory + sum(mounts.values())
    return {
        "NetworkMode": "none",
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges:true", f"seccomp={seccomp}"],
        "Privileged": False,
        "ReadonlyRootfs": True,
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
    return mounts


def _tmpfs(size: int, limits: Limits) -> str:
    return f"rw,exec,nosuid,nodev,size={size},nr_inodes={limits.inodes},uid={UID},gid={UID},mode=0755"
