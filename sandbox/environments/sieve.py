"""What an install leaves on stdout: the tar of /env, then perhaps that of the package cache, each sanitised at once."""

from typing import BinaryIO

from sandbox.environments import ustar
from sandbox.environments.layer import Sanitiser, refused
from sandbox.errors import InstallFailedError
from sandbox.spec import Limits

ENVIRONMENT = "env"
CACHE = "cache"


class Sieve:
    """Takes that stream as it comes, and writes the tars of our own that become the image's layer and the kept cache.

    What the cache holds is never an error: a cache that is damaged, too large, or holds what no cache may, is not kept.
    """

    def __init__(self, environment: BinaryIO, limits: Limits, cache: BinaryIO | None = None) -> None:
        """Both files are empty, and read again while they are written. The cache's gets no end mark."""
        self._environment = Sanitiser(environment, ENVIRONMENT, limits.results, limits.inodes)
        self._first = ustar.Feed(self._whole())
        self._fault: InstallFailedError | None = None
        self._second: ustar.Feed | None = None
        self._cache: Sanitiser | None = None
        if cache is not None:
            self._cache = Sanitiser(cache, CACHE, limits.cache, limits.inodes)
            self._second = ustar.Feed(_behind_a_gap(self._cache))

    @property
    def occupied(self) -> int:
        """Bytes that the environment takes on disk."""
        return self._environment.occupied

    @property
    def bound(self) -> tuple[str, ...]:
        """The files that are laid under the tree of a run, and may differ with it; paths relative to the tree."""
        return self._environment.bound

    @property
    def cache_occupied(self) -> int | None:
        """Bytes that the cache takes in memory, `None` unless it came whole."""
        return self._cache.occupied if self._cache and self._second and self._second.ended else None

    def write(self, data: bytes | memoryview) -> None:
        """Take the next bytes; nothing more is written once the environment holds what none may. Raises `OSError`."""
        rest = memoryview(data)
        if self._fault is not None:
            return
        if not self._first.ended:
            try:
                rest = self._first.write(rest)
            except ustar.DamagedError as error:
                self._fault = refused(f"no readable archive: {error}")
            except InstallFailedError as error:
                self._fault = error
        if self._first.ended and self._second is not None:
            try:
                self._second.write(rest)
            except (ustar.DamagedError, InstallFailedError):
                self._second = None

    def finish(self) -> None:
        """Raise `InstallFailedError` for what no environment may hold, and when it did not come whole."""
        if self._fault is not None:
            raise self._fault
        if not self._first.ended:
            raise refused("no readable archive: an end that is missing")

    def _whole(self) -> ustar.Reading:
        yield from ustar.reading(self._environment)
        self._environment.finish()


def _behind_a_gap(visitor: ustar.Visitor) -> ustar.Reading:
    """A tar's end mark is padded to a record, whose length each tar chooses."""
    block = yield ustar.BLOCK
    while not any(block):
        block = yield ustar.BLOCK
    yield from ustar.reading(visitor, block)
