"""A disk without room, really full: the final comment says which one, and what was written stays readable."""

import os
import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from fakes import ScriptedModel
from fakes_bad import KeptJournal, assert_said, assert_whole
from fakes_bad_github import SiteStage
from fakes_engine import BASE, ScriptedEngine
from fakes_fix import FILES, MODEL_ALONE, Stage, grading
from fakes_workspace import ScriptedWorkspace
from github_worlds import Keys, StandInWorld

from bot.adapters.artifacts import FileArtifacts
from bot.adapters.environments import DockerEnvironments
from bot.adapters.journal import read
from bot.demo.stand_in import StandIn
from bot.errors import LogError, NoRoomError
from bot.jobs import State
from bot.repair.types import Base, Patch, Selection
from sandbox.environments.images import EnvironmentImages
from sandbox.environments.install import InstallSettings
from sandbox.spec import File, TestRun, Tree

REMEDY = "Free space in the data directory"


@dataclass(frozen=True)
class Disk:
    """A file system of one MiB."""

    path: Path

    def fill(self) -> None:
        """Leave no room at all."""
        with (self.path / "ballast").open("ab", buffering=0) as ballast:
            try:
                while True:
                    ballast.write(b"x" * 4096)
            except OSError:
                return

    def clear(self) -> None:
        """Make room again."""
        (self.path / "ballast").unlink()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """Mounted for one test, where this process may mount."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "regreen-test", str(place)], check=False, capture_output=True
        ).returncode
    )
    if not mounted:
        pytest.skip("only root, and not in every container, may mount a small disk")
    yield Disk(place)
    subprocess.run(["umount", str(place)], check=True)


def incompressible(size: int) -> bytes:
    return random.Random(0).randbytes(size)  # noqa: S311 - only hard to compress


@pytest.fixture(scope="module")
def keys() -> Keys:
    return Keys.make()


@pytest.fixture
def site(keys: Keys) -> Iterator[SiteStage]:
    with StandIn(StandInWorld.config(keys)) as running:
        yield SiteStage(StandInWorld(running, keys))


def test_a_repository_that_does_not_fit_the_disk_is_said_so_below_the_issue(site: SiteStage, disk: Disk) -> None:
    world = site.world
    world.push("main", {"big.bin": File(incompressible(2 << 20))})
    site.sources = site.mirrors(disk.path / "mirrors")
    outcome = site.run()
    assert_said(site.comments, f"The disk has no room for the mirror of {world.full_name}", REMEDY)
    assert outcome.stop == "NoRoom"
    assert_whole(site.journal.events, outcome, State.FAILED)


def test_a_run_log_without_room_ends_the_job_with_a_word_and_stays_readable(disk: Disk) -> None:
    stage = Stage()
    stage.journal = KeptJournal(disk.path / "run" / "log.jsonl")
    stage.journal.append("kept", {})
    disk.fill()
    outcome = stage.run()
    assert_said([stage.comment], "The run log cannot be written: No space left on device", REMEDY)
    assert (outcome.state, outcome.stop) == (State.FAILED, "Log")
    assert next(entry.event for entry in read(disk.path / "run" / "log.jsonl")) == "kept"


def test_a_line_that_did_not_fit_leaves_no_part_of_itself(disk: Disk) -> None:
    log = disk.path / "log.jsonl"
    journal = KeptJournal(log)
    journal.append("first", {})
    disk.fill()
    with pytest.raises(LogError, match="No space left on device"):
        journal.append("long", {"text": "x" * 10_000})
    disk.clear()
    journal.append("second", {})
    assert [entry.event for entry in read(log)] == ["first", "second"]


def test_an_environment_that_does_not_fit_the_disk_is_said_so(disk: Disk) -> None:
    stage = Stage()

    class Trees:
        def tree(self, repository: str, commit: str) -> Tree:
            del repository
            return stage.github.commits[commit].tree

    images = EnvironmentImages(ScriptedEngine(), lambda *_: BASE, InstallSettings(), data_dir=disk.path / "data")
    stage.environments = DockerEnvironments(images, Trees())
    (disk.path / "data" / "environments").mkdir(parents=True)
    disk.fill()
    outcome = stage.run()
    images.release()
    assert_said([stage.comment], "The data directory has no room for building an environment", REMEDY)
    assert_whole(stage.journal.events, outcome, State.FAILED)


class FailingWorkspace(ScriptedWorkspace):
    """Has no room for a patch with this in it, nor from then on."""

    def __init__(self, text: bytes) -> None:
        super().__init__(FILES, grading)
        self._text = text
        self._full = False

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        contents = [change.content or b"" for patch in patches for change in patch.changes]
        self._full = self._full or not self._text or any(self._text in content for content in contents)
        if self._full:
            raise NoRoomError("The container engine has no room left", "Free disk space on this host.")
        return super().evaluate(base, patches, selection)


def test_an_engine_whose_disk_fills_in_the_middle_takes_no_candidate_with_it() -> None:
    bounds = (-1, 60, 70, 80)
    replies = (f"<<<<<<< SEARCH\n    if score > 50:\n=======\n    if score > {n}:\n>>>>>>> REPLACE" for n in bounds)
    model = ScriptedModel(f"CAUSE: the bound\n\ngrades.py\n{reply}\nLESSON: move it" for reply in replies)
    stage = Stage(model=model, facts=MODEL_ALONE, workspace=FailingWorkspace(b"> 70"))
    model.replies.insert(1, "no lesson")
    outcome = stage.run()
    text = assert_said(
        [stage.comment], "The container engine has no room left. Free disk space on this host", "no change"
    )
    assert outcome.stop == "tests_failed_to_run"
    assert "The best candidate, attempt 1" in text
    assert "+    if score > -1:" in text
    assert len(stage.journal.named("proposal")) == len(bounds)
    assert_whole(stage.journal.events, outcome, State.UNSOLVED, attempts=1)


def test_an_engine_without_room_from_the_start_is_named() -> None:
    stage = Stage(workspace=FailingWorkspace(b""))
    outcome = stage.run()
    assert_said([stage.comment], "The container engine has no room left", "Free disk space on this host")
    assert_whole(stage.journal.events, outcome, State.FAILED)


def test_an_artifact_that_does_not_fit_leaves_the_others_whole(disk: Disk) -> None:
    artifacts = FileArtifacts(disk.path / "artifacts")
    small = artifacts.put(b"small")
    with pytest.raises(NoRoomError, match="artifact store has no room left"):
        artifacts.put(incompressible(2 << 20))
    assert artifacts.get(small) == b"small"
    assert not list(disk.path.rglob(".new-*"))
