"""The archive of a workflow run's logs: how its files are called and laid out has changed, and is promised nowhere.

Seen so far: `0_build.txt` for a job; `build/1_Set up.txt` for each of its steps, with or without the former;
`build/system.txt` beside them. Names lose what file systems refuse, are cut, and get numbers where two are the same.
"""

import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

MOST_FILES = 5_000
MOST_BYTES = 64 << 20
"""How much of one archive is unpacked at most, whatever its headers say."""
KEPT_BYTES = 800_000
CHUNK = 1 << 16
SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06")
SAME = 60
"""Letters and digits by which two names are the same."""
ENCRYPTED = 0x1
_NUMBERED = re.compile(r"-?\d+_")
_SYSTEM = "system.txt"


def job_log(archive: IO[bytes], job: str) -> bytes:
    """The end of what the archive holds of a job, of all its files where none is named after the job.

    Empty for what is no archive, or is damaged all through.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            return _kept(opened, _chosen(opened.infolist()[:MOST_FILES], job))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return b""


def _chosen(files: list[zipfile.ZipInfo], job: str) -> list[zipfile.ZipInfo]:
    texts = [one for one in files if not one.is_dir() and not one.flag_bits & ENCRYPTED]
    named = [one for one in texts if "/" not in one.filename and _same(_NUMBERED.sub("", one.filename, count=1), job)]
    steps = [one for one in texts if "/" in one.filename and _same(one.filename.partition("/")[0], job)]
    steps.sort(key=_step)
    return named or [one for one in steps if not one.filename.endswith(_SYSTEM)] or steps or texts


def _same(name: str, job: str) -> bool:
    here, there = _plain(name.removesuffix(".txt")), _plain(job)
    return bool(there) and (here == there or here.rstrip("0123456789") == there)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()[:SAME]


def _step(file: zipfile.ZipInfo) -> tuple[int, str]:
    number = file.filename.rpartition("/")[2].partition("_")[0]
    return int(number) if number.isdecimal() and len(number) < SAME else 0, file.filename


def _kept(archive: zipfile.ZipFile, files: list[zipfile.ZipInfo]) -> bytes:
    tail, left = bytearray(), MOST_BYTES
    for file in files:
        for chunk in _chunks(archive, file):
            tail += chunk
            left -= len(chunk)
            if len(tail) > 2 * KEPT_BYTES:
                del tail[:-KEPT_BYTES]
            if left <= 0:
                return bytes(tail[-KEPT_BYTES:])
    return bytes(tail[-KEPT_BYTES:])


def _chunks(archive: zipfile.ZipFile, file: zipfile.ZipInfo) -> Iterator[bytes]:
    try:
        with archive.open(file) as opened:
            while chunk := opened.read(CHUNK):
                yield chunk
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError):
        yield b"\n[the rest of this log is damaged]\n"
