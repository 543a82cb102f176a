"""Attack 25, by hand: archives that no tar writes, given to whatever reads a container's answer."""

import io
import itertools
import tarfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sieving import sanitise

import bot
import sandbox
from sandbox.containers.archive import MAX_MEMBERS, MAX_NAME, unpack
from sandbox.environments.sieve import Sieve
from sandbox.errors import InstallFailedError
from sandbox.spec import MIB, Limits

pytestmark = pytest.mark.attack(25, "archives among the results")

GOOD = ("good", b"1", {})
Entry = tuple[str, bytes, dict[str, Any]]


def header(name: str, layout: int = tarfile.GNU_FORMAT, **changes: object) -> bytes:
    entry = tarfile.TarInfo(name)
    for key, value in changes.items():
        setattr(entry, key, value)
    return entry.tobuf(layout, "utf-8", "surrogateescape")


def tar(*entries: Entry) -> bytes:
    parts = [header(name, size=len(data), **more) + data + bytes(-len(data) % 512) for name, data, more in entries]
    return b"".join(parts) + bytes(1024)


LEFT_OUT: dict[str, Entry] = {
    "symlink": ("x", b"", {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}),
    "hard link": ("x", b"", {"type": tarfile.LNKTYPE, "linkname": "/etc/passwd"}),
    "hard link with content": ("x", b"y" * 10, {"type": tarfile.LNKTYPE, "linkname": "good"}),
    "character device": ("x", b"", {"type": tarfile.CHRTYPE, "devmajor": 1, "devminor": 3}),
    "block device": ("x", b"", {"type": tarfile.BLKTYPE, "devmajor": 8}),
    "fifo": ("x", b"", {"type": tarfile.FIFOTYPE}),
    "unknown kind": ("x", b"", {"type": b"Z"}),
    "volume label": ("x", b"", {"type": b"V"}),
    "absolute": ("/etc/cron.d/x", b"x", {}),
    "climbing": ("../../etc/cron.d/x", b"x", {}),
    "climbing inside": ("a/../../x", b"x", {}),
    "empty part": ("a//x", b"x", {}),
    "too long": ("n" * (MAX_NAME + 1), b"x", {}),
    "dot": (".", b"x", {}),
}


@pytest.mark.parametrize("entry", LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_is_no_plain_file_with_a_plain_name_is_left_out_and_no_image_is_made_of_it(entry: Entry) -> None:
    found = unpack(tar(entry, GOOD), MIB)
    assert found.keys() <= {"good"}
    if entry[0] not in {"a//x", "n" * (MAX_NAME + 1)}:  # harmless below /env, and longer names are allowed there
        with pytest.raises(InstallFailedError):
            sanitise(io.BytesIO(tar(entry, GOOD)), io.BytesIO(), Limits())


def sparse(layout: str) -> bytes:
    if layout == "old":
        return header("x", type=tarfile.GNUTYPE_SPARSE, size=512) + bytes(512) + tar(GOOD)
    more = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(1 << 50)}
    return header("x", tarfile.PAX_FORMAT, size=512, pax_headers=more) + b"0\n" + bytes(510) + tar(GOOD)


DAMAGED = {
    "old sparse": sparse("old"),
    "pax sparse": sparse("pax"),
    "pax path": header("x", tarfile.PAX_FORMAT, pax_headers={"path": "../../x"}) + tar(GOOD),
    "pax size": header("x", tarfile.PAX_FORMAT, pax_headers={"size": str(1 << 60)}) + tar(GOOD),
    "pax bomb": header("x", tarfile.PAX_FORMAT, pax_headers={"k": "v" * 8 * MIB}) + tar(GOOD),
    "claims a petabyte": header("x", size=1 << 50) + tar(GOOD),
    "claims less than nothing": header("x", size=-1024) + tar(GOOD),
    "long name that is longer": header("n", type=b"L", size=1 << 30) + tar(GOOD),
    "two long names": (header("n", type=b"L", size=2) + b"x" + bytes(511)) * 2 + tar(GOOD),
    "wrong checksum": bytearray(header("x")).replace(b"ustar", b"USTAR") + tar(GOOD),
    "cut off": tar(("x", b"y" * 4000, {}))[:2000],
    "no end": tar(GOOD)[:-1024],
    "compressed": b"\x1f\x8b\x08" + bytes(4000),
    "a zip": b"PK\x03\x04" + bytes(4000),
    "noise": bytes(range(256)) * 40,
}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_or_lying_archive_yields_what_came_before_and_never_an_image(data: bytes) -> None:
    found = unpack(bytes(data), MIB)
    assert found.keys() <= {"good"}
    assert unpack(tar(GOOD)[:1024] + bytes(data), MIB)["good"] == b"1"
    with pytest.raises(InstallFailedError, match="The environment holds"):
        sanitise(io.BytesIO(bytes(data)), io.BytesIO(), Limits())


