"""Runs a plan outside of any container: the same files below another root."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from sandbox.results import ecosystems
from sandbox.spec import Recipe, RunResult, TestRun, Verdict

NONCE = "0a1b2c3d"


def run_plan(
    directory: Path,
    recipe: Recipe,
    files: Mapping[str, str],
    node_ids: tuple[str, ...] = (),
    environment: Mapping[str, str] | None = None,
    seed: int | None = None,
) -> TestRun:
    """What a recipe's reporter and parser make of these files below `directory`/repo."""
    plan = ecosystems.plan(recipe, node_ids, NONCE, seed)
    regreen = directory / "regreen"
    for root, contents in (
        (directory / "repo", {path: text.encode() for path, text in files.items()}),
        (regreen, {path: file.data for path, file in plan.tree.items()}),
    ):
        root.mkdir(exist_ok=True)
        for path, data in contents.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    results = regreen / "results"
    results.mkdir(exist_ok=True)
    command = [word.replace("/regreen/", f"{regreen}/") for word in plan.command]
    done = subprocess.run(
        command,
        cwd=directory / "repo",
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=120,
    )
    found = {path.name: path.read_bytes() for path in results.glob("*") if path.is_file()}
    result = RunResult(Verdict.EXITED, done.returncode, done.stdout, output_truncated=False, results=found)
    return ecosystems.parse(recipe, result, NONCE)


def go_environment(directory: Path, cache: str) -> dict[str, str]:
    """The variables under which this machine's own Go reaches nothing and keeps what it built in `cache`."""
    return {
        "GOCACHE": cache,
        "GOPROXY": "off",
        "GOFLAGS": "",
        "HOME": str(directory),
        "PATH": os.environ["PATH"],
    }
