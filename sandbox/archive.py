"""Bounded tar in and out: what goes into a container, and what of its answer is kept."""

from collections.abc import Iterator, Mapping

from sandbox.spec import Tree


def pack(trees: Mapping[str, Tree]) -> Iterator[bytes]:
    """An uncompressed tar of each tree below its mount name, such as "repo" or "regreen"; owner 10001.

    Raises `TreeTooLargeError` for a path that is not a plain relative one.
    """
    raise NotImplementedError


def unpack(data: bytes, limit: int) -> Mapping[str, bytes]:
    """The regular files of a hostile tar, at most `limit` bytes of content; everything else is left out."""
    raise NotImplementedError
