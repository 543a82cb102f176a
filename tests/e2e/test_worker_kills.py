"""The real worker, killed without warning at every stage of one fix: it ends as if nothing had happened."""

import json
import time
from pathlib import Path

import pytest

from bot.adapters.journal import read
from bot.demo import samples
from bot.demo.scene import REPORT_FILE
from bot.demo.stage import Stage, set_up
from bot.settings import Settings
from sandbox.containers.engine import DockerEngine

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(600)]

MOMENTS = ("admit", "prepare", "baseline", "repair", "publish")
SECONDS = 120
LATER = 86_400.0


def test_a_worker_killed_at_every_stage_makes_one_pull_request_and_one_comment(
    demo_environ: dict[str, str], engine: DockerEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in demo_environ.items():
        monkeypatch.setenv(name, value)
    sample = samples.from_issue()
    stage = set_up(Settings(data_dir=tmp_path), demo_environ)
    try:
        issue = stage.person.open_issue(sample.repository, sample.title, sample.body)
        stage.person.label(sample.repository, issue, "regreen")
        for moment in MOMENTS:
            wait_until(stage, "step_started", moment)
            kill_worker(stage)
            stage.start_worker()
        wait_until(stage, "ended", "")
        comments = stage.person.comments(sample.repository, issue)
        pulls = stage.person.pulls(sample.repository)
    finally:
        stage.person.client.close()
        stage.processes.stop()
        # what the killed workers left: a worker that still ran would reap them once their deadline is over
        engine.reap(time.time() + LATER)

    assert [pull.head for pull in pulls] == ["regreen/issue-1"]
    assert len(comments) == 1
    assert f"#{pulls[0].number} turns" in comments[0]
    entries = read(log_of(stage))
    assert [entry.event for entry in entries].count("ended") == 1
    started = [entry.fields["step"] for entry in entries if entry.event == "step_started"]
    assert started == ["admit", "fetch", "prepare", "baseline", "targets", "repair", "publish"]
    assert json.loads((stage.directory / REPORT_FILE).read_text()) == {"violations": []}


def log_of(stage: Stage) -> Path:
    (log,) = stage.runs.glob("*/log.jsonl")
    return log


def wait_until(stage: Stage, event: str, step: str) -> None:
    """Wait for an event in the run's log; of a line that is being written, nothing is read."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        logs = list(stage.runs.glob("*/log.jsonl"))
        lines = logs[0].read_bytes().split(b"\n")[:-1] if logs else []
        seen = [json.loads(line) for line in lines]
        if any(one["event"] == event and one["fields"].get("step", "") == step for one in seen):
            return
        time.sleep(0.01)
    pytest.fail(f"{event} {step} did not come: {stage.processes.children[-1].tail()}")


def kill_worker(stage: Stage) -> None:
    worker = stage.processes.children.pop()
    assert worker.name == "worker"
    worker.process.kill()
    worker.process.wait()
