import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sieving import sanitise

from sandbox.containers.archive import unpack
from sandbox.environments import ustar
from sandbox.errors import InstallFailedError
from sandbox.spec import Limits

Parts = list[tuple[bytes, str, bytes]]


def tar(parts: Parts, layout: int = tarfile.GNU_FORMAT, end: bytes = bytes(1024)) -> bytes:
    """Members as tarfile writes their headers: type, name, content."""
    blocks = []
    for kind, name, data in parts:
        member = tarfile.TarInfo(name)
        member.type, member.size = kind, len(data)
        blocks.append(member.tobuf(layout) + data + bytes(-len(data) % ustar.BLOCK))
    return b"".join(blocks) + end


class Counted(io.BytesIO):
    """Counts the bytes that are read."""

    taken = 0

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self.taken += len(data)
        return data


def taken(data: bytes) -> int:
    source = Counted(data)
    with pytest.raises(ustar.DamagedError):
        list(ustar.members(source))
    return source.taken


@pytest.mark.parametrize("kind", [b"x", b"g", b"X", b"S"])
def test_extended_headers_are_refused_by_their_type_without_a_look_at_what_they_hold(kind: bytes) -> None:
    hostile = [tar([(kind, "pax", b"1" * size)]) for size in (100_000, 200_000)]
    assert [taken(data) for data in hostile] == [ustar.BLOCK] * 2
    for data in hostile:
        assert unpack(data, 1 << 20) == {}
        with pytest.raises(InstallFailedError, match="no readable archive"):
            sanitise(io.BytesIO(data), io.BytesIO(), Limits())


@pytest.mark.parametrize("kind", [b"L", b"K"])
def test_a_long_name_is_read_up_to_its_bound_and_once_for_a_member(kind: bytes) -> None:
    assert taken(tar([(kind, "@", b"n" * (ustar.MAX_LONG_NAME + 1))])) == ustar.BLOCK
    assert taken(tar([(kind, "@", b"n" * 1000)] * 1000)) < 4 * ustar.BLOCK
    assert taken(tar([(kind, "@", b"n" * 1000)])) <= 4 * ustar.BLOCK


def test_twice_the_members_are_twice_the_work() -> None:
    def work(count: int) -> int:
        source = Counted(tar([(b"0", f"f{number}", b"1" * 700) for number in range(count)]))
        assert len(list(ustar.members(source))) == count
        return source.taken

    assert work(200) <= 2 * work(100)


@given(st.lists(st.tuples(st.text("aü/", min_size=1, max_size=300), st.binary(max_size=1200)), max_size=6))
def test_what_gnu_tar_writes_is_read_as_the_standard_library_reads_it(files: list[tuple[str, bytes]]) -> None:
    data = tar([(b"0", name, content) for name, content in files])
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as reader:
        theirs = [(member.name.rstrip("/"), member.size, member.offset_data) for member in reader]
    ours = [(member.name.rstrip("/"), member.size, member.offset) for member in ustar.members(io.BytesIO(data))]
    assert ours == theirs


def test_a_posix_prefix_and_binary_numbers_are_read() -> None:
    member = tarfile.TarInfo("p" * 90 + "/" + "n" * 90)
    (found,) = ustar.members(io.BytesIO(member.tobuf(tarfile.USTAR_FORMAT) + bytes(1024)))
    assert found.name == member.name
    for mtime in (-5, 1 << 40):
        member.mtime = mtime
        (found,) = ustar.members(io.BytesIO(member.tobuf(tarfile.GNU_FORMAT) + bytes(1024)))
        assert found.mtime == mtime


@pytest.mark.parametrize("cut", [1, 511, 512, 700, 1023, 1024, 1500])
def test_an_archive_that_is_cut_off_anywhere_is_an_error_of_the_install_and_no_partial_result(cut: int) -> None:
    whole = tar([(b"0", "a", b"1" * 1000)], end=bytes(512))
    with pytest.raises(InstallFailedError, match="no readable archive"):
        sanitise(io.BytesIO(whole[:cut]), io.BytesIO(), Limits())
    assert unpack(whole[:cut], 1 << 20) == {}


@pytest.mark.parametrize("size", [b"77777777777\0", b"\x80" + b"\xff" * 11, b"\xff" * 12, b"nonsense    "])
def test_a_size_that_cannot_be_is_refused_unread(size: bytes) -> None:
    header = bytearray(tar([(b"0", "a", b"")], end=b""))
    header[124:136] = size
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    assert taken(bytes(header) + bytes(1024)) == ustar.BLOCK


def test_the_paths_of_an_environment_are_bounded_together() -> None:
    deep = "/".join("d" * 1500)
    parts = [(b"0", f"{number}/{deep}/f", b"") for number in range(60)]
    with pytest.raises(InstallFailedError, match="more than the limits allow"):
        sanitise(io.BytesIO(tar(parts)), io.BytesIO(), Limits())
