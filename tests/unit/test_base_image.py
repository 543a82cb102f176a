from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import pytest

from sandbox.base import DEFAULT_PULL_FROM, DEFAULT_REFERENCE, Log, ensure_base
from sandbox.errors import ImageMissingError


class ScriptedEngine:
    """Knows some images, and a registry that gives some more."""

    def __init__(self, images: tuple[str, ...] = (), registry: tuple[str, ...] = ()) -> None:
        self.images = set(images)
        self.registry = registry
        self.calls: list[str] = []

    def image(self, reference: str) -> str | None:
        return f"id of {reference}" if reference in self.images else None

    def pull(self, reference: str, deadline: float) -> bool:
        assert deadline <= 120
        self.calls.append(f"pull {reference}")
        if reference in self.registry:
            self.images.add(reference)
        return reference in self.registry

    def import_image(self, rootfs_tar: Path, reference: str) -> str:
        self.calls.append(f"import {rootfs_tar.read_text()}")
        self.images.add(reference)
        return f"id of {reference}"

    def layer(self, base: str, archive: BinaryIO, reference: str, labels: Mapping[str, str]) -> str:
        assert archive.read(512)[257:262] == b"ustar"
        assert labels
        self.calls.append(f"name {base}")
        self.images.add(reference)
        return f"id of {reference}"


class ScriptedBuilder:
    """Writes a root file system of five letters, or fails as it is told to."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    def build(self, work: Path, log: Log) -> Path:
        log("building")
        (work / "rootfs.tar").write_text("built")
        if self.error is not None:
            raise self.error
        return work / "rootfs.tar"


def ensure(
    engine: ScriptedEngine, work: Path, reference: str = DEFAULT_REFERENCE, error: Exception | None = None
) -> str:
    return ensure_base(engine, reference, work_dir=work, log=lambda _: None, builder=ScriptedBuilder(error))


def test_an_image_that_is_here_is_taken_as_it_is(tmp_path: Path) -> None:
    engine = ScriptedEngine((DEFAULT_REFERENCE,))
    assert ensure(engine, tmp_path) == f"id of {DEFAULT_REFERENCE}"
    assert engine.calls == []


def test_for_the_default_name_the_public_python_image_is_pulled_and_named_like_it(tmp_path: Path) -> None:
    engine = ScriptedEngine(registry=(DEFAULT_PULL_FROM,))
    assert ensure(engine, tmp_path) == f"id of {DEFAULT_REFERENCE}"
    assert engine.calls == [f"pull {DEFAULT_PULL_FROM}", f"name {DEFAULT_PULL_FROM}"]


def test_an_operators_own_reference_is_pulled_under_its_own_name(tmp_path: Path) -> None:
    engine = ScriptedEngine(registry=("registry.example/base:1",))
    assert ensure(engine, tmp_path, "registry.example/base:1") == "id of registry.example/base:1"
    assert engine.calls == ["pull registry.example/base:1"]


def test_without_a_registry_it_is_built_and_imported_and_nothing_is_left_behind(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    assert ensure(engine, tmp_path) == f"id of {DEFAULT_REFERENCE}"
    assert engine.calls == [f"pull {DEFAULT_PULL_FROM}", "import built"]
    assert [path.name for path in tmp_path.iterdir()] == ["base.lock"]


def test_a_build_that_failed_or_was_killed_does_not_stand_in_the_way_of_the_next(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    with pytest.raises(ImageMissingError):
        ensure(engine, tmp_path, error=ImageMissingError("no debootstrap", "Install it."))
    (tmp_path / "base" / "root").mkdir(parents=True)
    assert ensure(engine, tmp_path) == f"id of {DEFAULT_REFERENCE}"
    assert [path.name for path in tmp_path.iterdir()] == ["base.lock"]
