import io
import tarfile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.containers.archive import MAX_MEMBERS, pack, unpack
from sandbox.errors import TreeTooLargeError
from sandbox.spec import File

LIMIT = 1 << 20


def tar(*members: tuple[str, bytes, dict[str, Any]], mode: str = "w", layout: int = tarfile.GNU_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode, format=layout) as file:  # type: ignore[call-overload] # the mode varies
        for name, data, changes in members:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            for key, value in changes.items():
                setattr(member, key, value)
            file.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def test_packs_trees_below_their_mounts_with_modes_symlinks_and_our_owner() -> None:
    tree = {"a/run.sh": File(b"#!", 0o100755), "b.txt": File(b"b" * 600_000), "link": File(b"a/run.sh", 0o120000)}
    packed = b"".join(pack({"repo": tree, "regreen": {"x" * 90 + "/" + "y" * 90: File(b"")}}))
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r:") as file:
        members = {member.name: member for member in file}
    assert packed.endswith(b"\0" * tarfile.RECORDSIZE)
    assert {member.uid for member in members.values()} == {member.gid for member in members.values()} == {10001}
    assert (members["repo/a/run.sh"].mode, members["repo/b.txt"].mode) == (0o755, 0o644)
    assert (members["repo/link"].issym(), members["repo/link"].linkname) == (True, "a/run.sh")
    assert "regreen/" + "x" * 90 + "/" + "y" * 90 in members


@given(
    st.dictionaries(st.text("abü .-", min_size=3, max_size=8).filter(lambda s: s.strip(". ")), st.binary(max_size=3000))
)
def test_what_is_packed_unpacks_to_the_same(contents: dict[str, bytes]) -> None:
    packed = b"".join(pack({"repo": {path: File(data) for path, data in contents.items()}}))
    assert unpack(packed, LIMIT) == {f"repo/{path}": data for path, data in contents.items()}


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../b", "a//b", "./a", "a/", "a\0b", "a" * 2000])
def test_refuses_to_pack_a_path_that_is_not_plain(path: str) -> None:
    with pytest.raises(TreeTooLargeError):
        pack({"repo": {path: File(b"")}})


def test_refuses_to_pack_a_file_below_a_symlink() -> None:
    with pytest.raises(TreeTooLargeError):
        pack({"repo": {"a": File(b"/tmp", 0o120000), "a/b/c": File(b"")}})


@pytest.mark.parametrize("kind", [tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE])
def test_leaves_out_what_is_no_regular_file(kind: bytes) -> None:
    data = tar(("odd", b"", {"type": kind, "linkname": "good"}), ("./good", b"1", {}))
    assert unpack(data, LIMIT) == {"good": b"1"}


@pytest.mark.parametrize("name", ["/abs", "../up", "a/../../b", "a//b", "n" * 2000])
def test_leaves_out_names_that_are_not_plain(name: str) -> None:
    assert unpack(tar((name, b"x", {}), ("good", b"1", {})), LIMIT) == {"good": b"1"}


def test_stops_at_the_limit_of_bytes_and_of_members() -> None:
    assert unpack(tar(("a", b"1" * 600, {}), ("b", b"2" * 600, {})), 1000) == {"a": b"1" * 600}
    many = tar(*((f"f{number}", b"", {}) for number in range(MAX_MEMBERS + 5)))
    assert len(unpack(many, LIMIT)) == MAX_MEMBERS


def test_a_sparse_file_that_claims_a_size_is_left_out() -> None:
    headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(1 << 40)}
    data = tar(("sparse", b"0\n" + b"\0" * 510, {"pax_headers": headers}), layout=tarfile.PAX_FORMAT)
    assert unpack(data, LIMIT) == {}


def test_a_compressed_archive_yields_nothing() -> None:
    assert unpack(tar(("a", b"0" * 100_000, {}), mode="w:gz"), LIMIT) == {}


@given(st.binary(max_size=3000), st.integers(0, 1500))
def test_garbage_and_damage_yield_a_mapping_and_no_error(noise: bytes, start: int) -> None:
    whole = bytearray(tar(("a", b"1", {}), ("b", b"2", {})))
    whole[start : start + len(noise)] = noise
    assert sum(map(len, unpack(bytes(whole), LIMIT).values())) <= LIMIT
