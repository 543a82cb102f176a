"""Which environments are kept, for whom, and for how long."""

import json
import multiprocessing
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pytest
from fakes_engine import BASE, ScriptedEngine
from fakes_tls import ProxyClient

from sandbox.containers.stream import Sink
from sandbox.environments.images import EnvironmentImages
from sandbox.environments.install import INSTALL_LIMITS, InstallSettings
from sandbox.environments.kept import Room, StoredImage
from sandbox.errors import InstallFailedError, RuntimeUnfitError
from sandbox.network.egress import SOCKET_NAME
from sandbox.spec import MIB, File, Recipe, RunResult, RunSpec, Tree, Verdict

RECIPE = Recipe("python", (("python3", "-m", "venv", "/env"),), ("pytest",), "requirements.txt:1", ("lock",))
CACHED = InstallSettings(limits=replace(INSTALL_LIMITS, cache=8 * MIB))
FAILED = RunResult(Verdict.EXITED, 64, b"broken wheel", output_truncated=False)


def tree(number: int = 0) -> Tree:
    return {"lock": File(b"%d" % number)}


def images(
    engine: ScriptedEngine, directory: Path, settings: InstallSettings = CACHED, lines: list[str] | None = None
) -> EnvironmentImages:
    log = lines.append if lines is not None else lambda _: None
    return EnvironmentImages(engine, lambda *_: BASE, settings, data_dir=directory, log=log)


def with_room(files: int) -> InstallSettings:
    """Room for so many environments of one file, which take two blocks each."""
    return InstallSettings(room=Room(images=files * 8192))


def age(directory: Path) -> None:
    """Let every use so far be an hour older."""
    for use in (directory / "uses").iterdir():
        os.utime(use, (use.stat().st_mtime - 3600,) * 2)


