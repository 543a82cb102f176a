"""The install phase's only way out: an allowlist proxy on a unix socket, in a thread of its own.

It opens tunnels (CONNECT) to listed origins and nothing else, resolves each name once, refuses addresses that are not
public unless the operator listed the host, connects to an address that it checked, half a minute ago at most, and lets
a tunnel pass only when the TLS ClientHello names the host that was asked for. What travels inside TLS it cannot see: a
listed host that also serves somebody else's content (domain fronting by the Host header) must not be listed.
"""

import asyncio
import contextlib
import os
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from sandbox.network import addresses
from sandbox.network.clienthello import NotTlsError, receive
from sandbox.network.decisions import NOT_LISTED, RESOLVES_TO, UNRESOLVED, Decision, Decisions, Refusals
from sandbox.network.origin import Origin
from sandbox.network.request_head import END, NOBODY, RefusedError, malformed, parse
from sandbox.spec import Egress

SOCKET_NAME = "egress.sock"

_MAX_HEADER = 16 * 1024
_MAX_CONNECTIONS = 64
_CHUNK = 1 << 16
_RETRIES = 3
_UNREACHABLE = "502 Bad Gateway"
_REMEMBERED_SECONDS = 30.0

Resolve = Callable[[str, int], Awaitable[tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds: to send the header and the hello, to connect, without a byte either way, and between two look-ups.

    A name is looked up again, a few times within `connect`, while its resolver says that it cannot tell just now.
    """

    header: float = 15.0
    connect: float = 15.0
    idle: float = 120.0
    pause: float = 0.5


async def resolve_names(host: str, port: int) -> tuple[str, ...]:
    """Every address of a host, as the system's resolver knows them. Raises `OSError`."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


class EgressProxy:
    """`with EgressProxy(directory, allow, private) as proxy:` serves on `directory`/egress.sock meanwhile."""

    def __init__(
        self,
        directory: Path,
        allow: Iterable[Origin],
        private: Iterable[Origin] = (),
        *,
        timeouts: Timeouts | None = None,
        resolve: Resolve = resolve_names,
    ) -> None:
        """`private` are the origins that may resolve to addresses which are not public."""
        self._directory = directory
        self._allow = frozenset(allow)
        self._private = frozenset(private)
        self._timeouts = timeouts or Timeouts()
        self._resolve = resolve
        self._decisions = Decisions()
        self._checked: dict[Origin, tuple[float, tuple[str, ...]]] = {}
        self.reached = False
        """Whether anybody has ever connected."""
        self._tasks: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="egress", daemon=True)

    def __enter__(self) -> Self:
        """Listen. Raises `OSError` when the directory is not writable."""
        self._thread.start()
        try:
            self._server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the socket and every tunnel."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._end()

    def decisions(self) -> tuple[Decision, ...]:
        """The decisions so far, oldest first, each once; bounded."""
        return self._decisions.kept()

    def counted(self) -> tuple[Egress, ...]:
        """The decisions so far, each with how often it fell; bounded."""
        return self._decisions.counted()

    def refused(self) -> Refusals:
        """What was refused so far; bounded."""
        return self._decisions.refused()

    async def _listen(self) -> asyncio.Server:
        listener = _listener(self._directory)
        return await asyncio.start_unix_server(self._accept, sock=listener, limit=_MAX_HEADER)

    async def _close(self) -> None:
        self._server.close()
        tasks = dict(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for writer in tasks.values():
            writer.transport.abort()
        await asyncio.sleep(0)  # transports are closed in the loop's next turn

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reached = True
        if len(self._tasks) >= _MAX_CONNECTIONS:
            self._refuse(RefusedError(NOBODY, "too many connections at once"))
            writer.close()
            return
        task = self._loop.create_task(self._serve(reader, writer))
        self._tasks[task] = writer
        task.add_done_callback(self._tasks.pop)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            try:
                await self._handle(reader, writer)
            except RefusedError as refusal:
                self._refuse(refusal)
                writer.write(f"HTTP/1.1 {refusal.status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
                await writer.drain()
            finally:
                writer.close()

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(self._timeouts.header):
                head = await reader.readuntil(END)
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise malformed() from None
            self._refuse()
            raise
        except (asyncio.LimitOverrunError, TimeoutError):
            raise malformed() from None
        request = parse(head)
        if request.origin not in self._allow:
            raise RefusedError(request.origin, NOT_LISTED)
        inner, outer = await self._connect(request.origin, await self._addresses(request.origin))
        try:
            opening = request.opening
            if request.origin.tls:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                opening = await self._hello(request.origin, reader)
            self._decisions.add(request.origin, allowed=True, reason="listed")
            outer.write(opening)
            # A plain request is one request: what a client would send behind it might be meant for another host.
            upwards = reader if request.origin.tls else None
            await self._relay(upwards, outer, inner, writer)
        finally:
            outer.close()

    async def _addresses(self, origin: Origin) -> tuple[str, ...]:
        if addresses.is_literal(origin.host):
            raise RefusedError(origin, "an address instead of a name")
        # What is remembered is what passed the check, so that no later answer takes its place unchecked.
        until, known = self._checked.get(origin, (0.0, ()))
        if time.monotonic() < until:
            return known
        found = await self._resolved(origin)
        for address in found:
            reason = addresses.refusal(address, private=origin in self._private)
            if reason is not None:
                raise RefusedError(origin, RESOLVES_TO + reason)
        self._checked[origin] = time.monotonic() + _REMEMBERED_SECONDS, found
        return found

    async def _resolved(self, origin: Origin) -> tuple[str, ...]:
        reason = "the name does not resolve"
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._timeouts.connect):
                for turn in range(_RETRIES + 1):
                    await asyncio.sleep(self._timeouts.pause * turn)
                    try:
                        if found := await self._resolve(origin.host, origin.port):
                            return found
                    except (OSError, UnicodeError) as error:
                        # A label that is empty or too long for a resolver is no OSError.
                        if getattr(error, "errno", None) == socket.EAI_AGAIN:
                            reason = UNRESOLVED
                            continue
                    raise RefusedError(origin, "the name does not resolve", _UNREACHABLE)
        raise RefusedError(origin, reason, _UNREACHABLE)

    async def _connect(
        self, origin: Origin, checked: tuple[str, ...]
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        for address in checked:
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(self._timeouts.connect):
                    return await asyncio.open_connection(address, origin.port)
        raise RefusedError(origin, "it does not answer", _UNREACHABLE)

    async def _hello(self, origin: Origin, reader: asyncio.StreamReader) -> bytes:
        try:
            async with asyncio.timeout(self._timeouts.header):
                received, name = await receive(reader.read)
        except NotTlsError as error:
            raise RefusedError(origin, f"the tunnel carries {error}") from None
        except TimeoutError:
            raise RefusedError(origin, "the tunnel carries no whole ClientHello in time") from None
        if name.rstrip(".") != origin.host:
            raise RefusedError(origin, "the TLS server name is another host's")
        return received

    async def _relay(
        self,
        upwards: asyncio.StreamReader | None,
        outer: asyncio.StreamWriter,
        inner: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        up = asyncio.create_task(self._upwards(upwards, outer)) if upwards else None
        try:
            await self._copy(inner, writer)
        finally:
            if up is not None:
                up.cancel()
                await asyncio.gather(up, return_exceptions=True)

    async def _upwards(self, reader: asyncio.StreamReader, outer: asyncio.StreamWriter) -> None:
        """Pass the client's end on, so that a server ends the tunnel before it is idle for too long."""
        await self._copy(reader, outer)
        outer.write_eof()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            async with asyncio.timeout(self._timeouts.idle):
                data = await reader.read(_CHUNK)
            if not data:
                return
            writer.write(data)
            await writer.drain()

    def _refuse(self, refusal: RefusedError | None = None) -> None:
        """Count a refusal, one without a cause where nothing was asked; after a thousand, nobody gets in any more."""
        if refusal is None:
            self._decisions.refusals += 1
        else:
            self._decisions.add(refusal.origin, allowed=False, reason=refusal.reason)
        if self._decisions.exhausted:
            self._server.close()


def _listener(directory: Path) -> socket.socket:
    """Bind through the directory's descriptor: a socket's path may have 107 characters, a data directory more."""
    path = directory / SOCKET_NAME
    path.unlink(missing_ok=True)
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"/proc/self/fd/{descriptor}/{SOCKET_NAME}")
    finally:
        os.close(descriptor)
    path.chmod(0o666)  # the container's user is nobody that the host knows
    return listener
