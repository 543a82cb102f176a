"""What a container sees that the policy did not put there: mounts and device nodes. Pure.

An allowlist, since a bound socket or directory may have any name. Sources: the defaults of the OCI runtime
specification (config-linux.md, "Default Devices" and "Default Filesystems"), and the paths that engines mask.
"""

from collections.abc import Iterable, Mapping

_ANY = frozenset[str]()
_FIXED: Mapping[str, frozenset[str]] = {
    "/": _ANY,
    "/dev": frozenset({"tmpfs", "devtmpfs", "dev"}),
    "/dev/pts": frozenset({"devpts"}),
    "/dev/mqueue": frozenset({"mqueue"}),
    "/dev/shm": frozenset({"tmpfs"}),  # noqa: S108 - the container's
    "/proc": frozenset({"proc"}),
    "/sys": frozenset({"sysfs", "tmpfs"}),
    "/etc/hosts": _ANY,
    "/etc/hostname": _ANY,
    "/etc/resolv.conf": _ANY,
    "/run/.containerenv": _ANY,
}
"""Mount point → the file systems that may be there. Engines bind the last four from files that they wrote."""

_KERNELS = frozenset({"proc", "sysfs", "cgroup", "cgroup2"})
_MASKS = frozenset({"/", "/null"})
"""A path is masked by an empty tmpfs, or by the container's own /dev/null."""

_BOUND = {f"/dev/{name}": f"/{name}" for name in ("full", "null", "random", "tty", "urandom", "zero")}
"""What rootless engines, which may make no nodes, bind from the /dev of their host; `foreign_nodes` sees what it is."""

_HOSTS_DEV = frozenset({"devtmpfs", "tmpfs"})

_DEVICES = frozenset({"1:3", "1:5", "1:7", "1:8", "1:9", "5:0", "5:2"})
"""null, zero, full, random, urandom, tty, ptmx."""

_EMULATED = frozenset({"10:229", "10:200"})
"""fuse and net/tun: gVisor has its own of both in every container."""


def foreign_mounts(mounts: Iterable[tuple[str, str, str]], promised: Iterable[str]) -> list[str]:
    """The mount points, of (point, root in its file system, file system), that neither policy nor engine makes."""
    allowed = {**_FIXED, **dict.fromkeys(promised, frozenset({"tmpfs"}))}
    return [point for point, root, kind in mounts if not _known(point, root, kind, allowed)]


def _known(point: str, root: str, kind: str, allowed: Mapping[str, frozenset[str]]) -> bool:
    if point in allowed:
        return not allowed[point] or (kind in allowed[point] and root == "/")
    if point in _BOUND:
        return kind in _HOSTS_DEV and root == _BOUND[point]
    if point.startswith(("/proc/", "/sys/")):
        masked = (kind == "tmpfs" and root in _MASKS) or (kind in _HOSTS_DEV and root == "/null")
        return kind in _KERNELS or masked
    return False


def foreign_nodes(nodes: Mapping[str, str], *, emulated: bool) -> list[str]:
    """The nodes below /dev, path → `major:minor` or what else it is, that no container needs.

    `emulated` says that a kernel of the runtime's own stands behind them.
    """
    allowed = _DEVICES | _EMULATED if emulated else _DEVICES
    return [f"{path} ({what})" for path, what in nodes.items() if what not in allowed]