def test_neither_image_nor_cache_is_shared_between_identities_of_one_name(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    references = [
        EnvironmentImages(
            engine, lambda *_: BASE, CACHED, data_dir=tmp_path, identify=lambda name, n=number: f"{name}#{n}"
        ).ensure("o/r", tree(), RECIPE)
        for number in (1, 2)
    ]
    assert len(set(references)) == 2
    assert [[name for name in sent if name.startswith("cache/")] for sent in engine.archives] == [[], []]


def test_a_repositorys_next_install_gets_what_the_last_one_left_in_its_cache(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    for number in range(3):
        images(engine, tmp_path).ensure("o/r", tree(number), RECIPE)
    images(engine, tmp_path).ensure("o/other", tree(), RECIPE)
    sent = [sorted(name for name in archive if name.startswith("cache/")) for archive in engine.archives]
    assert sent == [[], ["cache/0"], ["cache/0", "cache/1"], []]
    assert dict(engine.specs[0].environment)["PIP_CACHE_DIR"].startswith("/cache/")
    assert all(layer[3] == ["env/lib/a.py"] for layer in engine.layers)


def test_an_install_that_fails_with_its_cache_is_tried_without_and_the_cache_goes(tmp_path: Path) -> None:
    class Poisoned(ScriptedEngine):
        def install(self, spec: RunSpec, archive: object, *, proxy_dir: Path, sink: Sink) -> RunResult:
            result = super().install(spec, archive, proxy_dir=proxy_dir, sink=sink)  # type: ignore[arg-type] # as it is
            return FAILED if "cache/0" in self.archives[-1] else result

    engine, lines = Poisoned(), list[str]()
    for number in range(2):
        images(engine, tmp_path, lines=lines).ensure("o/r", tree(number), RECIPE)
    assert [spec.limits.cache > 0 for spec in engine.specs] == [True, True, False]
    assert dict(engine.specs[-1].environment)["PIP_NO_CACHE_DIR"] == "1"
    assert any("starts again without" in line for line in lines)
    assert list((tmp_path / "caches").iterdir()) == []


def test_an_install_that_fails_without_a_cache_is_not_tried_again(tmp_path: Path) -> None:
    engine = ScriptedEngine(FAILED)
    with pytest.raises(InstallFailedError):
        images(engine, tmp_path).ensure("o/r", tree(), RECIPE)
    assert len(engine.specs) == 1


def test_a_runtime_that_reaches_no_socket_is_replaced_only_where_the_operator_named_another(tmp_path: Path) -> None:
    engine, lines = ScriptedEngine(), list[str]()
    engine.unfit = {"runsc"}
    settings = replace(CACHED, runtime="runsc")
    with pytest.raises(RuntimeUnfitError, match=r"--host-uds=open .*runtimeArgs.* name another runtime"):
        images(engine, tmp_path, settings).ensure("o/r", tree(), RECIPE)
    images(engine, tmp_path, replace(settings, fallback="runc"), lines).ensure("o/r", tree(), RECIPE)
    assert [spec.runtime for spec in engine.specs] == ["runsc", "runsc", "runc"]
    assert any("runsc" in line and "installing with runc instead" in line for line in lines)
    assert len(engine.layers) == 1


def test_a_repository_cannot_choose_the_fallback_by_leaving_as_an_unfit_runtime_does(tmp_path: Path) -> None:
    class Forging(ScriptedEngine):
        def install(self, spec: RunSpec, archive: object, *, proxy_dir: Path, sink: Sink) -> RunResult:
            with ProxyClient(proxy_dir / SOCKET_NAME):
                pass
            super().install(spec, archive, proxy_dir=proxy_dir, sink=sink)  # type: ignore[arg-type] # as it is
            return RunResult(Verdict.EXITED, 121, b"", output_truncated=False)

    engine = Forging(seconds=0.2)
    with pytest.raises(InstallFailedError):
        images(engine, tmp_path, replace(CACHED, runtime="runsc", fallback="runc")).ensure("o/r", tree(), RECIPE)
    assert [spec.runtime for spec in engine.specs] == ["runsc"]


def test_the_least_recently_used_environment_goes_when_a_build_exceeds_the_room(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    made = []
    for number in range(2):
        made.append(images(engine, tmp_path, with_room(2)).ensure("o/r", tree(number), RECIPE))
        age(tmp_path)
    images(engine, tmp_path, with_room(2)).ensure("o/r", tree(0), RECIPE)
    made.append(images(engine, tmp_path, with_room(2)).ensure("o/r", tree(2), RECIPE))
    assert [engine.image(reference) is not None for reference in made] == [True, False, True]


def test_what_a_run_uses_or_a_container_holds_is_never_evicted(tmp_path: Path) -> None:
    engine, lines = ScriptedEngine(), list[str]()
    running = images(engine, tmp_path, with_room(1))
    used = running.ensure("o/r", tree(0), RECIPE)
    contained = images(engine, tmp_path, with_room(9)).ensure("o/r", tree(1), RECIPE)
    engine.used.add(contained)
    age(tmp_path)
    last = images(engine, tmp_path, with_room(1), lines).ensure("o/r", tree(2), RECIPE)
    assert all(engine.image(reference) for reference in (used, contained, last))
    assert any("in use" in line for line in lines)
    running.release()
    images(engine, tmp_path, with_room(1)).ensure("o/r", tree(3), RECIPE)
    assert engine.image(used) is None


def test_another_data_directorys_images_are_left_alone(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    theirs = images(engine, tmp_path / "theirs", with_room(1)).ensure("o/theirs", tree(), RECIPE)
    for number in range(3):
        images(engine, tmp_path / "ours", with_room(1)).ensure("o/r", tree(number), RECIPE)
    assert engine.image(theirs)
    assert len(engine.labels) == 2


class SharedEngine(ScriptedEngine):
    """Keeps its images in a directory, for several processes."""

    def __init__(self, directory: Path) -> None:
        super().__init__(seconds=0.3)
        self.directory = directory

    def images(self, label: str, value: str) -> tuple[StoredImage, ...]:
        for path in self.directory.glob("*.labels"):
            reference = path.stem.replace("_", ":")
            self.images_by_name[reference] = f"sha256:{reference}"
            self.labels[reference] = json.loads(path.read_text())
        return super().images(label, value)

    def layer(self, base: str, archive: BinaryIO, reference: str, labels: Mapping[str, str]) -> str:
        with (self.directory / "builds").open("a") as builds:
            builds.write(f"{reference}\n")
        half = self.directory / f"{reference.replace(':', '_')}.half"
        half.write_text(json.dumps(labels))
        half.rename(half.with_suffix(".labels"))
        return super().layer(base, archive, reference, labels)


def build(directory: Path, data_dir: Path) -> None:
    """For a process of its own."""
    images(SharedEngine(directory), data_dir).ensure("o/r", tree(), RECIPE)


def test_several_processes_at_once_build_a_key_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    arguments = (tmp_path, tmp_path / "data")
    processes = [context.Process(target=build, args=arguments) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0] * 4
    assert len((tmp_path / "builds").read_text().splitlines()) == 1
