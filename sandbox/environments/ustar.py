"""Reads the headers of a hostile tar: one pass, a block at a time, nothing that a member claims is believed unchecked.

The standard library's reader takes time quadratic in a pax header's length, inside one regular expression
(CVE-2024-6232), so it never sees these bytes. What GNU tar writes is understood: plain ustar headers and its own long
names. Extended pax headers and sparse files are refused.

Source: POSIX.1-2017, pax, "ustar Interchange Format"; GNU tar's manual, "Basic Tar Format".
"""

import io
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol

BLOCK = 512
MAX_LONG_NAME = 4096

REGULAR, HARD_LINK, SYMLINK, DIRECTORY = b"0", b"1", b"2", b"5"
_OLD_REGULAR, _CONTIGUOUS = b"\0", b"7"
_WITHOUT_CONTENT = frozenset({HARD_LINK, SYMLINK, b"3", b"4", DIRECTORY, b"6"})
_LONG = {b"L": "name", b"K": "link"}
_REFUSED = frozenset({b"x", b"g", b"X", b"S"})
_USTAR = b"ustar\0"
_END = bytes(BLOCK)
_BINARY = (0x80, 0xFF)
_CHUNK = 1 << 18


class DamagedError(ValueError):
    """No tar, a truncated one, or one that our own `tar -c` does not write."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member; its content is `size` bytes at `offset`. `kind` is a type flag, every plain file's is `REGULAR`."""

    name: str
    link: str
    kind: bytes
    mode: int
    mtime: int
    size: int
    offset: int


@dataclass(frozen=True, slots=True)
class _Header:
    name: bytes
    link: bytes
    kind: bytes
    mode: int
    mtime: int
    size: int


def members(source: BinaryIO) -> Iterator[Member]:
    """The members up to the end mark; whoever iterates may move `source` about.

    Raises `DamagedError`, also for a member whose content is cut off and for an archive without its end mark.
    """
    end = source.seek(0, io.SEEK_END)
    at = 0
    long: dict[str, str] = {}
    while (block := _read(source, at, BLOCK)) != _END:
        header = _header(block)
        offset = at + BLOCK
        size = 0 if header.kind in _WITHOUT_CONTENT else header.size
        at = offset + size + -size % BLOCK
        if at > end:
            raise DamagedError("a member that is cut off")
        if header.kind in _LONG:
            _keep(long, _LONG[header.kind], source, offset, size)
            continue
        name, link = long.pop("name", _text(header.name)), long.pop("link", _text(header.link))
        yield Member(name, link, header.kind, header.mode, header.mtime, size, offset)
    if long:
        raise DamagedError("a long name without its member")


class Visitor(Protocol):
    """Whoever is told what a tar holds, in its order."""

    def begin(self, member: Member) -> None:
        """A member; `offset` is 0."""
        ...

    def take(self, data: bytes) -> None:
        """The next piece of its content."""
        ...


Reading = Generator[int, bytes, None]
"""Asks for a number of bytes, more than none, and gets exactly as many."""


def reading(visitor: Visitor, first: bytes = b"") -> Reading:
    """Reads one tar that comes as a stream, up to its end mark; `first` is its first block where that came already.

    Raises `DamagedError`, and what the visitor raises.
    """
    long: dict[str, str] = {}
    while (block := first or (yield BLOCK)) != _END:
        first = b""
        header = _header(block)
        left = 0 if header.kind in _WITHOUT_CONTENT else header.size
        padding = -left % BLOCK
        if header.kind in _LONG:
            what = _LONG[header.kind]
            _require_short(long, what, left)
            long[what] = _text((yield left + padding)[:left]) if left else ""
            continue
        name, link = long.pop("name", _text(header.name)), long.pop("link", _text(header.link))
        visitor.begin(Member(name, link, header.kind, header.mode, header.mtime, left, 0))
        while left:
            data = yield min(left, _CHUNK)
            visitor.take(data)
            left -= len(data)
        if padding:
            yield padding
    if long:
        raise DamagedError("a long name without its member")


class Feed:
    """Hands a stream, cut anywhere, to a reading piece by piece."""

    def __init__(self, steps: Reading) -> None:
        """Start the reading."""
        self._steps = steps
        self._have = bytearray()
        self._need = next(steps)
        self.ended = False

    def write(self, data: memoryview) -> memoryview:
        """Take the next bytes; returns those behind the reading's end. Raises what the reading raises."""
        while data and not self.ended:
            missing = self._need - len(self._have)
            self._have += data[:missing]
            data = data[missing:]
            if len(self._have) < self._need:
                break
            piece = bytes(self._have)
            self._have.clear()
            try:
                self._need = self._steps.send(piece)
            except StopIteration:
                self.ended = True
        return data


def _keep(long: dict[str, str], what: str, source: BinaryIO, offset: int, size: int) -> None:
    _require_short(long, what, size)
    long[what] = _text(_read(source, offset, size))


def _require_short(long: dict[str, str], what: str, size: int) -> None:
    if what in long or size > MAX_LONG_NAME:
        raise DamagedError("a header that is too long")


def _read(source: BinaryIO, at: int, size: int) -> bytes:
    source.seek(at)
    data = source.read(size)
    if len(data) != size:
        raise DamagedError("an end that is missing")
    return data


def _header(block: bytes) -> _Header:
    if _number(block[148:156]) != sum(block) - sum(block[148:156]) + 8 * ord(" "):
        raise DamagedError("a header whose checksum is wrong")
    kind, size = block[156:157], _number(block[124:136])
    if kind in _REFUSED:
        raise DamagedError("an extended header or a sparse file")
    if size < 0:
        raise DamagedError("a negative size")
    name, prefix = block[:100].partition(b"\0")[0], block[345:500].partition(b"\0")[0]
    # Only a POSIX header has a prefix there; GNU's has its times.
    if prefix and block[257:263] == _USTAR:
        name = prefix + b"/" + name
    if kind in {_OLD_REGULAR, _CONTIGUOUS}:
        kind = DIRECTORY if kind == _OLD_REGULAR and name.endswith(b"/") else REGULAR
    link = block[157:257].partition(b"\0")[0]
    return _Header(name, link, kind, _number(block[100:108]), _number(block[136:148]), size)


def _number(field: bytes) -> int:
    """Octal digits, or GNU's big-endian binary behind a byte that says so, and its sign."""
    if field[0] in _BINARY:
        return int.from_bytes(field[1:]) - (1 << 8 * (len(field) - 1) if field[0] == max(_BINARY) else 0)
    try:
        return int(field.strip(b"\0 ") or b"0", 8)
    except ValueError:
        raise DamagedError("a header whose numbers are none") from None


def _text(name: bytes) -> str:
    return name.partition(b"\0")[0].decode("utf-8", "surrogateescape")
