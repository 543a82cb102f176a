"""Turns the tar of a hostile directory into a tar of our own, which is all that ever becomes part of an image.

Nothing is unpacked on the host: members are copied as they arrive, one at a time, with bounded memory.
"""

import posixpath
import tarfile
from typing import BinaryIO

from sandbox.environments import ustar
from sandbox.environments.generated import Generated
from sandbox.errors import InstallFailedError
from sandbox.spec import MIB

MAX_PATH = 4096
MAX_NAMES = 64 * MIB
"""Bytes of all paths together, since every one is kept to tell whether it comes twice."""
FILE_SYSTEM_BLOCK = 4096
_WHITEOUT = ".wh."
"""What begins the names by which a layer removes another layer's files (OCI image specification, "Whiteouts")."""

_REMEDY = "Its installation must leave plain files, directories and links within /env."
_MAX_TIME = 1 << 32
_CHUNK = 1 << 18


class Sanitiser:
    """Writes what it is told of a tar, whose names are relative to /`root`, as a tar of its own below `root`/.

    Owner root, no special bits, no extended attributes; modification times stay, since compiled Python files name
    their source's. Hard links become copies. Raises `InstallFailedError` for anything but directories, regular files
    and symlinks, for links that leave /`root`, /repo and the interpreters below /usr, for a tar of more than `most`
    bytes, for more than `inodes` paths, and for too much that would be laid under the tree; what else must not lie
    there is left out.
    """

    def __init__(self, sink: BinaryIO, root: str, most: int, inodes: int) -> None:
        """`sink` is empty, and read again for hard links. The tar gets its end mark from `finish`."""
        self._sink = sink
        self._root = root
        self._layout = _Layout(root, inodes)
        self._most = most
        self._files: dict[str, tuple[int, ustar.Member]] = {}
        self._size = 0
        self._left = 0
        self._dropped = False
        self._generated = Generated()
        self._padding = 0
        self.occupied = 0
        """Bytes that the content takes on a file system with blocks of 4 KiB."""

    @property
    def bound(self) -> tuple[str, ...]:
        """The files that are laid under the tree of a run, and may differ with it; paths relative to the tree."""
        return self._generated.bound

    def begin(self, member: ustar.Member) -> None:
        """Write a member's header, and, for a hard link, the content too."""
        path = self._path(member.name)
        self._dropped = not self._generated.admits(path, member.kind, member.size)
        if fault := self._generated.fault:
            raise refused(fault)
        if self._dropped:
            return
        start, content = 0, member
        if member.kind == ustar.HARD_LINK:
            start, content = self._linked(path, member.link)
        entry = self._entry(path, member, content)
        self._layout.admit(path, entry.type)
        # GNU's format, since its headers hold no attributes beside the plain ones.
        self._write(entry.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape"))
        self.occupied += FILE_SYSTEM_BLOCK + entry.size + -entry.size % FILE_SYSTEM_BLOCK
        self._left, self._padding = entry.size, -entry.size % tarfile.BLOCKSIZE
        if member.kind == ustar.HARD_LINK:
            self._copy(start, entry.size)
        elif content.kind == ustar.REGULAR:
            self._files[path] = (self._size, content)

    def take(self, data: bytes) -> None:
        """Write the next piece of the member's content."""
        if self._dropped:
            return
        self._generated.take(data)
        self._write(data)
        self._left -= len(data)
        if not self._left:
            self._write(bytes(self._padding))

    def finish(self) -> None:
        """Write the end mark."""
        self._write(bytes(2 * tarfile.BLOCKSIZE))

    def _write(self, data: bytes) -> None:
        self._size += len(data)
        if self._size > self._most:
            raise refused("more than the limits allow")
        self._sink.write(data)

    def _linked(self, path: str, target: str) -> tuple[int, ustar.Member]:
        found = self._files.get(self._path(target))
        if found is None:
            raise refused(f"{path[:200]!r}, a hard link to nothing")
        return found

    def _copy(self, start: int, size: int) -> None:
        while size:
            self._sink.seek(start)
            data = self._sink.read(min(size, _CHUNK))
            self._sink.seek(self._size)
            self.take(data)
            start, size = start + len(data), size - len(data)

    def _entry(self, path: str, member: ustar.Member, content: ustar.Member) -> tarfile.TarInfo:
        entry = tarfile.TarInfo(path)
        entry.mtime = member.mtime if 0 <= member.mtime < _MAX_TIME else 0
        entry.mode = 0o755 if content.mode & 0o111 or content.kind == ustar.DIRECTORY else 0o644
        match content.kind:
            case ustar.DIRECTORY:
                entry.type = tarfile.DIRTYPE
            case ustar.SYMLINK:
                entry.type, entry.linkname = tarfile.SYMTYPE, self._target(path, content.link)
            case ustar.REGULAR:
                entry.size = content.size
            case _:
                raise refused(f"{path[:200]!r}, no plain file")
        return entry

    def _path(self, name: str) -> str:
        parts = [part for part in name.split("/") if part not in {"", "."}]
        path = "/".join([self._root, *parts])
        if name.startswith("/") or ".." in parts or "\0" in name or len(path) > MAX_PATH:
            raise refused(f"the path {name[:200]!r}")
        if any(part.startswith(_WHITEOUT) for part in parts):
            raise refused(f"the path {name[:200]!r}, which would tell the engine to remove files")
        return path

    def _target(self, path: str, target: str) -> str:
        resolved = posixpath.normpath(posixpath.join("/", posixpath.dirname(path), target))
        interpreter = resolved.startswith("/usr/") and posixpath.basename(resolved).startswith("python")
        if not f"{resolved}/".startswith((f"/{self._root}/", "/repo/")) and not interpreter:
            raise refused(f"{path[:200]!r}, a link that leaves it")
        return target


class _Layout:
    """What was written so far: keeps every path unique and below nothing but directories, and bounds their number."""

    def __init__(self, root: str, inodes: int) -> None:
        self._inodes = inodes
        self._kinds = {root: tarfile.DIRTYPE}
        self._leaves: set[str] = set()
        self._names = 0

    def admit(self, path: str, kind: bytes) -> None:
        parent = posixpath.dirname(path)
        # The parents of a directory that is known are known.
        while parent and self._add(parent, tarfile.DIRTYPE, path):
            parent = posixpath.dirname(parent)
        if not self._add(path, kind, path) and path in self._leaves:
            raise refused(f"{path[:200]!r} twice")
        if kind != tarfile.DIRTYPE:
            self._leaves.add(path)

    def _add(self, path: str, kind: bytes, whole: str) -> bool:
        """Whether a path is new here; it may be known as the same kind."""
        known = self._kinds.get(path)
        if known is not None:
            if known != kind:
                raise refused(f"{whole[:200]!r} twice, or below something that is no directory")
            return False
        self._kinds[path] = kind
        self._names += len(path)
        if len(self._kinds) > self._inodes or self._names > MAX_NAMES:
            raise refused("more than the limits allow")
        return True


def refused(what: str) -> InstallFailedError:
    """The error for an environment that holds what no environment may."""
    return InstallFailedError(f"The environment holds {what}", _REMEDY)
