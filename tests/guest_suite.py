"""Runs a suite under our plugin outside of any container: the same files, another root."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from sandbox.results import pytest as pytest_results
from sandbox.spec import Recipe, RunResult, TestRun, Verdict

NONCE = "0a1b2c3d"


def run_suite(
    directory: Path,
    files: Mapping[str, str],
    node_ids: tuple[str, ...] = (),
    options: tuple[str, ...] = (),
    python: str = sys.executable,
) -> TestRun:
    """What the plugin and its parser make of these files below `directory`/repo."""
    recipe = Recipe("python", (), (python, "-m", "pytest", *options), "test")
    plan = pytest_results.plan(recipe, node_ids, NONCE)
    regreen = directory / "regreen"
    for root, contents in (
        (directory / "repo", {path: text.encode() for path, text in files.items()}),
        (regreen, {path: file.data for path, file in plan.tree.items()}),
    ):
        for path, data in contents.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    command = [word.replace("/regreen/", f"{regreen}/") for word in plan.command]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        command, cwd=directory / "repo", env=environment, capture_output=True, check=False, timeout=60
    )
    found = {path.name: path.read_bytes() for path in (regreen / "results").glob("*")}
    output = done.stdout + done.stderr
    return pytest_results.parse(
        RunResult(Verdict.EXITED, done.returncode, output, output_truncated=False, results=found), NONCE
    )
