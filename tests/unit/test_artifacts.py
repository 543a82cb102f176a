import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.artifacts import FileArtifacts
from bot.errors import StoreError


def files(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file()]


def test_bytes_are_named_by_their_hash_and_kept_once(tmp_path: Path) -> None:
    store = FileArtifacts(tmp_path)
    first, second = store.put(b"log"), store.put(b"log")
    assert first == second == hashlib.sha256(b"log").hexdigest()
    assert store.get(first) == b"log"
    assert len(files(tmp_path)) == 1


def test_a_changed_artifact_is_never_returned(tmp_path: Path) -> None:
    store = FileArtifacts(tmp_path)
    digest = store.put(b"log")
    files(tmp_path)[0].write_bytes(b"lag")
    with pytest.raises(StoreError, match="changed"):
        store.get(digest)


def test_a_half_written_artifact_is_written_again(tmp_path: Path) -> None:
    store = FileArtifacts(tmp_path)
    digest = store.put(b"log")
    files(tmp_path)[0].write_bytes(b"l")
    store.put(b"log")
    assert store.get(digest) == b"log"


@pytest.mark.parametrize("name", ["0" * 64, "../../etc/passwd", "", "0" * 63 + "/"])
def test_a_missing_or_malformed_name_is_a_store_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError):
        FileArtifacts(tmp_path).get(name)


def test_a_directory_that_cannot_be_made_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError):
        FileArtifacts(tmp_path / "file").put(b"x")


@given(st.binary(max_size=500))
def test_any_bytes_come_back(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    store = FileArtifacts(tmp_path_factory.getbasetemp() / "artifacts")
    assert store.get(store.put(data)) == data
