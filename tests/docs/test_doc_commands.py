"""Commands in the documentation do what it says: each block marked `run` is run, each marked `settings` is loaded."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from documents import SHELL, Block, blocks
from worlds import World, prepared

from bot.settings import Settings

RUN = [block for block in blocks() if block.language in SHELL and block.said in {"run", "run engine"}]
PYTHON = [block for block in blocks() if block.language == "python" and block.said == "run"]
LOADED = [block for block in blocks() if block.language in SHELL and block.said == "settings"]


@pytest.fixture(scope="module")
def world_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], World]:
    """The world of a page, made when its first block is run."""
    made: dict[str, World] = {}

    def get(page: str) -> World:
        if page not in made:
            made[page] = prepared(tmp_path_factory.mktemp(Path(page).stem))
        return made[page]

    return get


def _marked(block: Block) -> object:
    return pytest.param(block, id=str(block), marks=[pytest.mark.engine] if block.said.endswith("engine") else [])


@pytest.mark.parametrize("block", [_marked(block) for block in RUN])
def test_a_block_runs(block: Block, world_of: Callable[[str], World]) -> None:
    done = world_of(block.page).run(block.text)
    assert done.returncode == 0, f"{block}\n{block.text}\n{done.stdout}"


@pytest.mark.parametrize("block", LOADED, ids=str)
def test_settings_are_as_they_are_read(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("REGREEN_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    for line in block.commands:
        name, _, value = line.removeprefix("export ").partition("=")
        monkeypatch.setenv(name, value.strip("'\""))
    before, after = Settings.model_construct(), Settings()
    assert after != before, "nothing in this block is a setting"


@pytest.mark.parametrize("block", PYTHON, ids=str)
def test_python_runs(block: Block) -> None:
    done = subprocess.run([sys.executable, "-P", "-c", block.text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
