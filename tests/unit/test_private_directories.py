"""The data directory is its owner's alone, whichever part of Regreen makes it first."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.adapters.artifacts import FileArtifacts
from bot.adapters.journal import FileLines
from bot.adapters.store import connect
from bot.commands.doctor import _directory
from bot.engine.starts import FileStarts
from bot.settings import Settings
from sandbox.directories import make_private
from sandbox.environments.caches import PackageCaches
from sandbox.environments.kept import installation
from sandbox.locks import locked

ROOT = Path(__file__).parents[2]
ELSEWHERE = {
    # a person's own files and the demo's, what runs inside a container, and the directory that a container mounts
    "bot/adapters/local_write.py",
    "bot/demo/git_store.py",
    "bot/demo/machine.py",
    "bot/demo/stage.py",
    "sandbox/environments/images.py",
    # these make the data directory itself, or what lies in one that is there
    "bot/adapters/backup/files.py",
    "bot/commands/backup.py",
    "bot/commands/setup.py",
    "bot/engine/durable.py",
}


def keep_a_cache(place: Path) -> None:
    members = place.parent / "members"
    members.write_bytes(b"x")
    PackageCaches(place / "caches", 100).keep("o-1", members)


def hold_a_lock(place: Path) -> None:
    with locked(place / "environments" / "a.lock"):
        pass


def store_results(place: Path) -> None:
    connect(f"sqlite:///{place}/regreen.sqlite").dispose()


MAKERS: dict[str, Callable[[Path], object]] = {
    "doctor": lambda place: list(_directory(Settings(data_dir=place))),
    "fix, a run's log": lambda place: FileLines(place / "runs" / "local-1" / "log.jsonl").opened(),
    "an artifact": lambda place: FileArtifacts(place / "artifacts").put(b"x"),
    "a start": lambda place: FileStarts(place / "starts").begin("o/r:issue-7:d"),
    "the mark of an installation": installation,
    "a package cache": keep_a_cache,
    "a lock": hold_a_lock,
    "the store": store_results,
}


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.parametrize("maker", MAKERS)
def test_whoever_makes_the_data_directory_makes_it_and_all_in_it_private(maker: str, tmp_path: Path) -> None:
    place = tmp_path / "state" / "regreen"
    place.parent.mkdir()
    MAKERS[maker](place)
    made = [place, *(path for path in place.rglob("*") if path.is_dir())]
    assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o700}


def test_a_directory_that_is_there_keeps_its_mode_and_a_file_in_the_way_is_said(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir(mode=0o755)
    make_private(tmp_path / "shared" / "own")
    make_private(tmp_path / "shared" / "own")
    assert stat.S_IMODE((tmp_path / "shared").stat().st_mode) == 0o755
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        make_private(tmp_path / "file")
    with pytest.raises(NotADirectoryError):
        make_private(tmp_path / "file" / "below")


def test_nothing_new_makes_directories_whose_parents_others_may_read() -> None:
    sources = [path for part in ("bot", "sandbox") for path in (ROOT / part).rglob("*.py") if "guest" not in path.parts]
    makers = {str(path.relative_to(ROOT)) for path in sources if "parents=True" in path.read_text(encoding="utf-8")}
    assert makers - {"sandbox/directories.py"} <= ELSEWHERE
