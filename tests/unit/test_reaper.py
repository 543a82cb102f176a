import gc
import os
from pathlib import Path

from fakes_engine import BASE, ScriptedEngine

from sandbox.containers.owner import OWNER_LABEL, Owner
from sandbox.environments.images import EnvironmentImages
from sandbox.environments.install import InstallSettings
from sandbox.environments.kept import INSTALLATION_LABEL, KEY_LABEL, Room, StoredImage, installation
from sandbox.locks import locked
from sandbox.reaper import Reaped, Reaper
from sandbox.spec import File, Recipe

KEY = "0123456789abcdef" * 2
RECIPE = Recipe("python", (("true",),), ("pytest",), "test", ("lock",))


class Populated(ScriptedEngine):
    """Has containers, each with its labels, and images without a name."""

    def __init__(self) -> None:
        super().__init__()
        self.containers: list[dict[str, str]] = []
        self.unnamed: dict[str, dict[str, str]] = {}

    def sweep(self, label: str, value: str | None) -> int:
        found = [labels for labels in self.containers if labels.get(label) == value]
        self.containers = [labels for labels in self.containers if labels not in found]
        return len(found)

    def reap(self, now: float) -> int:
        late = [labels for labels in self.containers if float(labels.get("regreen.deadline", "inf")) < now]
        self.containers = [labels for labels in self.containers if labels not in late]
        return len(late)

    def images(self, label: str, value: str) -> tuple[StoredImage, ...]:
        found = [StoredImage(name, (), labels) for name, labels in self.unnamed.items() if labels.get(label) == value]
        return (*super().images(label, value), *found)

    def image(self, reference: str) -> str | None:
        return reference if reference in self.unnamed else super().image(reference)

    def remove_image(self, reference: str) -> None:
        if self.unnamed.pop(reference, None) is None:
            super().remove_image(reference)


def reaper(engine: Populated, data_dir: Path, room: Room | None = None) -> Reaper:
    return Reaper(engine, data_dir, room or Room())


def left_build(data_dir: Path) -> Path:
    """What a killed build leaves."""
    directory = data_dir / "environments" / KEY
    (directory / "proxy").mkdir(parents=True)
    (directory / "env.tar").write_bytes(b"x")
    (data_dir / "environments" / f"{KEY}.lock").touch()
    return directory


def test_containers_of_dead_processes_and_overdue_ones_go_and_those_of_the_living_stay(tmp_path: Path) -> None:
    engine, living, dead = Populated(), Owner(tmp_path), Owner(tmp_path)
    elsewhere = {OWNER_LABEL: "somebody"}
    late = {"regreen.deadline": "5"}
    engine.containers = [dict(living.labels), dict(dead.labels), dict(dead.labels) | {"n": "2"}, late, elsewhere]
    assert not reaper(Populated(), tmp_path).sweep(1)
    del dead
    gc.collect()
    assert reaper(engine, tmp_path).sweep(10) == Reaped(containers=3)
    assert engine.containers == [living.labels, elsewhere]


def test_a_container_that_the_engine_makes_after_its_owners_death_goes_with_the_next_look(tmp_path: Path) -> None:
    engine, dead = Populated(), Owner(tmp_path)
    labels = dict(dead.labels)
    del dead
    gc.collect()
    reaper(engine, tmp_path).sweep(0)
    engine.containers = [labels]
    assert reaper(engine, tmp_path).sweep(0).containers == 1
    for owner in (tmp_path / "owners").iterdir():
        os.utime(owner, (1, 1))
    reaper(engine, tmp_path).sweep(0)
    assert list((tmp_path / "owners").iterdir()) == []


def test_an_owner_that_lived_long_is_remembered_after_its_death_as_any_other(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    (path,) = (tmp_path / "owners").iterdir()
    os.utime(path, (1, 1))
    del owner
    gc.collect()
    for _ in range(2):
        reaper(Populated(), tmp_path).sweep(0)
        assert path.exists()


def test_directories_and_unnamed_images_of_a_dead_build_go_and_those_of_a_live_one_stay(tmp_path: Path) -> None:
    engine, directory = Populated(), left_build(tmp_path)
    labels = {INSTALLATION_LABEL: installation(tmp_path), KEY_LABEL: KEY}
    engine.unnamed = {"sha256:ours": labels, "sha256:theirs": {INSTALLATION_LABEL: "another", KEY_LABEL: KEY}}
    with locked(tmp_path / "environments" / f"{KEY}.lock"):
        assert reaper(engine, tmp_path).sweep(0) == Reaped()
        assert directory.is_dir()
    assert reaper(engine, tmp_path).sweep(0) == Reaped(images=1, directories=1)
    assert list(engine.unnamed) == ["sha256:theirs"]
    assert list((tmp_path / "environments").iterdir()) == []


def test_a_base_image_that_nobody_builds_any_more_leaves_no_directory(tmp_path: Path) -> None:
    (tmp_path / "base" / "base" / "root").mkdir(parents=True)
    with locked(tmp_path / "base" / "base.lock"):
        assert not reaper(Populated(), tmp_path).sweep(0)
    assert reaper(Populated(), tmp_path).sweep(0) == Reaped(directories=1)


def test_images_and_caches_beyond_their_room_go_too(tmp_path: Path) -> None:
    engine = Populated()
    for number in range(2):
        images = EnvironmentImages(engine, lambda *_: BASE, InstallSettings(), data_dir=tmp_path)
        images.ensure("o/r", {"lock": File(b"%d" % number)}, RECIPE)
        del images
    assert reaper(engine, tmp_path).sweep(0) == Reaped()
    assert reaper(engine, tmp_path, Room(images=8192, caches=0)).sweep(0) == Reaped(evicted=1, caches=1)
    assert reaper(engine, tmp_path, Room(images=8192, caches=0)).sweep(0) == Reaped()
