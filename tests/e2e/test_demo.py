"""The demo as a stranger starts it: real processes, a real engine, and everything stopped at the end."""

import json
import re
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest
from docs.documents import blocks
from docs.outputs import fits

from bot.demo.processes import Processes

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(900)]


def regreen(environ: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", *arguments]
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=600, check=False)


def running(directory: Path) -> list[int]:
    return [pid for pid, _ in json.loads((directory / "demo" / "processes.json").read_text())]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_every_scene_ends_as_it_should_and_keep_leaves_it_running_until_stopped(
    demo_environ: dict[str, str], tmp_path: Path
) -> None:
    done = regreen(demo_environ, "-c", "from bot.cli import main; main()", "demo", "--keep")
    try:
        assert done.returncode == 0, done.stdout + done.stderr
        shown = done.stdout
        assert shown.index("attempt 1: regressed") < shown.index("attempt 2: solved")
        assert "test_a_span_must_have_a_length" in shown
        assert len(re.findall(r"^Pull request #\d+ \(draft\)", shown, re.MULTILINE)) == 2
        assert "Stopped with exhausted" in shown
        assert re.search(r"^  passing before +105 passing +105 passing, 0 regressed$", shown, re.MULTILINE)
        assert "Facts, put together without a model" in shown
        assert not [sign for sign in ("<details", "&lt;", "\\_", "|---", "**", "```") if sign in shown]
        assert len(shown.splitlines()) < 150
        first = shown[shown.index("1. An issue") : shown.index("2. A commit")].replace("─", "")
        (said,) = [block.text for block in blocks() if (block.language, block.said) == ("text", "demo")]
        assert fits(said, first), f"README.md shows another first scene than came:\n{first}"
        addresses = re.findall(r"http://127\.0\.0\.1:\d+/\S+/pull/\d+", shown)
        assert httpx.get(addresses[0], timeout=10, trust_env=False).status_code == httpx.codes.OK
        pids = running(tmp_path)
        assert all(map(alive, pids))
    finally:
        stopped = regreen(demo_environ, "-m", "bot.demo.bootstrap", "--stop")
    assert stopped.returncode == 0
    assert not any(map(alive, pids))


def test_a_demo_without_a_pull_request_fails_says_why_and_leaves_nothing_running(
    demo_environ: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "demo").mkdir()
    kept = Processes(tmp_path / "demo").start("kept", [sys.executable, "-c", "import time; time.sleep(600)"], {})
    threading.Thread(target=kept.process.wait).start()  # what init does for those that a parent left behind
    done = regreen(demo_environ | {"REGREEN_MAX_MINUTES": "0.00001"}, "-c", "from bot.cli import main; main()", "demo")
    assert done.returncode == 1
    assert "An earlier demo was still running (KEEP): it was ended." in done.stdout
    assert not alive(kept.process.pid)
    assert "no pull request came: unsolved" in done.stdout
    assert not (tmp_path / "demo" / "processes.json").exists()
