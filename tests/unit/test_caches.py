import os
from pathlib import Path

from sandbox.environments.caches import PackageCaches

MOST = 1 << 20


def kept(caches: PackageCaches, directory: Path, identity: str, data: bytes) -> None:
    members = directory / "members.tar"
    members.write_bytes(data)
    caches.keep(identity, members)
    assert not members.exists()


def content(caches: PackageCaches, identity: str, most: int = MOST) -> bytes | None:
    with caches.read(identity, most) as members:
        return None if members is None else b"".join(members)


def test_a_cache_is_given_back_to_its_own_repository_alone(tmp_path: Path) -> None:
    caches = PackageCaches(tmp_path / "caches", MOST)
    assert content(caches, "github#1") is None
    kept(caches, tmp_path, "github#1", b"x" * 600_000)
    assert content(caches, "github#1") == b"x" * 600_000
    assert content(caches, "github#2") is None
    caches.drop("github#1")
    assert content(caches, "github#1") is None


def test_a_damaged_cut_off_or_too_large_cache_is_removed_without_a_word(tmp_path: Path) -> None:
    caches = PackageCaches(tmp_path / "caches", MOST)
    for damage in (b"y" * 700, b"", b"x"):
        kept(caches, tmp_path, "r", b"x" * 1000)
        (path,) = (tmp_path / "caches").iterdir()
        path.write_bytes(damage)
        assert content(caches, "r") is None
        assert not path.exists()
    kept(caches, tmp_path, "r", b"x" * 1000)
    assert content(caches, "r", most=999) is None
    assert list((tmp_path / "caches").iterdir()) == []


def test_the_least_recently_used_caches_go_first_and_use_counts(tmp_path: Path) -> None:
    caches = PackageCaches(tmp_path / "caches", 2500)
    for identity in ("a", "b"):
        kept(caches, tmp_path, identity, identity.encode() * 1000)
        for path in (tmp_path / "caches").iterdir():
            os.utime(path, (path.stat().st_mtime - 100,) * 2)
    assert content(caches, "a") is not None
    kept(caches, tmp_path, "c", b"c" * 1000)
    assert [content(caches, identity) is not None for identity in "abc"] == [True, False, True]


def test_a_directory_that_cannot_be_written_only_means_no_cache(tmp_path: Path) -> None:
    (tmp_path / "caches").write_bytes(b"a file where the directory should be")
    caches = PackageCaches(tmp_path / "caches", MOST)
    (tmp_path / "members.tar").write_bytes(b"x")
    caches.keep("r", tmp_path / "members.tar")
    assert content(caches, "r") is None
    assert caches.evict() == 0
    caches.drop("r")
