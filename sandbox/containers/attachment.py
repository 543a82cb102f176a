"""Attends one container from start to end: feeds stdin, reads the output, kills from another thread.

Killing from the thread that reads deadlocks on a flood, since the engine waits for its output to be read; so the
reader goes on draining while the killer waits for the engine.
"""

import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from sandbox.containers.connection import Client
from sandbox.containers.stream import Output
from sandbox.errors import EngineStuckError, SandboxError
from sandbox.spec import Verdict

if TYPE_CHECKING:
    from sandbox.containers.transport import BoundSocket

GRACE_SECONDS = 15.0
_CHUNK = 1 << 18


class Attachment:
    """The attached stream of one container that has not started yet. A context manager: it closes the stream."""

    def __init__(self, client: Client, container: str, send_seconds: float, grace_seconds: float) -> None:
        """Attach. The socket's own timeout, `send_seconds`, bounds a write that nobody reads.

        `grace_seconds` is how long a container may go on after it was killed.
        """
        params = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        stream: Any = client.attach_socket(container, params=params)
        # The SDK hands out the raw stream only: half-closing it, which ends the container's stdin, takes its socket,
        # and closing it without a complaint from the garbage collector takes the response that wraps it.
        self._socket: BoundSocket = stream._sock  # noqa: SLF001
        self._response: Any = stream._response  # noqa: SLF001
        # From here on the run's deadline counts, not that of the call which attached.
        self._socket.clock = None
        self._socket.settimeout(send_seconds)
        self._grace = grace_seconds
        self._feeder: threading.Thread | None = None
        self._failure: BaseException | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        if self._feeder is not None:
            self._feeder.join()
        self._response.close()
        self._socket.close()

    @property
    def silent(self) -> bool:
        """Whether nothing has come so far, not even the stream's end."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._socket, selectors.EVENT_READ)
            return not selector.select(0)

    def feed(self, archive: Iterable[bytes]) -> None:
        """Write the archive to stdin from a thread of its own, then close stdin."""
        self._feeder = threading.Thread(target=self._feed, args=(archive,), daemon=True)
        self._feeder.start()

    def _feed(self, archive: Iterable[bytes]) -> None:
        try:
            for chunk in archive:
                self._socket.sendall(chunk)
        except OSError:
            # A container that ends early reads no further; how it ended says why.
            return
        except Exception as error:  # noqa: BLE001 (whatever the archive raises belongs to the caller's thread)
            self._failure = error
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def drain(self, output: Output, seconds: float, kill: Callable[[], None]) -> Verdict | None:
        """Read until the stream ends; after `seconds` or on a breach, kill. Returns why it was killed, if it was.

        Raises what the archive raised, and `EngineStuckError` when a killed container goes on.
        """
        reason: Verdict | None = None
        end = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._socket, selectors.EVENT_READ)
            while True:
                left = end - time.monotonic()
                if left <= 0 and reason is not None:
                    raise EngineStuckError(
                        "The container engine did not end a container that it was told to kill", "Restart the engine."
                    )
                if left > 0 and selector.select(left):
                    data = self._receive()
                    if not data:
                        break
                    output.feed(data)
                if reason is None and (output.breach or left <= 0):
                    reason = output.breach or Verdict.TIMEOUT
                    threading.Thread(target=_attempt, args=(kill,), daemon=True).start()
                    end = time.monotonic() + self._grace
        if self._failure is not None:
            raise self._failure
        return reason

    def _receive(self) -> bytes:
        try:
            return self._socket.recv(_CHUNK)
        except ConnectionError:
            return b""


def _attempt(kill: Callable[[], None]) -> None:
    # A kill that fails shows itself to the reader, which waits for the end only so long.
    with suppress(SandboxError):
        kill()
