"""Turns the tar of a hostile /env into a tar of our own, which is all that ever becomes part of an image.

Nothing is unpacked on the host: members go from one tar to the other, one at a time, with bounded memory.
"""

import posixpath
import tarfile
from typing import BinaryIO, cast

from sandbox.errors import InstallFailedError
from sandbox.spec import Limits

ROOT = "env"
MAX_PATH = 4096
MAX_HEADER = 1 << 16
"""No header that a package needs is longer; tarfile reads extended headers into memory as long as they claim to be."""

_REMEDY = "Its installation must leave plain files, directories and links within /env."
_MAX_TIME = 1 << 32


def sanitise(source: BinaryIO, sink: BinaryIO, limits: Limits) -> None:
    """Copy the tar `source`, whose names are relative to /env, to `sink` below env/; owner root, no special bits.

    Modification times stay, since compiled Python files name their source's. Hard links become copies. `source` must
    be seekable. Raises `InstallFailedError` for anything but directories, regular files and symlinks, for links that
    leave /env, /repo and the interpreters below /usr, and for more than `Limits.results` bytes or `Limits.inodes`.
    """
    layout = _Layout(limits)
    try:
        reader = tarfile.open(fileobj=cast("BinaryIO", _BoundedReads(source)), mode="r:")  # noqa: SIM115 - closed below
        with reader, tarfile.open(fileobj=sink, mode="w", format=tarfile.PAX_FORMAT) as writer:
            while (member := reader.next()) is not None:
                # tarfile would keep every member in memory; hard links look them up in `layout`.
                reader.members = []  # type: ignore[attr-defined]  # typeshed leaves this public attribute out
                _copy(member, reader, writer, layout)
    except (tarfile.TarError, ValueError, OverflowError) as error:
        raise _refused(f"no readable archive: {error}") from error


class _Layout:
    """What was written so far: bounds it, and keeps every path unique and below nothing but directories."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._kinds = {ROOT: tarfile.DIRTYPE}
        self._leaves: set[str] = set()
        self._bytes = 0
        self.files: dict[str, tarfile.TarInfo] = {}

    def admit(self, member: tarfile.TarInfo) -> None:
        self._bytes += member.size
        if len(self._kinds) >= self._limits.inodes or self._bytes > self._limits.results:
            raise _refused("more than the limits allow")
        parent = posixpath.dirname(member.name)
        while parent:
            if self._kinds.setdefault(parent, tarfile.DIRTYPE) != tarfile.DIRTYPE:
                raise _refused(f"{member.name!r} below something that is no directory")
            parent = posixpath.dirname(parent)
        known = self._kinds.setdefault(member.name, member.type)
        if member.name in self._leaves or known != member.type:
            raise _refused(f"{member.name!r} twice")
        if member.type != tarfile.DIRTYPE:
            self._leaves.add(member.name)


class _BoundedReads:
    """The input with every read bounded: tarfile asks for a whole extended header at once."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self.tell = source.tell
        self.seek = source.seek

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= MAX_HEADER:
            raise tarfile.ReadError("a header that is too long")
        return self._source.read(size)


def _copy(member: tarfile.TarInfo, reader: tarfile.TarFile, writer: tarfile.TarFile, layout: _Layout) -> None:
    path = _path(member.name)
    content = layout.files.get(_path(member.linkname)) if member.islnk() else member
    if content is None:
        raise _refused(f"{path!r}, a hard link to nothing")
    ours = tarfile.TarInfo(path)
    ours.mtime = int(member.mtime) if 0 <= member.mtime < _MAX_TIME else 0
    ours.mode = 0o755 if content.mode & 0o111 or content.isdir() else 0o644
    if content.isdir():
        ours.type = tarfile.DIRTYPE
    elif content.issym():
        ours.type, ours.linkname = tarfile.SYMTYPE, _target(path, content.linkname)
    elif content.isreg() and not content.issparse():
        ours.size = content.size
        layout.files[path] = content
    else:
        raise _refused(f"{path!r}, no plain file")
    layout.admit(ours)
    writer.addfile(ours, reader.extractfile(content) if ours.isreg() else None)


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
        raise _refused(f"{path!r}, a link that leaves it")
    return target


def _refused(what: str) -> InstallFailedError:
    return InstallFailedError(f"The environment holds {what}", _REMEDY)
