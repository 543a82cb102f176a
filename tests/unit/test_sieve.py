import io
import tarfile

import pytest
from fakes_engine import tar
from hypothesis import given
from hypothesis import strategies as st

from sandbox.environments.sieve import Sieve
from sandbox.errors import InstallFailedError
from sandbox.spec import Limits

LIMITS = Limits(results=1 << 20, cache=1 << 20)
ENVIRONMENT = tar({"./lib/a.py": b"a" * 3000})
CACHE = tar({"./pip/wheel": b"w" * 5000})
END = bytes(1024)


def sieved(data: bytes, size: int = 1 << 20, limits: Limits = LIMITS) -> tuple[Sieve, bytes, bytes]:
    environment, cache = io.BytesIO(), io.BytesIO()
    sieve = Sieve(environment, limits, cache)
    for at in range(0, len(data), size):
        sieve.write(memoryview(data)[at : at + size])
    sieve.finish()
    return sieve, environment.getvalue(), cache.getvalue()


def names(data: bytes) -> list[str]:
    with tarfile.open(fileobj=io.BytesIO(data)) as reader:
        return reader.getnames()


@given(st.integers(1, 20_000), st.integers(0, 30))
def test_environment_and_cache_are_told_apart_however_the_stream_is_cut_and_padded(size: int, padding: int) -> None:
    sieve, environment, cache = sieved(ENVIRONMENT + bytes(512 * padding) + CACHE, size)
    assert names(environment) == ["env/lib/a.py"]
    assert names(cache + END) == ["cache/pip/wheel"]
    assert not cache.endswith(END)
    assert sieve.occupied == 2 * 4096
    assert sieve.cache_occupied == 3 * 4096


def test_what_is_wrong_with_a_cache_is_no_error_and_it_is_not_kept() -> None:
    hostile = [
        CACHE[:2000],
        b"no tar" * 1000,
        tar({"../x": b"1"}),
        tar({"./big": b"x" * (2 << 20)}),
        b"",
    ]
    for cache in hostile:
        sieve, environment, _ = sieved(ENVIRONMENT + cache)
        assert sieve.cache_occupied is None
        assert names(environment) == ["env/lib/a.py"]


def test_a_fault_of_the_environment_stops_the_writing_and_is_raised_at_the_end() -> None:
    environment, cache = io.BytesIO(), io.BytesIO()
    sieve = Sieve(environment, LIMITS, cache)
    sieve.write(tar({"./a": b"1", "../b": b"2", "./c": b"3"}))
    sieve.write(CACHE)
    with pytest.raises(InstallFailedError, match="holds the path"):
        sieve.finish()
    assert cache.getvalue() == b""
    assert names(environment.getvalue() + END) == ["env/a"]


def test_no_more_is_written_than_the_limits_allow_whatever_comes() -> None:
    small = Limits(results=100_000, cache=50_000)
    environment, cache = io.BytesIO(), io.BytesIO()
    sieve = Sieve(environment, small, cache)
    for _ in range(50):
        sieve.write(tar({f"./{number}": b"x" * 900 for number in range(100)}))
    assert len(environment.getvalue()) <= small.results
    assert len(cache.getvalue()) <= small.cache
    with pytest.raises(InstallFailedError):
        sieve.finish()


def test_hard_links_cannot_multiply_what_is_written() -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as writer:
        first = tarfile.TarInfo("a")
        first.size = 1 << 18
        writer.addfile(first, io.BytesIO(b"x" * first.size))
        for number in range(1000):
            link = tarfile.TarInfo(f"l{number}")
            link.type, link.linkname = tarfile.LNKTYPE, "a"
            writer.addfile(link)
    environment = io.BytesIO()
    sieve = Sieve(environment, LIMITS)
    sieve.write(stream.getvalue())
    with pytest.raises(InstallFailedError, match="more than the limits allow"):
        sieve.finish()
    assert len(environment.getvalue()) <= LIMITS.results
