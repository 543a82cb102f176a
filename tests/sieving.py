"""Whole tars through the sieve at once, and in pieces."""

import io
from collections.abc import Iterator

from sandbox.environments.sieve import Sieve
from sandbox.spec import Limits

PIECE = 1000


def sanitise(source: io.BytesIO, sink: io.BytesIO, limits: Limits) -> None:
    """The environment alone, in pieces that end nowhere in particular. Raises `InstallFailedError`."""
    sieve = Sieve(sink, limits)
    for piece in pieces(source.getvalue()):
        sieve.write(piece)
    sieve.finish()


def pieces(data: bytes) -> Iterator[bytes]:
    """The bytes, some at a time."""
    return (data[at : at + PIECE] for at in range(0, len(data), PIECE))
