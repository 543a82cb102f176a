import io
import tarfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.containers.archive import pack
from sandbox.containers.protocol import REMOVED
from sandbox.containers.upload import Packed, Upload, upload
from sandbox.errors import TreeTooLargeError
from sandbox.spec import File, Tree

PATHS = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join)
FILES = st.dictionaries(PATHS, st.binary(max_size=4).map(File), max_size=6)


def sound(files: dict[str, File]) -> dict[str, File]:
    """Without what lies below a file."""
    return {path: file for path, file in files.items() if not any(path.startswith(f"{other}/") for other in files)}


def unpacked(archive: Iterable[bytes]) -> tuple[dict[str, bytes], set[str]]:
    """The files and directories that a container has after the first process unpacked this."""
    with TemporaryDirectory() as name, tarfile.open(fileobj=io.BytesIO(b"".join(archive))) as tar:
        root = Path(name)
        tar.extractall(root, filter="data")
        listed = root / REMOVED
        for path in listed.read_bytes().split(b"\0")[:-1] if listed.exists() else ():
            _remove(root / path.decode().lstrip("/"))
        repo = root / "repo"
        found = list(repo.rglob("*"))
        files = {str(path.relative_to(repo)): path.read_bytes() for path in found if path.is_file()}
        return files, {str(path.relative_to(repo)) for path in found if path.is_dir()}


def _remove(path: Path) -> None:
    for child in path.iterdir() if path.is_dir() else ():
        _remove(child)
    path.rmdir() if path.is_dir() else path.unlink()


@given(before=FILES.map(sound), after=FILES.map(sound))
def test_over_a_base_or_not_the_container_has_the_same_tree(before: dict[str, File], after: dict[str, File]) -> None:
    tree = {path: before.get(path, file) if file == before.get(path) else file for path, file in after.items()}
    sent = upload(Packed.of(before), {"repo": tree})
    assert unpacked(sent) == unpacked(pack({"repo": tree}))


BASE: Tree = {"a/b.py": File(b"1"), "c.py": File(b"2"), "link": File(b"a", 0o120000), "big": File(b"x" * 10**6)}


def test_only_what_changed_follows_the_base() -> None:
    base = Packed.of(BASE)
    changed: Tree = {**{path: file for path, file in BASE.items() if path != "a/b.py"}, "c.py": File(b"3")}
    sent = upload(base, {"repo": changed, "regreen": {"plan": File(b"")}})
    assert isinstance(sent, Upload)
    assert sent.removed == (PurePosixPath("/repo/a"),)
    assert sum(map(len, sent.rest())) < 20_000 < sum(map(len, base.chunks))


def test_a_file_that_becomes_a_directory_and_the_reverse_are_sent_whole() -> None:
    base = Packed.of(BASE)
    assert not isinstance(upload(base, {"repo": {"c.py/x": File(b"")}}), Upload)
    assert not isinstance(upload(base, {"repo": {"a": File(b"")}}), Upload)


@pytest.mark.parametrize("path", ["../up", "/etc/passwd", "link/below", "c.py/below", "a//b"])
def test_a_path_that_leaves_the_tree_is_refused(path: str) -> None:
    with pytest.raises(TreeTooLargeError):
        upload(Packed.of(BASE), {"repo": {**BASE, path: File(b"")}})
