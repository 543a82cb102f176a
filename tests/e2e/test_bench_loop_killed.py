"""`make bench-loop` on a real engine: killed in the middle, it goes on where it was."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from fakes_bench import RIGHT, WRONG
from fakes_fix import FILES
from model_server import ModelServer

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(900)]

TESTS = Path(__file__).parents[1]
ARMS = "one-shot,append-history"
SLOWLY = 30.0


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """One task; the full tests hold more than an arm sees."""
    for path, data in FILES.items():
        where = tmp_path / "set" / "grades" / "repo" / path
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_bytes(data)
    full = tmp_path / "set" / "grades" / "full" / "tests" / "test_grades.py"
    full.parent.mkdir(parents=True)
    full.write_bytes(FILES["tests/test_grades.py"] + b"\n\ndef test_zero():\n    assert grade(0) == 'fail'\n")
    return tmp_path / "set"


def started(source: Path, environ: dict[str, str]) -> "subprocess.Popen[str]":
    command = [sys.executable, "-P", "-m", "bench.loop", "--set", "dir", "--source", str(source), "--arms", ARMS]
    return subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True)


def measured(source: Path, environ: dict[str, str]) -> dict[str, Any]:
    process = started(source, environ)
    said, _ = process.communicate(timeout=500)
    assert process.returncode == 0, said
    document: dict[str, Any] = json.loads(said.splitlines()[-1])
    return document


def test_a_killed_measurement_asks_again_only_what_it_had_no_reply_to(
    source: Path, demo_environ: dict[str, str], tmp_path: Path
) -> None:
    replies = [{"text": WRONG}, {"text": RIGHT, "delay": SLOWLY}, *[{"text": RIGHT}] * 50]
    with ModelServer(replies, tmp_path / "model.jsonl") as model:
        bench = {"PYTHONPATH": str(TESTS), "REGREEN_OPENAI_BASE_URL": model.base_url, "REGREEN_FREE_MODELS": "*"}
        environ = {**demo_environ, **bench}
        process = started(source, environ)
        try:
            while len(model.chats) < 2 and process.poll() is None:
                time.sleep(0.1)
        finally:
            process.kill()
            process.communicate()
        assert len(model.chats) == 2
        document = measured(source, environ)
        asked = len(model.chats)
        assert measured(source, environ) == document
        assert len(model.chats) == asked

    arms = document["arms"]
    assert {arm: found["solved"] for arm, found in arms.items()} == {"one-shot": 0, "append-history": 1}
    bodies = [json.dumps(chat["body"]["messages"]) for chat in model.chats]
    assert bodies.count(bodies[0]) == 1
    assert bodies.count(bodies[1]) == 2
