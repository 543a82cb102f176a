import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

import pytest

from sandbox.environments.base import Log, ensure_base
from sandbox.environments.toolchains import GO, NODE, PYTHON, TOOLCHAINS, BaseImages, Toolchain
from sandbox.errors import ImageMissingError
from sandbox.spec import Recipe, RunResult, RunSpec, Verdict

DEFAULT_REFERENCE, DEFAULT_PULL_FROM = PYTHON.reference, PYTHON.pull_from


class ScriptedEngine:
    """Knows some images, and a registry that gives some more; `lacking` are programs that no image of it has."""

    def __init__(
        self, images: tuple[str, ...] = (), registry: tuple[str, ...] = (), lacking: tuple[str, ...] = ()
    ) -> None:
        self.images = set(images)
        self.registry = registry
        self.lacking = lacking
        self.links: dict[str, str] = {}
        self.calls: list[str] = []

    def image(self, reference: str) -> str | None:
        return f"id of {reference}" if reference in self.images else None

    def pull(self, reference: str, deadline: float) -> bool:
        assert 0 < deadline < 600
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
        archive.seek(0)
        with tarfile.open(fileobj=archive) as members:
            self.links = {member.name: member.linkname for member in members if member.issym()}
        assert labels
        self.calls.append(f"name {base}")
        self.images.add(reference)
        return f"id of {reference}"

    def run(self, spec: RunSpec, archive: Iterable[bytes]) -> RunResult:
        assert list(archive)
        assert spec.image in self.images
        code = 127 if spec.command[0] in self.lacking else 0
        return RunResult(Verdict.EXITED, code, b"", output_truncated=False)

    def remove_image(self, reference: str) -> None:
        self.calls.append(f"remove {reference}")
        self.images.remove(reference)


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
    engine: ScriptedEngine,
    work: Path,
    reference: str = DEFAULT_REFERENCE,
    error: Exception | None = None,
    toolchain: Toolchain = PYTHON,
) -> str:
    return ensure_base(
        engine, reference, work_dir=work, log=lambda _: None, toolchain=toolchain, builder=ScriptedBuilder(error)
    )


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


@pytest.mark.parametrize("toolchain", [NODE, GO], ids=lambda toolchain: toolchain.name)
def test_every_toolchain_has_an_image_of_its_own_that_finds_its_programs_on_the_path_of_every_run(
    tmp_path: Path, toolchain: Toolchain
) -> None:
    engine = ScriptedEngine((DEFAULT_REFERENCE,), registry=(toolchain.pull_from,))
    assert ensure(engine, tmp_path, toolchain.reference, toolchain=toolchain) == f"id of {toolchain.reference}"
    assert engine.calls == [f"pull {toolchain.pull_from}", f"name {toolchain.pull_from}"]
    assert engine.links == dict(toolchain.links)


def test_a_pulled_image_without_python_is_not_taken_and_one_is_built_instead(tmp_path: Path) -> None:
    engine = ScriptedEngine(registry=(NODE.pull_from,), lacking=("python3",))
    assert ensure(engine, tmp_path, NODE.reference, toolchain=NODE) == f"id of {NODE.reference}"
    assert engine.calls[-2:] == [f"remove {NODE.reference}", "import built"]


def test_an_operators_image_that_lacks_the_toolchain_is_named_and_never_replaced(tmp_path: Path) -> None:
    engine = ScriptedEngine(registry=("registry.example/node:1",), lacking=("npm",))
    with pytest.raises(ImageMissingError, match=r"registry\.example/node:1 does not answer `npm --version`"):
        ensure(engine, tmp_path, "registry.example/node:1", toolchain=NODE)
    assert engine.calls == ["pull registry.example/node:1"]


@pytest.mark.parametrize(
    ("repository", "toolchain", "reference"),
    [
        ("acme/api", "python", "acme-api:1"),
        ("ACME/Api", "go", "acme-api:1"),
        ("acme/web", "node", "acme:1"),
        ("other/web", "node", "node:1"),
        ("other/cli", "go", GO.reference),
        ("other/lib", "python", PYTHON.reference),
    ],
)
def test_the_most_specific_image_that_the_operator_named_counts(
    repository: str, toolchain: str, reference: str
) -> None:
    images = BaseImages({"acme/api": "acme-api:1", "Acme/*": "acme:1", "node": "node:1"})
    assert images(repository, Recipe("junit", (), ("make",), "given", toolchain=toolchain)) == reference


def test_a_toolchain_without_an_image_is_named() -> None:
    assert set(TOOLCHAINS) == {"python", "node", "go"}
    with pytest.raises(ImageMissingError, match="no base image for rust"):
        BaseImages()("o/r", Recipe("junit", (), ("make",), "given", toolchain="rust"))
