"""Logs lie on other hosts: those get no token, and of none more than a cap is read."""

import gzip
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO

import httpx

from bot.adapters.github import archives

KEPT_CHARACTERS = 200_000
MOST_BYTES = 64 << 20
"""How much of one log is downloaded at most; the end is what counts."""
MOST_SECONDS = 120.0
UTF8_WIDTH = 4
CHUNK = 1 << 16
GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Caps:
    """How many bytes and seconds one download may take."""

    bytes: int = MOST_BYTES
    seconds: float = MOST_SECONDS


def download(url: str, job: str = "", caps: Caps = Caps()) -> str:
    """The last 200,000 characters of a log, fetched without any credential; a note in brackets where that fails.

    What turns out to be an archive is searched for the job's files, and what is compressed is unpacked.
    """
    try:
        with httpx.Client(
            follow_redirects=True, max_redirects=3, timeout=30.0, headers={"Accept-Encoding": "identity"}
        ) as client:
            return _read(client, url, job, caps)
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        return unread(type(error).__name__)


def unread(cause: str) -> str:
    """What stands in place of a log."""
    return f"[the job's log could not be read: {cause}]"


def _read(client: httpx.Client, url: str, job: str, caps: Caps) -> str:
    deadline = time.monotonic() + caps.seconds
    with client.stream("GET", url) as response:
        response.raise_for_status()
        chunks = response.iter_bytes(CHUNK)
        first = next(chunks, b"")
        if first.startswith((*archives.SIGNATURES, GZIP)):
            return _packed(_from(first, chunks), job, caps.bytes, deadline)
        length = response.headers.get("content-length", "")
        if not length.isdecimal() or int(length) <= caps.bytes:
            return _tail(_from(first, chunks), caps.bytes, deadline)
    # Too long, so its end is asked for; a host that begins at the beginning all the same is cut off.
    last = {"Range": f"bytes={int(length) - caps.bytes}-{int(length) - 1}"}
    with client.stream("GET", response.url, headers=last) as response:
        response.raise_for_status()
        return _tail(response.iter_bytes(CHUNK), caps.bytes, deadline)


def _from(first: bytes, rest: Iterable[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _packed(chunks: Iterable[bytes], job: str, most: int, deadline: float) -> str:
    with tempfile.TemporaryFile() as file:
        for chunk in chunks:
            file.write(chunk)
            if file.tell() > most or time.monotonic() > deadline:
                return unread(f"its archive is larger than {most} bytes, or slow")
        file.seek(0)
        if file.read(len(GZIP)) == GZIP:
            file.seek(0)
            return _tail(_unzipped(file), most, deadline)
        found = archives.job_log(file, job)
        return _text(found, "") if found else unread("its archive is empty or damaged")


def _unzipped(file: IO[bytes]) -> Iterator[bytes]:
    try:
        with gzip.open(file) as opened:
            while chunk := opened.read(CHUNK):
                yield chunk
    except (OSError, EOFError, zlib.error):
        yield b"\n[the rest of this log is damaged]\n"


def _tail(chunks: Iterable[bytes], most_bytes: int, deadline: float) -> str:
    tail, seen, note = bytearray(), 0, ""
    for chunk in chunks:
        tail += chunk
        seen += len(chunk)
        if len(tail) > 2 * UTF8_WIDTH * KEPT_CHARACTERS:
            del tail[: -UTF8_WIDTH * KEPT_CHARACTERS]
        if seen > most_bytes or time.monotonic() > deadline:
            note = unread(f"only {seen} bytes of it")
            break
    return _text(bytes(tail), note)


def _text(data: bytes, note: str) -> str:
    # GitHub's logs begin with a byte order mark.
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    return text[-(KEPT_CHARACTERS - len(note)) :] + note
