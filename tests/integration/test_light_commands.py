"""What a person at a prompt waits for does not load what only a worker needs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.adapters.store import migrate

HEAVY = ("dbos", "docker", "fastapi", "github", "openai", "uvicorn")
RUN = """
import atexit, sys
atexit.register(lambda: print("LOADED", *sorted({name.partition(".")[0] for name in sys.modules})))
from bot.cli import main
sys.argv[0] = "regreen"
main()
"""


def loaded(directory: Path, *words: str, **environment: str) -> set[str]:
    """The top-level packages that `regreen` with these words had loaded when it was done."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("REGREEN_", "OPENAI_"))}
    done = subprocess.run(
        [sys.executable, "-P", "-c", RUN, *words],
        env={**ours, "REGREEN_DATA_DIR": str(directory), **environment},
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rpartition("LOADED")[2].split())


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with a database, as a worker leaves it."""
    found = tmp_path_factory.mktemp("data")
    migrate(f"sqlite:///{found}/regreen.sqlite")
    return found


def test_that_listing_runs_loads_nothing_but_the_store(directory: Path) -> None:
    found = loaded(directory, "runs")
    assert "sqlalchemy" in found
    assert not found.intersection(HEAVY)


def test_that_completing_a_runs_id_loads_nothing_but_the_store(directory: Path) -> None:
    words = {"_REGREEN_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    found = loaded(directory, _TYPER_COMPLETE_ARGS="regreen show ", **words)
    assert "sqlalchemy" in found
    assert not found.intersection(HEAVY)