@pytest.mark.parametrize("make", ["zip", "gz", "bz2", "xz"])
def test_a_compressed_bomb_is_never_decompressed(make: str) -> None:
    bomb = io.BytesIO()
    if make == "zip":
        with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("x", bytes(32 * MIB))
    else:
        with tarfile.open(fileobj=bomb, mode=f"w:{make}") as packed:  # type: ignore[call-overload] # the mode varies
            entry = tarfile.TarInfo("x")
            entry.size = 32 * MIB
            packed.addfile(entry, io.BytesIO(bytes(entry.size)))
    assert len(bomb.getvalue()) < MIB
    assert unpack(bomb.getvalue(), 64 * MIB) == {}
    with pytest.raises(InstallFailedError):
        sanitise(bomb, io.BytesIO(), Limits())


def test_nothing_on_the_host_reads_compressed_archives_or_unpacks_any() -> None:
    """Bytes from a container meet `sandbox.environments.ustar` and nothing else; two are apart.

    Logs from GitHub are read a chunk at a time, up to a bound, and never unpacked to a disk. A backup is the operator's
    own file, of which admitted members alone are written.
    """
    words = ("zipfile", "unpack_archive", "extractall", ".extract(", "import gzip", "import lzma", "import bz2")
    modes = ("r:*", "r|*", "r:gz", "r|gz", "r:xz", "r|xz", "r:bz2", "r|bz2")
    roots = [Path(next(iter(package.__path__))) for package in (bot, sandbox)]
    sources = [path for root in roots for path in root.rglob("*.py") if not {"demo", "guest"} & set(path.parts)]
    assert len(sources) > 100
    # SQL has a function of that name
    texts = [(path, path.read_text().replace("sa.extract(", "")) for path in sources]
    found = {
        (f"{path.parent.name}/{path.name}", word) for path, text in texts for word in words + modes if word in text
    }
    assert found == {
        ("github/archives.py", "zipfile"),
        ("github/downloads.py", "import gzip"),
        ("backup/archive.py", "r|*"),
    }


def test_of_names_that_come_twice_the_last_counts_in_results_and_neither_in_an_image() -> None:
    twice = tar(("a", b"1", {}), ("./a", b"2", {}))
    assert unpack(twice, MIB) == {"a": b"2"}
    with pytest.raises(InstallFailedError, match="twice"):
        sanitise(io.BytesIO(twice), io.BytesIO(), Limits())


@pytest.mark.parametrize(
    "names", [("lib", "lib/x"), ("LIB/x", "lib"), ("a", "a/b/c")], ids=["below a file", "case", "deep below a file"]
)
def test_results_are_a_mapping_so_that_no_name_can_write_through_another(names: tuple[str, str]) -> None:
    through = tar((names[0], b"", {"type": tarfile.SYMTYPE, "linkname": "/etc"}), (names[1], b"x", {}))
    assert unpack(through, MIB) == {names[1]: b"x"}


def test_a_million_empty_members_cost_no_more_than_ten_thousand() -> None:
    first = b"".join(header(f"f{number}") for number in range(MAX_MEMBERS))
    few, many = first + bytes(1024), first + header("more") * 400_000

    def seconds(data: bytes) -> float:
        started = time.process_time()
        assert len(unpack(data, MIB)) == MAX_MEMBERS
        return time.process_time() - started

    assert min(seconds(many) for _ in range(3)) < 5 * max(min(seconds(few) for _ in range(3)), 0.01)


def test_a_million_members_of_an_environment_end_at_the_limit_on_names() -> None:
    names = (header(f"f{number}") for number in itertools.count())
    sieve = Sieve(io.BytesIO(), Limits(inodes=2000))
    for piece in itertools.islice(_batches(names, 100), 30):
        sieve.write(piece)
    written = sieve.occupied
    for _ in range(1000):
        sieve.write(header("more") * 1000)
    assert sieve.occupied == written
    with pytest.raises(InstallFailedError, match="more than the limits allow"):
        sieve.finish()


def _batches(parts: Iterator[bytes], count: int) -> Iterator[bytes]:
    while batch := b"".join(itertools.islice(parts, count)):
        yield batch


@pytest.mark.parametrize("name", [".wh.python3", "bin/.wh.x", ".wh..wh..opq", ".wh..wh.plnk/x", ".wh.."])
def test_names_that_mean_a_removal_to_the_engine_become_no_image(name: str) -> None:
    with pytest.raises(InstallFailedError):
        sanitise(io.BytesIO(tar((name, b"", {}))), io.BytesIO(), Limits())
