"""Bounded tar in and out: what goes into a container, and what of its answer is kept."""

import io
import stat
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice

from sandbox.containers.policy import UID
from sandbox.environments import ustar
from sandbox.errors import TreeTooLargeError
from sandbox.spec import File, Tree

MAX_MEMBERS = 10_000
MAX_NAME = 1024
FILE_DATE = 1_577_836_800
"""2020-01-01: the same for every file, and after 1980, where the dates of zip archives, and so of wheels, begin."""
END = b"\0" * tarfile.RECORDSIZE
"""Ends a tar: a whole record, so that whoever reads records needs no more."""
_CHUNK = 1 << 18


def pack(trees: Mapping[str, Tree]) -> Iterator[bytes]:
    """An uncompressed tar of each tree below its mount name, such as "repo" or "regreen"; owner 10001.

    Symlinks and the executable bit are kept. Raises `TreeTooLargeError` at once for a path that is not a plain
    relative one, or that lies below another file.
    """
    for mount, tree in trees.items():
        _check(mount, tree)
    return joined(chain(members(trees), (END,)))


def members(trees: Mapping[str, Tree]) -> Iterator[bytes]:
    """What `pack` makes of trees that are known to be sound, without the tar's end."""
    return chain.from_iterable(
        member(f"{mount}/{path}", file) for mount, tree in trees.items() for path, file in tree.items()
    )


def joined(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in fewer pieces, since each is a call to the kernel; large ones pass as they are."""
    small: list[bytes] = []
    size = 0
    for chunk in chunks:
        if size + len(chunk) > _CHUNK:
            yield b"".join(small)
            small, size = [], 0
        small.append(chunk)
        size += len(chunk)
    yield b"".join(small)


def member(name: str, file: File) -> Iterator[bytes]:
    """One member of a tar, without the tar's end."""
    data = b"" if stat.S_ISLNK(file.mode) else file.data
    yield _header(name, file)
    yield from (data[start : start + _CHUNK] for start in range(0, len(data), _CHUNK))
    yield b"\0" * (-len(data) % tarfile.BLOCKSIZE)


def unpack(data: bytes, limit: int) -> Mapping[str, bytes]:
    """The regular files of a hostile tar by their names, at most `limit` bytes of content and 10,000 members.

    Links, devices, FIFOs, and names that are absolute, climb or are too long are left out; a tar that is damaged,
    holds what `sandbox.environments.ustar` refuses, or exceeds the bounds, yields what came before.
    """
    found: dict[str, bytes] = {}
    left = limit
    with suppress(ustar.DamagedError):
        for entry in islice(ustar.members(io.BytesIO(data)), MAX_MEMBERS):
            if entry.size > left:
                break
            name = entry.name.removeprefix("./")
            if entry.kind == ustar.REGULAR and is_plain(name):
                found[name] = data[entry.offset : entry.offset + entry.size]
                left -= entry.size
    return found


def is_plain(path: str) -> bool:
    """Whether this is a relative path without empty, `.` or `..` parts, NUL or excess length."""
    return (
        0 < len(path) <= MAX_NAME and "\0" not in path and all(part not in {"", ".", ".."} for part in path.split("/"))
    )


def _check(mount: str, tree: Tree) -> None:
    if not is_plain(mount) or "/" in mount:
        raise TreeTooLargeError(f"{mount!r} is no mount name", "Use a single plain name.")
    for path in tree:
        if not is_plain(path):
            raise TreeTooLargeError(
                f"The tree holds a path that is not plain: {path[:200]!r}", "Rename or remove the file."
            )
        if any(parent in tree for parent in _parents(path)):
            raise TreeTooLargeError(f"{path!r} lies below a file", "A path is a file or a directory, not both.")


def _parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _header(name: str, file: File) -> bytes:
    entry = tarfile.TarInfo(name)
    entry.uid = entry.gid = UID
    entry.mtime = FILE_DATE
    if stat.S_ISLNK(file.mode):
        entry.type = tarfile.SYMTYPE
        entry.linkname = file.data.decode("utf-8", "surrogateescape")
        entry.mode = 0o777
    else:
        entry.size = len(file.data)
        entry.mode = 0o755 if file.mode & 0o100 else 0o644
    return entry.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")
