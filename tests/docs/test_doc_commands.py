"""Commands in the documentation do what it says: blocks marked `run` are run, those marked `settings` are loaded.

After `run` stands where, if that is more than a directory: a key of `PLACES`; `engine` says that it takes a container
engine. What a block `output` after it shows is what came. A block marked `starts` goes on until it is ended.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest
from documents import SHELL, Block, blocks, output_of
from outputs import fits
from world_app import with_app, with_github
from world_compose import with_compose
from world_machine import with_machine
from world_runs import with_runs
from worlds import World, plain

from bot.demo.stage import answers
from bot.settings import Settings

RUN = [block for block in blocks() if block.language in SHELL and block.kind == "run"]
STARTED = [block for block in blocks() if block.language in SHELL and block.kind == "starts"]
PYTHON = [block for block in blocks() if block.language == "python" and block.said == "run"]
LOADED = [block for block in blocks() if block.language in SHELL and block.said == "settings"]
SECONDS = 240.0

Place = Callable[[Path, str], AbstractContextManager[World]]
PLACES: dict[str, Place] = {
    "": lambda home, _: plain(home),
    "runs": lambda home, _: with_runs(home),
    "app": lambda home, _: with_app(home),
    "github": lambda home, _: with_github(home),
    "compose": lambda home, _: with_compose(home),
    "machine": with_machine,
}
WITH_PROCESSES = frozenset({"app", "github", "compose"})
"""Places where something runs beside what is typed."""


@pytest.fixture(scope="module")
def world_of(tmp_path_factory: pytest.TempPathFactory, docker_host: str) -> Iterator[Callable[[Block], World]]:
    """The world of a page, made when its first block is run there."""
    made: dict[tuple[str, str], World] = {}
    with ExitStack() as opened:

        def get(block: Block) -> World:
            (place,) = (block.words & PLACES.keys()) or {""}
            key = (block.page, place)
            if key not in made:
                home = tmp_path_factory.mktemp(Path(block.page).stem)
                made[key] = opened.enter_context(PLACES[place](home, docker_host))
            return made[key]

        yield get


def _marked(block: Block) -> object:
    marks = [pytest.mark.engine] if "engine" in block.words else []
    marks += [pytest.mark.slow, pytest.mark.timeout(900)] if block.words & WITH_PROCESSES else []
    return pytest.param(block, id=str(block), marks=marks)


@pytest.mark.parametrize("block", [_marked(block) for block in RUN])
def test_a_block_runs_and_says_what_is_shown(block: Block, world_of: Callable[[Block], World]) -> None:
    world = world_of(block)
    done = world.run(block.text)
    assert done.returncode == 0, f"{block}\n{block.text}\n{done.stdout}\n{done.stderr}"
    if shown := output_of(block):
        assert fits(world.meant(shown.text), done.stdout), f"{shown}\n{shown.text}\n---\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("block", [_marked(block) for block in STARTED])
def test_what_goes_on_is_ready_and_ends_when_it_is_told_to(block: Block, world_of: Callable[[Block], World]) -> None:
    world, log = world_of(block), world_of(block).home / "started.log"
    places = [f"http://{world.here[said]}/readyz" for said in ("127.0.0.1:8080", "127.0.0.1:8090")]
    with log.open("wb") as sink:
        started = subprocess.Popen(
            ["bash", "-c", block.text],
            cwd=world.home,
            env=world.environment(),
            stdout=sink,
            stderr=sink,
            start_new_session=True,
        )
    try:
        _wait_until(lambda: all(map(answers, places)), log)
    finally:
        os.killpg(started.pid, signal.SIGTERM)
        started.wait(60)
    _wait_until(lambda: not any(map(answers, places)), log)
    assert "Traceback" not in log.read_text()


def _wait_until(holds: Callable[[], bool], log: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < deadline, log.read_text()[-3000:]
        time.sleep(0.3)


@pytest.mark.parametrize("block", LOADED, ids=str)
def test_settings_are_as_they_are_read(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("REGREEN_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    before = Settings.model_construct()
    for line in block.commands:
        name, _, value = line.removeprefix("export ").partition("=")
        monkeypatch.setenv(name, value.strip("'\""))
        after = Settings()
        assert after != before, f"{name} sets nothing, or what is so anyway"
        before = after


@pytest.mark.parametrize("block", PYTHON, ids=str)
def test_python_runs(block: Block) -> None:
    done = subprocess.run([sys.executable, "-P", "-c", block.text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
