"""Every line of a job names its run and its delivery, also those of its recorded steps and of threads below them."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import structlog
from fakes_ports import EchoModel, ports
from fakes_store import FakeRuns, fix_issue
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs

from bot.adapters.artifacts import FileArtifacts
from bot.engine.durable import DurableEngine, DurableSettings, Wrap
from bot.jobs import Job, JobOutcome, State
from bot.log import carried
from bot.repair.team.roles import Models
from bot.repair.types import Completion, CompletionLimits, Message

_log = structlog.get_logger()


class Telling(EchoModel):
    """Logs in its step, and in threads of that step."""

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        _log.info("in_step")
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(carried(lambda _: _log.info("in_thread")), range(3)))
        return super().complete(messages, limits)


def run(_job: Job, wrap: Wrap) -> JobOutcome:
    coder = wrap(ports(models=Models(coder=Telling()))).models.coder
    assert coder is not None
    coder.complete((Message("user", "x"),), CompletionLimits())
    return JobOutcome(State.GREEN, "Nothing to fix")


def test_every_line_of_a_job_names_its_run_and_its_delivery(tmp_path: Path) -> None:
    artifacts = FileArtifacts(tmp_path / "artifacts")
    engine = DurableEngine(DurableSettings(tmp_path), run, FakeRuns(), artifacts)
    with capture_logs([merge_contextvars]) as logs, engine:
        identities = {engine.enqueue(fix_issue(delivery=name)): name for name in ("d-1", "d-2")}
        deadline = time.monotonic() + 30
        while sum(line["event"] == "job_ended" for line in logs) < len(identities):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    of_jobs = [line for line in logs if line["event"] in {"job_started", "in_step", "in_thread", "job_ended"}]
    assert len(of_jobs) == 6 * len(identities)
    for run_id, delivery in identities.items():
        events = sorted(line["event"] for line in of_jobs if (line["run"], line["delivery"]) == (run_id, delivery))
        assert events == ["in_step", *["in_thread"] * 3, "job_ended", "job_started"]
