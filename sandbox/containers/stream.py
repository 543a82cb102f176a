"""The engine's multiplexed output stream, read once, in linear time and bounded memory.

Source: "Stream format" of the Docker Engine API's attach call: an 8-byte header (stream, 3 zeros, big-endian length).
"""

from collections.abc import Callable
from typing import Protocol

from sandbox.spec import Limits, Verdict

STDOUT = 1
STDERR = 2
_HEADER = 8

Write = Callable[[memoryview], None]


class Sink(Protocol):
    """What takes a container's results as they come."""

    def write(self, data: bytes | memoryview, /) -> object:
        """Take the next bytes."""
        ...


class FrameError(Exception):
    """Bytes that are no frame: the engine is not what it seems."""


class Frames:
    """Cuts a byte stream into frames and hands the payload on as it comes; a frame is never held whole."""

    def __init__(self, stdout: Write, stderr: Write) -> None:
        """Each payload goes to the writer of its stream."""
        self._writers = {STDOUT: stdout, STDERR: stderr}
        self._header = bytearray()
        self._stream = 0
        self._left = 0

    def feed(self, data: bytes) -> None:
        """Take the next bytes, cut anywhere. Raises `FrameError`."""
        rest = memoryview(data)
        while rest:
            rest = self._payload(rest) if self._left else self._head(rest)

    def _payload(self, data: memoryview) -> memoryview:
        taken = data[: self._left]
        self._left -= len(taken)
        self._writers[self._stream](taken)
        return data[len(taken) :]

    def _head(self, data: memoryview) -> memoryview:
        missing = _HEADER - len(self._header)
        self._header += data[:missing]
        if len(self._header) == _HEADER:
            self._stream, self._left = self._header[0], int.from_bytes(self._header[4:])
            if self._stream not in self._writers or any(self._header[1:4]):
                message = f"no frame header: {bytes(self._header)!r}"
                raise FrameError(message)
            self._header.clear()
        return data[missing:]


class Ends:
    """Keeps the first and the last half of `kept` bytes of whatever is written."""

    def __init__(self, kept: int) -> None:
        """`kept` bounds the memory to about one and a half times as much."""
        self._half = max(kept // 2, 1)
        self._first = bytearray()
        self._last = bytearray()
        self.total = 0

    def write(self, data: memoryview) -> None:
        """Take the next bytes."""
        self.total += len(data)
        room = self._half - len(self._first)
        self._first += data[:room]
        self._last += data[room:][-self._half :]
        if len(self._last) > 2 * self._half:
            del self._last[: -self._half]

    @property
    def truncated(self) -> bool:
        """Whether bytes in the middle were dropped."""
        return self.total > 2 * self._half

    @property
    def value(self) -> bytes:
        """What was kept; where bytes were dropped, a line says how many."""
        last = self._last[-self._half :]
        dropped = self.total - len(self._first) - len(last)
        note = f"\n[... {dropped} bytes left out ...]\n".encode() if dropped else b""
        return bytes(self._first) + note + bytes(last)


class Output:
    """Both streams of one container against its limits; once one is breached, the rest is discarded."""

    def __init__(self, limits: Limits, results: Sink, mark: bytes, secret: bytes) -> None:
        """Stdout starts with `mark`; what follows `secret` goes to `results`. Stderr's ends are kept."""
        self._limits = limits
        self._results = results
        self._mark = mark
        self._secret = secret
        self._marked = bytearray()
        self._before = bytearray()
        self._authentic = False
        self._written = 0
        self._frames = Frames(self._stdout, self._stderr)
        self.log = Ends(limits.output_kept)
        self.breach: Verdict | None = None
        self._forged = False

    @property
    def marked(self) -> bool:
        """Whether the mark has come."""
        return self._marked == self._mark

    @property
    def forged(self) -> bool:
        """Whether anybody else than the first process wrote to stdout."""
        return self._forged or (not self._authentic and bool(self._before))

    def feed(self, data: bytes) -> None:
        """Take the next bytes from the engine. Raises `FrameError`, and whatever the results' file raises."""
        self._frames.feed(data)

    def _stdout(self, data: memoryview) -> None:
        missing = len(self._mark) - len(self._marked)
        self._marked += data[:missing]
        rest = data[missing:]
        self._written += len(rest)
        if self._written > self._limits.results + self._limits.cache + len(self._secret):
            self.breach = self.breach or Verdict.RESULT_LIMIT
        if self.breach is None:
            self._results.write(rest if self._authentic else self._authenticated(rest))

    def _authenticated(self, data: memoryview) -> bytes:
        """What of `data` follows the secret; as much of what precedes it is kept as may be the secret's beginning."""
        self._before += data
        place = self._before.find(self._secret)
        self._authentic = place >= 0
        self._forged = self._forged or place > 0
        if self._authentic:
            return bytes(self._before[place + len(self._secret) :])
        excess = max(0, len(self._before) - len(self._secret))
        self._forged = self._forged or excess > 0
        del self._before[:excess]
        return b""

    def _stderr(self, data: memoryview) -> None:
        self.log.write(data)
        if self.log.total > self._limits.output_total:
            self.breach = self.breach or Verdict.OUTPUT_LIMIT
