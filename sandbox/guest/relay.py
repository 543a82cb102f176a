"""Relays 127.0.0.1:PORT inside the container to the proxy's unix socket; one standard-library file.

Run as `relay.py PORT SOCKET`; prints one line when it listens.
"""

import asyncio
import contextlib
import sys

AT_ONCE = 48
"""Fewer than the proxy takes at once: some clients open hundreds, and never recover from one that is refused."""


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy until the sender ends, then pass the end on."""
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(OSError):
        writer.write_eof()


async def serve(port: int, socket: str) -> None:
    """Listen for ever; what comes beyond `AT_ONCE` waits here for its turn."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            inner, outer = await asyncio.open_unix_connection(socket)
            await asyncio.gather(copy(reader, outer), copy(inner, writer))
            outer.close()
        except OSError:
            pass
        finally:
            writer.close()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with turns:
            await relay(reader, writer)

    server = await asyncio.start_server(handle, "127.0.0.1", port)
    print("listening", flush=True)  # noqa: T201 - whoever starts the relay waits for this line
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2]))
