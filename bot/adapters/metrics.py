"""What a worker counts, for Prometheus: jobs, the calls of their ports, models, sandbox runs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bot.jobs import FixCheck, FixIssue, FollowUp, Job, JobOutcome, State
from bot.repair.types import Usage
from sandbox.spec import TestRun

CALL_BUCKETS = (0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)
JOB_BUCKETS = (5, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200)
"""Seconds, with the infinite bucket left to the library."""
KINDS = ("issue", "check", "follow_up")
LEVELS = ("warning", "error", "critical")
ANSWERED = "answered"


def kind(job: Job) -> str:
    """What a job is, for a label."""
    match job:
        case FixIssue():
            return "issue"
        case FixCheck():
            return "check"
        case FollowUp():
            return "follow_up"


class WorkerMetrics:
    """Counted since the process began. Safe to share between threads; no method raises.

    Labels hold names of this code and of configured models only: nothing from GitHub becomes a label, which would make
    a series of every repository, and show it to whoever reads metrics.
    """

    def __init__(self, registry: CollectorRegistry, slots: int) -> None:
        """`slots` is how many jobs the worker works on at once.

        What alerts are for is there from the beginning, as 0: `increase` knows nothing of a series that begins at 1.
        """

        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(name, text, labels, registry=registry)

        def histogram(name: str, text: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
            return Histogram(name, text, labels, registry=registry, buckets=buckets)

        self._begun = counter("regreen_job_starts", "Jobs begun or resumed.", "kind")
        self._jobs = counter("regreen_jobs", "Jobs that ran to their end here.", "kind", "state")
        self._job_seconds = histogram("regreen_job_seconds", "Seconds of these in this process.", JOB_BUCKETS, "kind")
        self._running = Gauge("regreen_jobs_running", "Jobs under way here.", ["kind"], registry=registry)
        Gauge("regreen_job_slots", "Jobs that may be under way here.", registry=registry).set(slots)
        self._calls = histogram("regreen_call_seconds", "Seconds of the calls that jobs make.", CALL_BUCKETS, "call")
        self._failed = counter("regreen_call_errors", "Calls that failed, by the kind of error.", "call", "error")
        self._model_calls = counter("regreen_model_calls", "Calls of models.", "role", "model", "outcome")
        self._model_seconds = histogram(
            "regreen_model_seconds", "Seconds until a model had answered.", CALL_BUCKETS, "role", "model"
        )
        self._tokens = counter("regreen_model_tokens", "Tokens sent and received.", "role", "model", "direction")
        self._dollars = counter("regreen_model_dollars", "Dollars for models.", "role", "model")
        self._runs = counter("regreen_sandbox_runs", "Runs of tests in containers by how they ended.", "state")
        self._run_seconds = histogram("regreen_sandbox_run_seconds", "Seconds of these.", CALL_BUCKETS, "state")
        self._steps = histogram("regreen_step_seconds", "Seconds of a job's steps.", JOB_BUCKETS, "step")
        self._decisions = counter("regreen_decisions", "Deliveries looked at, by what came of it.", "event", "outcome")
        self._lines = counter("regreen_log_lines", "Lines of the log by level; none below the configured one.", "level")
        self._chores = counter("regreen_chore_failures", "Chores of the worker that failed.", "chore")
        for name in KINDS:
            for state in State:
                self._jobs.labels(name, state.value)
        for level in LEVELS:
            self._lines.labels(level)

    @contextmanager
    def job(self, job: Job) -> Iterator[Callable[[JobOutcome], None]]:
        """Count a job from its start; call what this gives with its outcome."""
        name = kind(job)
        self._begun.labels(name).inc()

        def ended(outcome: JobOutcome) -> None:
            self._jobs.labels(name, outcome.state.value).inc()

        with self._running.labels(name).track_inprogress(), self._job_seconds.labels(name).time():
            yield ended

    def called(self, call: str, seconds: float, error: str = "") -> None:
        """Count a call of a port, as `GitHub.issue`; `error` is the class of what it raised."""
        self._calls.labels(call).observe(seconds)
        if error:
            self._failed.labels(call, error).inc()

    def expects(self, role: str, model: str) -> None:
        """Say that a model may be asked: what it costs is 0 until then."""
        self._model_calls.labels(role, model, ANSWERED)
        self._dollars.labels(role, model)

    def answered(self, role: str, model: str, seconds: float, usage: Usage) -> None:
        """Count a model's answer."""
        self._model_calls.labels(role, model, ANSWERED).inc()
        self._model_seconds.labels(role, model).observe(seconds)
        self._tokens.labels(role, model, "prompt").inc(max(0, usage.prompt_tokens))
        self._tokens.labels(role, model, "completion").inc(max(0, usage.completion_tokens))
        self._dollars.labels(role, model).inc(max(0.0, usage.dollars))

    def unanswered(self, role: str, model: str, error: str) -> None:
        """Count a call of a model that failed; `error` is the class of what it raised."""
        self._model_calls.labels(role, model, error).inc()

    def ran(self, run: TestRun) -> None:
        """Count a run of tests."""
        self._runs.labels(run.state.value).inc()
        self._run_seconds.labels(run.state.value).observe(max(0.0, run.seconds))

    def stepped(self, step: str, seconds: float) -> None:
        """Count a step of a job."""
        self._steps.labels(step).observe(max(0.0, seconds))

    def decided(self, event: str, outcome: str) -> None:
        """Count a delivery that was looked at; `event` is a name that is handled."""
        self._decisions.labels(event, outcome).inc()

    def logged(self, level: str) -> None:
        """Count a line of the log."""
        self._lines.labels(level).inc()

    def failed_chore(self, chore: str) -> None:
        """Count a chore that failed."""
        self._chores.labels(chore).inc()


class VitalsCollector(Collector):
    """`regreen_ready{check}`, 1 for nothing wrong, and `regreen_loop_silent_seconds{loop}`: asked at each scrape."""

    def __init__(self, look: Callable[[], Mapping[str, str]], ages: Callable[[], Mapping[str, float]]) -> None:
        """Keep both; nothing is asked before a scrape."""
        self._look = look
        self._ages = ages

    def describe(self) -> list[GaugeMetricFamily]:
        """The families without samples, so that registering asks nothing."""
        return [
            GaugeMetricFamily("regreen_ready", "Whether a check of /readyz finds nothing wrong.", labels=["check"]),
            GaugeMetricFamily("regreen_loop_silent_seconds", "Seconds since a loop turned last.", labels=["loop"]),
        ]

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """One sample for each check and loop."""
        ready, silent = self.describe()
        for check, wrong in self._look().items():
            ready.add_metric([check], 0.0 if wrong else 1.0)
        for loop, age in self._ages().items():
            silent.add_metric([loop], age)
        yield ready
        yield silent
