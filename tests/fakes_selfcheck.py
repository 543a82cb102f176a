"""Containers that say what a sound sandbox would let them say, and one line changed at a time."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sandbox.containers.engine import EngineFacts
from sandbox.errors import SandboxError
from sandbox.spec import MIB, RunResult, RunSpec, Verdict

KERNEL = "6.1.0"
SOUND: Mapping[str, dict[str, Any]] = {
    "network": {"interfaces": ["lo"], "reached": []},
    "root": {"read_only": True, "tried": {"/": "EROFS", "/var/tmp": "EROFS"}},  # noqa: S108 - the container's
    "mounts": {
        "filled": {
            "/repo": {"bytes": 8 * MIB, "ended": "ENOSPC"},
            "/tmp": {"bytes": 4 * MIB, "ended": "ENOSPC"},  # noqa: S108 - the container's
            "/regreen": {"bytes": 4 * MIB - 4096, "ended": "ENOSPC"},
            "/dev/shm": {"bytes": 64 * MIB, "ended": "ENOSPC"},  # noqa: S108 - the container's
            "/dev/mqueue": {"bytes": 0, "ended": "EINVAL"},
        }
    },
    "calls": {"tried": {"AF_ALG": "EPERM", "user namespace": "refused"}, "kernel": KERNEL},
    "powers": {
        "capabilities": {"CapEff": "0000", "CapBnd": "0000"},
        "no_new_privileges": 1,
        "become_root": "EPERM",
        "ids": [10001],
    },
    "ceilings": {"files": 4090, "size": 8 * MIB, "larger": "EFBIG", "core": 0},
    "host": {
        "variables": ["HOME", "PATH"],
        "secrets": [],
        "mounts": [
            ["/", "/", "overlay"],
            *([path, "/", "tmpfs"] for path in ("/repo", "/tmp", "/regreen", "/dev", "/dev/shm")),  # noqa: S108
            ["/etc/hosts", "/var/lib/docker/containers/1/hosts", "ext4"],
            ["/proc/keys", "/null", "tmpfs"],
            ["/sys/fs/cgroup/pids", "/docker/1", "cgroup"],
        ],
        "nodes": {"/dev/null": "1:3"},
        "kernel": KERNEL,
    },
    "first": {"traced": "EPERM", "memory": "EACCES"},
}


class ScriptedContainers:
    """An engine: `changed` replaces fields of a report's line, `results` what a container's whole run gave."""

    def __init__(
        self,
        changed: Mapping[str, Mapping[str, Any]] | None = None,
        results: Mapping[str, RunResult | SandboxError] | None = None,
    ) -> None:
        self.changed = changed or {}
        self.results = results or {}
        self.specs: dict[str, RunSpec] = {}
        self.facts = EngineFacts("20.10", "1.41", ("runc", "runsc"), KERNEL, "runc", "configuration")
        self.images = {"image:1": "sha256:1"}
        self.runs = 0

    def ping(self) -> EngineFacts:
        return self.facts

    def image(self, reference: str) -> str | None:
        return self.images.get(reference)

    def run(self, spec: RunSpec, archive: Iterable[bytes]) -> RunResult:
        assert b"".join(archive)
        kind = spec.run_id.rpartition("-")[2]
        self.specs[kind] = spec
        self.runs += 1
        result = self.results.get(kind) or self._sound(kind, spec)
        if isinstance(result, SandboxError):
            raise result
        return result

    def _sound(self, kind: str, spec: RunSpec) -> RunResult:
        if kind == "around":
            return told(*({"about": about} | line | self.changed.get(about, {}) for about, line in SOUND.items()))
        if kind == "pids":
            share = {"about": "share", "cores": 0.4, "quota": 0.4} | self.changed.get("share", {})
            pids = {"about": "pids", "children": 100, "kernel": KERNEL} | self.changed.get("pids", {})
            return told(share, pids, {"about": "refused", "ended": "EAGAIN"} | self.changed.get("refused", {}))
        late = spec.limits.wall_seconds + 0.1
        verdict = {"memory": Verdict.OOM, "flood": Verdict.OUTPUT_LIMIT, "deadline": Verdict.TIMEOUT}[kind]
        return RunResult(verdict, None, b"", output_truncated=False, seconds=late)


def told(*lines: Mapping[str, Any], verdict: Verdict = Verdict.EXITED, code: int | None = 0) -> RunResult:
    """A run that printed these lines."""
    output = "".join(f"{json.dumps(line)}\n" for line in lines)
    return RunResult(verdict, code, output.encode(), output_truncated=False)
