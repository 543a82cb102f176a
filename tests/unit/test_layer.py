import io
import tarfile
from collections.abc import Iterable

import pytest
from sieving import sanitise

from sandbox.errors import InstallFailedError
from sandbox.spec import Limits

Member = tuple[tarfile.TarInfo, bytes]


def member(name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = "", mode: int = 0o644) -> Member:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname, entry.mode, entry.size, entry.mtime = kind, link, mode, len(data), 1_700_000_000
    return entry, data


def archive(members: Iterable[Member]) -> io.BytesIO:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as writer:
        for entry, data in members:
            writer.addfile(entry, io.BytesIO(data))
    stream.seek(0)
    return stream


def sanitised(*members: Member, limits: Limits | None = None) -> dict[str, tuple[tarfile.TarInfo, bytes]]:
    sink = io.BytesIO()
    sanitise(archive(members), sink, limits or Limits())
    sink.seek(0)
    with tarfile.open(fileobj=sink) as reader:
        found = reader.getmembers()
        return {
            one.name: (one, (reader.extractfile(one) or io.BytesIO()).read() if one.isreg() else b"") for one in found
        }


def test_a_virtual_environment_comes_through_with_its_links_times_and_executables() -> None:
    found = sanitised(
        member("./", kind=tarfile.DIRTYPE),
        member("./bin/", kind=tarfile.DIRTYPE),
        member("./bin/python3", kind=tarfile.SYMTYPE, link="/usr/bin/python3"),
        member("./bin/python", kind=tarfile.SYMTYPE, link="python3"),
        member("./lib64", kind=tarfile.SYMTYPE, link="lib"),
        member("./lib/python3.11/site-packages/a.py", b"A = 1\n"),
        member("./bin/pytest", b"#!", mode=0o775),
    )
    assert list(found) == [
        "env",
        "env/bin",
        "env/bin/python3",
        "env/bin/python",
        "env/lib64",
        "env/lib/python3.11/site-packages/a.py",
        "env/bin/pytest",
    ]
    module, data = found["env/lib/python3.11/site-packages/a.py"]
    assert (data, module.mtime, module.mode) == (b"A = 1\n", 1_700_000_000, 0o644)
    assert found["env/bin/pytest"][0].mode == 0o755
    assert found["env/bin/python3"][0].linkname == "/usr/bin/python3"


def test_owners_and_special_bits_do_not_come_through() -> None:
    entry, data = member("tool", b"x", mode=0o6777)
    entry.uid, entry.gid, entry.uname, entry.gname = 10001, 10001, "someone", "someone"
    tool = sanitised((entry, data))["env/tool"][0]
    assert (tool.mode, tool.uid, tool.gid, tool.uname, tool.gname) == (0o755, 0, 0, "", "")
    assert tool.pax_headers == {}


def test_a_hard_link_becomes_a_copy() -> None:
    found = sanitised(member("a", b"content", mode=0o755), member("b", kind=tarfile.LNKTYPE, link="a"))
    entry, data = found["env/b"]
    assert (entry.isreg(), data, entry.mode) == (True, b"content", 0o755)


@pytest.mark.parametrize(
    "hostile",
    [
        [member("../etc/cron.d/x", b"x")],
        [member("/etc/cron.d/x", b"x")],
        [member("a/../../x", b"x")],
        [member("x", kind=tarfile.SYMTYPE, link="/etc/passwd")],
        [member("x", kind=tarfile.SYMTYPE, link="../etc/passwd")],
        [member("x", kind=tarfile.SYMTYPE, link="/usr/bin/python3/../../../etc/passwd")],
        [member("x", kind=tarfile.SYMTYPE, link="/environment/x")],
        [member("x", kind=tarfile.LNKTYPE, link="/etc/passwd")],
        [member("x", kind=tarfile.LNKTYPE, link="missing")],
        [member("x", kind=tarfile.FIFOTYPE)],
        [member("x", kind=tarfile.CHRTYPE)],
        [member("x", kind=tarfile.BLKTYPE)],
        [member("x", kind=tarfile.GNUTYPE_SPARSE)],
        [member("x", b"1"), member("x", b"2")],
        [member("x", b"1"), member("x/y", b"2")],
        [member("lib", kind=tarfile.SYMTYPE, link="/usr/lib/python3"), member("lib/site.py", b"x")],
        [member("lib", kind=tarfile.DIRTYPE), member("lib", kind=tarfile.SYMTYPE, link="/usr/lib/python3")],
        [member("lib/x", b"1"), member("lib", kind=tarfile.SYMTYPE, link="/usr/lib/python3")],
        [member(".", kind=tarfile.SYMTYPE, link="/env/other")],
        [member("x" * 5000, b"1")],
    ],
)
def test_hostile_members_are_refused(hostile: list[Member]) -> None:
    with pytest.raises(InstallFailedError, match="The environment holds"):
        sanitised(*hostile)


def test_size_and_count_are_bounded() -> None:
    with pytest.raises(InstallFailedError, match="more than the limits allow"):
        sanitised(member("a", b"1" * 600), member("b", b"1" * 600), limits=Limits(results=1000))
    with pytest.raises(InstallFailedError, match="more than the limits allow"):
        sanitised(*(member(f"{number}") for number in range(20)), limits=Limits(inodes=10))
    copies = [member(f"b{number}", kind=tarfile.LNKTYPE, link="a") for number in range(3)]
    with pytest.raises(InstallFailedError, match="more than the limits allow"):
        sanitised(member("a", b"1" * 400), *copies, limits=Limits(results=1000))


def test_an_extended_header_that_claims_to_be_huge_is_refused_unread() -> None:
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 5000
    stream = io.BytesIO(header.tobuf(format=tarfile.USTAR_FORMAT) + b"\0" * 6144)
    with pytest.raises(InstallFailedError, match="header that is too long"):
        sanitise(stream, io.BytesIO(), Limits())


@pytest.mark.parametrize("data", [b"not a tar at all" * 100, b"\xff" * 512])
def test_what_is_no_archive_is_an_error_of_the_install(data: bytes) -> None:
    with pytest.raises(InstallFailedError):
        sanitise(io.BytesIO(data), io.BytesIO(), Limits())


def test_a_cut_off_archive_is_an_error_of_the_install() -> None:
    whole = archive([member("a", b"1" * 2000)]).getvalue()
    with pytest.raises(InstallFailedError):
        sanitise(io.BytesIO(whole[:1000]), io.BytesIO(), Limits())
