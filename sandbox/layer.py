"""Turns the tar of a hostile /env into a tar of our own, which is all that ever becomes part of an image.

Nothing is unpacked on the host: members go from one tar to the other, one at a time, with bounded memory.
"""

import posixpath
import tarfile
from typing import BinaryIO

from sandbox import ustar
from sandbox.errors import InstallFailedError
from sandbox.spec import MIB, Limits

ROOT = "env"
MAX_PATH = 4096
MAX_NAMES = 64 * MIB
"""Bytes of all paths together, since every one is kept to tell whether it comes twice."""

_REMEDY = "Its installation must leave plain files, directories and links within /env."
_MAX_TIME = 1 << 32


def sanitise(source: BinaryIO, sink: BinaryIO, limits: Limits) -> None:
    """Copy the tar `source`, whose names are relative to /env, to `sink` below env/; owner root, no special bits.

    Modification times stay, since compiled Python files name their source's. Hard links become copies. `source` must
    be seekable. Raises `InstallFailedError` for anything but directories, regular files and symlinks, for links that
    leave /env, /repo and the interpreters below /usr, for more than `Limits.results` bytes or `Limits.inodes`, and for
    a tar that `sandbox.ustar` refuses, such as a truncated one.
    """
    layout = _Layout(limits)
    try:
        with tarfile.open(fileobj=sink, mode="w", format=tarfile.PAX_FORMAT) as writer:
            for member in ustar.members(source):
                _copy(member, source, writer, layout)
    except ustar.DamagedError as error:
        raise _refused(f"no readable archive: {error}") from error


class _Layout:
    """What was written so far: bounds it, and keeps every path unique and below nothing but directories."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._kinds = {ROOT: tarfile.DIRTYPE}
        self._leaves: set[str] = set()
        self._bytes = 0
        self._names = 0
        self.files: dict[str, ustar.Member] = {}

    def admit(self, member: tarfile.TarInfo) -> None:
        self._bytes += member.size
        if self._bytes > self._limits.results:
            raise _refused("more than the limits allow")
        parent = posixpath.dirname(member.name)
        # The parents of a directory that is known are known.
        while parent and self._add(parent, tarfile.DIRTYPE, member.name):
            parent = posixpath.dirname(parent)
        if not self._add(member.name, member.type, member.name) and member.name in self._leaves:
            raise _refused(f"{member.name[:200]!r} twice")
        if member.type != tarfile.DIRTYPE:
            self._leaves.add(member.name)

    def _add(self, path: str, kind: bytes, whole: str) -> bool:
        """Whether a path is new here; it may be known as the same kind."""
        known = self._kinds.get(path)
        if known is not None:
            if known != kind:
                raise _refused(f"{whole[:200]!r} twice, or below something that is no directory")
            return False
        self._kinds[path] = kind
        self._names += len(path)
        if len(self._kinds) > self._limits.inodes or self._names > MAX_NAMES:
            raise _refused("more than the limits allow")
        return True


def _copy(member: ustar.Member, source: BinaryIO, writer: tarfile.TarFile, layout: _Layout) -> None:
    path = _path(member.name)
    content = layout.files.get(_path(member.link)) if member.kind == ustar.HARD_LINK else member
    if content is None:
        raise _refused(f"{path[:200]!r}, a hard link to nothing")
    ours = tarfile.TarInfo(path)
    ours.mtime = member.mtime if 0 <= member.mtime < _MAX_TIME else 0
    ours.mode = 0o755 if content.mode & 0o111 or content.kind == ustar.DIRECTORY else 0o644
    match content.kind:
        case ustar.DIRECTORY:
            ours.type = tarfile.DIRTYPE
        case ustar.SYMLINK:
            ours.type, ours.linkname = tarfile.SYMTYPE, _target(path, content.link)
        case ustar.REGULAR:
            ours.size = content.size
            layout.files[path] = content
        case _:
            raise _refused(f"{path[:200]!r}, no plain file")
    layout.admit(ours)
    source.seek(content.offset)
    writer.addfile(ours, source if ours.isreg() else None)


def _path(name: str) -> str:
    parts = [part for part in name.split("/") if part not in {"", "."}]
    path = "/".join([ROOT, *parts])
    if name.startswith("/") or ".." in parts or "\0" in name or len(path) > MAX_PATH:
        raise _refused(f"the path {name[:200]!r}")
    return path


def _target(path: str, target: str) -> str:
    resolved = posixpath.normpath(posixpath.join("/", posixpath.dirname(path), target))
    interpreter = resolved.startswith("/usr/") and posixpath.basename(resolved).startswith("python")
    if not interpreter and not f"{resolved}/".startswith((f"/{ROOT}/", "/repo/")):
        raise _refused(f"{path[:200]!r}, a link that leaves it")
    return target


def _refused(what: str) -> InstallFailedError:
    return InstallFailedError(f"The environment holds {what}", _REMEDY)
