"""What a job does is counted where it is done, with labels that nobody from outside can choose."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fakes import FakeClock
from fakes_store import fix_issue
from prometheus_client import CollectorRegistry

from bot.adapters.counted import CountedJournal, CountedModel, Timed
from bot.adapters.journal import FileJournal
from bot.adapters.metrics import WorkerMetrics
from bot.errors import GitHubUnavailableError, ModelError
from bot.jobs import JobOutcome, State
from bot.repair.team.roles import Role
from bot.repair.types import Completion, CompletionLimits, Message, Usage
from sandbox.spec import RunState, TestRun


class Ticks:
    """A clock that goes on by a second each time it is read."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


class Answering:
    name = "a-model"

    def __init__(self, error: ModelError | None = None) -> None:
        self.error = error

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        del messages, limits
        if self.error:
            raise self.error
        return Completion("text", "stop", Usage(120, 30, 0.25), "a-model")


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


@pytest.fixture
def metrics(registry: CollectorRegistry) -> WorkerMetrics:
    return WorkerMetrics(registry, 2)


def test_a_job_is_counted_while_it_runs_and_by_how_it_ended(
    registry: CollectorRegistry, metrics: WorkerMetrics
) -> None:
    with metrics.job(fix_issue("d1")) as ended:
        assert registry.get_sample_value("regreen_jobs_running", {"kind": "issue"}) == 1
        ended(JobOutcome(State.PUBLISHED, "done"))
    assert registry.get_sample_value("regreen_jobs_running", {"kind": "issue"}) == 0
    assert registry.get_sample_value("regreen_jobs_total", {"kind": "issue", "state": "published"}) == 1
    assert registry.get_sample_value("regreen_job_seconds_count", {"kind": "issue"}) == 1


def test_a_job_that_is_unwound_is_not_counted_as_ended(registry: CollectorRegistry, metrics: WorkerMetrics) -> None:
    with pytest.raises(KeyboardInterrupt), metrics.job(fix_issue("d1")):
        raise KeyboardInterrupt
    assert registry.get_sample_value("regreen_job_starts_total", {"kind": "issue"}) == 1
    assert registry.get_sample_value("regreen_jobs_running", {"kind": "issue"}) == 0
    assert registry.get_sample_value("regreen_jobs_total", {"kind": "issue", "state": "published"}) == 0


def test_a_call_of_a_port_is_timed_and_its_test_runs_are_counted(
    registry: CollectorRegistry, metrics: WorkerMetrics
) -> None:
    runs = (TestRun(RunState.COMPLETE, seconds=2.0), TestRun(RunState.TIMEOUT, seconds=60.0))
    workspace: Any = Timed(SimpleNamespace(evaluate=lambda *_: runs), "Workspace", metrics, Ticks())
    assert workspace.evaluate("base", (), "all") is runs
    assert registry.get_sample_value("regreen_call_seconds_sum", {"call": "Workspace.evaluate"}) == 1.0
    ended = {
        state: registry.get_sample_value("regreen_sandbox_runs_total", {"state": state.value}) for state in RunState
    }
    assert {state for state, number in ended.items() if number} == {RunState.COMPLETE, RunState.TIMEOUT}


def test_a_call_that_fails_is_counted_by_its_kind_of_error_and_raises_it(
    registry: CollectorRegistry, metrics: WorkerMetrics
) -> None:
    def refuse() -> None:
        raise GitHubUnavailableError("502", "wait")

    github: Any = Timed(SimpleNamespace(issue=refuse, login="bot"), "GitHub", metrics, Ticks())
    assert github.login == "bot"
    with pytest.raises(GitHubUnavailableError):
        github.issue()
    labels = {"call": "GitHub.issue", "error": "GitHubUnavailableError"}
    assert registry.get_sample_value("regreen_call_errors_total", labels) == 1


def test_what_models_were_sent_and_cost_is_counted_by_role(registry: CollectorRegistry, metrics: WorkerMetrics) -> None:
    model = CountedModel(Answering(), Role.CRITIC, metrics, Ticks())
    labels = {"role": "critic", "model": "a-model"}
    # a series that began with the first charge would not show that one as a rise
    assert registry.get_sample_value("regreen_model_dollars_total", labels) == 0
    model.complete((), CompletionLimits(10))
    assert registry.get_sample_value("regreen_model_tokens_total", labels | {"direction": "prompt"}) == 120
    assert registry.get_sample_value("regreen_model_tokens_total", labels | {"direction": "completion"}) == 30
    assert registry.get_sample_value("regreen_model_dollars_total", labels) == 0.25
    down = CountedModel(Answering(ModelError("down", "wait")), Role.CRITIC, metrics, Ticks())
    with pytest.raises(ModelError):
        down.complete((), CompletionLimits(10))
    assert registry.get_sample_value("regreen_model_calls_total", labels | {"outcome": "ModelError"}) == 1
    assert registry.get_sample_value("regreen_model_calls_total", labels | {"outcome": "answered"}) == 1


def test_a_step_is_counted_when_it_is_written_and_not_when_a_resumed_job_comes_to_it_again(
    registry: CollectorRegistry, metrics: WorkerMetrics, tmp_path: Path
) -> None:
    for execution in range(2):
        log = CountedJournal(FileJournal(tmp_path / "log.jsonl", FakeClock(), str), metrics)
        log.append("step_started", {"step": "fetch"})
        log.append("step_ended", {"step": "fetch", "seconds": 2.5})
        if execution:
            log.append("step_ended", {"step": "prepare", "seconds": 4.0})
    for step, seconds in {"fetch": 2.5, "prepare": 4.0}.items():
        assert registry.get_sample_value("regreen_step_seconds_sum", {"step": step}) == seconds
        assert registry.get_sample_value("regreen_step_seconds_count", {"step": step}) == 1
