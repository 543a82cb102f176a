"""The install phase's only way out: an allowlist proxy on a unix socket, in a thread of its own.

It opens tunnels (CONNECT) to listed origins and nothing else, resolves each name once, refuses addresses that are not
public unless the operator listed the host, connects to the address that it checked, and lets a tunnel pass only when
the TLS ClientHello names the host that was asked for. What travels inside TLS it cannot see: a listed host that also
serves somebody else's content (domain fronting by the Host header) must not be listed.
"""

import asyncio
import contextlib
import os
import socket
import threading
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from sandbox import addresses
from sandbox.clienthello import NotTlsError, handshake, server_name
from sandbox.origin import Origin

SOCKET_NAME = "egress.sock"

_MAX_HEADER = 16 * 1024
_MAX_CONNECTIONS = 64
_CHUNK = 1 << 16

Resolve = Callable[[str, int], Awaitable[tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Decision:
    """What the proxy made of one request."""

    host: str
    port: int
    allowed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds: to send the header and the hello, to connect, and without a byte either way."""

    header: float = 15.0
    connect: float = 15.0
    idle: float = 120.0


class _RefusedError(Exception):
    def __init__(self, origin: Origin, reason: str, status: str = "403 Forbidden") -> None:
        super().__init__(reason)
        self.origin = origin
        self.reason = reason
        self.status = status


@dataclass(frozen=True, slots=True)
class _Request:
    origin: Origin
    opening: bytes
    """What goes to the origin first: nothing for a tunnel, the rewritten request for plain HTTP."""


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
        private: Iterable[str] = (),
        *,
        timeouts: Timeouts | None = None,
        resolve: Resolve = resolve_names,
    ) -> None:
        """`private` lists hosts that may resolve to addresses which are not public."""
        self._directory = directory
        self._allow = frozenset(allow)
        self._private = frozenset(host.lower() for host in private)
        self._timeouts = timeouts or Timeouts()
        self._resolve = resolve
        self._decisions: list[Decision] = []
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
        """Every decision so far, oldest first."""
        return tuple(self._decisions)

    def refused(self) -> tuple[str, ...]:
        """The origins that were refused, as `host:port (reason)`, each once."""
        return tuple(
            dict.fromkeys(f"{one.host}:{one.port} ({one.reason})" for one in self._decisions if not one.allowed)
        )

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
        if len(self._tasks) >= _MAX_CONNECTIONS:
            writer.close()
            return
        task = self._loop.create_task(self._serve(reader, writer))
        self._tasks[task] = writer
        task.add_done_callback(self._tasks.pop)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            try:
                await self._handle(reader, writer)
            except _RefusedError as refusal:
                self._record(refusal.origin, allowed=False, reason=refusal.reason)
                writer.write(f"HTTP/1.1 {refusal.status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
                await writer.drain()
            finally:
                writer.close()

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(self._timeouts.header):
            request = _parse(await reader.readuntil(b"\r\n\r\n"))
        if request.origin not in self._allow:
            raise _RefusedError(request.origin, "not on the list")
        inner, outer = await self._connect(request.origin, await self._addresses(request.origin))
        try:
            opening = request.opening
            if request.origin.tls:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                opening = await self._hello(request.origin, reader)
            self._record(request.origin, allowed=True, reason="listed")
            outer.write(opening)
            # A plain request is one request: what a client would send behind it might be meant for another host.
            upwards = reader if request.origin.tls else None
            await self._relay(upwards, outer, inner, writer)
        finally:
            outer.close()

    async def _addresses(self, origin: Origin) -> tuple[str, ...]:
        if addresses.is_literal(origin.host):
            raise _RefusedError(origin, "an address instead of a name")
        try:
            async with asyncio.timeout(self._timeouts.connect):
                found = await self._resolve(origin.host, origin.port)
        except (OSError, TimeoutError):
            found = ()
        if not found:
            raise _RefusedError(origin, "the name does not resolve", "502 Bad Gateway")
        for address in found:
            reason = addresses.refusal(address, private=origin.host in self._private)
            if reason is not None:
                raise _RefusedError(origin, f"it resolves to {reason}")
        return found

    async def _connect(
        self, origin: Origin, checked: tuple[str, ...]
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        for address in checked:
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(self._timeouts.connect):
                    return await asyncio.open_connection(address, origin.port)
        raise _RefusedError(origin, "it does not answer", "502 Bad Gateway")

    async def _hello(self, origin: Origin, reader: asyncio.StreamReader) -> bytes:
        received = b""
        try:
            async with asyncio.timeout(self._timeouts.header):
                while (body := handshake(received)) is None and (data := await reader.read(_CHUNK)):
                    received += data
            name = server_name(body or b"")
        except NotTlsError as error:
            raise _RefusedError(origin, f"the tunnel carries {error}") from None
        if name.rstrip(".") != origin.host:
            raise _RefusedError(origin, "the TLS server name is another host's")
        return received

    async def _relay(
        self,
        upwards: asyncio.StreamReader | None,
        outer: asyncio.StreamWriter,
        inner: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        up = asyncio.create_task(self._copy(upwards, outer)) if upwards else None
        try:
            await self._copy(inner, writer)
        finally:
            if up is not None:
                up.cancel()
                await asyncio.gather(up, return_exceptions=True)

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            async with asyncio.timeout(self._timeouts.idle):
                data = await reader.read(_CHUNK)
            if not data:
                return
            writer.write(data)
            await writer.drain()

    def _record(self, origin: Origin, *, allowed: bool, reason: str) -> None:
        self._decisions.append(Decision(origin.host, origin.port, allowed, reason))


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


def _parse(header: bytes) -> _Request:
    """Read the request header of a proxy client (RFC 9110 section 9.3.6, RFC 9112 section 3.2.2)."""
    lines = header.decode("latin-1").split("\r\n")
    method, _, rest = lines[0].partition(" ")
    target = rest.rpartition(" ")[0]
    try:
        origin = Origin.parse(f"https://{target}" if method == "CONNECT" else target)
    except ValueError:
        raise _RefusedError(Origin("?", 0), "no request that a proxy understands") from None
    if method == "CONNECT":
        return _Request(origin, b"")
    if method not in {"GET", "HEAD"} or origin.tls:
        raise _RefusedError(origin, "neither a tunnel nor a plain GET")
    return _Request(origin, _plain_request(method, target, origin, lines[1:]))


def _plain_request(method: str, target: str, origin: Origin, headers: list[str]) -> bytes:
    parts = urlsplit(target)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    kept = [line for line in headers if line.partition(":")[0].lower() in {"user-agent", "accept", "accept-encoding"}]
    lines = [f"{method} {path} HTTP/1.1", f"Host: {origin.host}:{origin.port}", "Connection: close", *kept]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
