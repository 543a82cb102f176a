"""`regreen fix` and `gate` as a person runs them: real processes, a real engine."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import docker
import pytest

from bot.demo import samples

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(900)]

REGREEN = [sys.executable, "-P", "-c", "from bot.cli import main; main()"]
WRONG = "if cursor <= within.end:"
RIGHT = "if cursor < within.end:"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The demo's first sample as a working directory."""
    where = tmp_path / "repository"
    for path, file in samples.from_issue().tree.items():
        (where / path).parent.mkdir(parents=True, exist_ok=True)
        (where / path).write_bytes(file)
    return where


def regreen(environ: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*REGREEN, *arguments], env=environ, capture_output=True, text=True, timeout=250, check=False)


def test_a_fix_is_shown_then_written_and_the_gate_agrees(demo_environ: dict[str, str], repository: Path) -> None:
    source = repository / "roomwise" / "spans.py"
    before = source.read_text()
    shown = regreen(demo_environ, "fix", str(repository), "--json")
    document = json.loads(shown.stdout)
    assert (shown.returncode, document["state"], document["applied"]) == (0, "solved", False)
    assert [attempt["verdict"] for attempt in document["attempts"]] == ["regressed", "solved"]
    assert source.read_text() == before

    patch = repository.parent / "fix.diff"
    patch.write_text(document["diff"])
    gated = regreen(demo_environ, "gate", str(repository), str(patch), "--json")
    assert (gated.returncode, json.loads(gated.stdout)["passed"]) == (0, True)

    applied = regreen(demo_environ, "fix", str(repository), "--apply")
    assert applied.returncode == 0, applied.stderr
    assert source.read_text() == before.replace(WRONG, RIGHT)
    assert "Nothing to fix" in regreen(demo_environ, "fix", str(repository)).stdout


def test_a_signal_ends_the_containers_and_then_the_command(
    demo_environ: dict[str, str], docker_host: str, tmp_path: Path
) -> None:
    slow = tmp_path / "slow"
    slow.mkdir()
    (slow / "test_slow.py").write_text("import time\ndef test_slow():\n    time.sleep(200)\n")
    client = docker.DockerClient(base_url=docker_host)
    # containers inherit the labels of their environment image
    suite = {"label": f"regreen.repository=local{slow}"}
    process = subprocess.Popen([*REGREEN, "fix", str(slow)], env=demo_environ, stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 120
        while not client.containers.list(filters=suite) and time.monotonic() < deadline:
            time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 128 + signal.SIGTERM
        assert client.containers.list(all=True, filters=suite) == []
    finally:
        process.kill()
        process.communicate()
        client.close()
