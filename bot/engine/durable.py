"""The durable engine: DBOS on SQLite in the data directory, or on Postgres. The only module that knows it.

A job is a workflow, a port call a step. A worker killed at any moment resumes, when it starts again, after the last
step that was recorded; no step that was recorded runs twice. SQLite means one worker: a lock file holds it to that.
Postgres means any number of them, each with an executor id for each of its starts.
"""

import logging
import os
import socket
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any, Self

import structlog
from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, SetEnqueueOptions, SetWorkflowID, error

from bot.engine.codec import decode_job, decode_outcome, encode_job, encode_outcome
from bot.engine.database import engine_arguments, translated, use_write_ahead_log
from bot.engine.endings import Endings, broken
from bot.engine.lock import locked
from bot.engine.recorded import record_ports
from bot.engine.starts import Starts
from bot.engine.underway import Strayed, Underway
from bot.errors import ConfigurationError
from bot.jobs import Job, JobOutcome, State, job_id
from bot.pipeline.logs.recording import Artifacts, Asked, Record
from bot.pipeline.ports.job import Ports
from bot.pipeline.ports.store import Runs

APPLICATION_VERSION = "3"
"""Bumped by hand with every release that calls ports in another order, or others, or keeps their results in another
shape: recorded steps of older jobs can then not be replayed, and older jobs are stranded. A job that strays from its
record all the same, as one does after a change of settings, ends like these.
"""

EXECUTOR = "worker"
QUEUE = "fixes"
WORKFLOW = "fix"
POLL_SECONDS = 0.2
MAX_STARTS = 10
"""How often a job is begun without getting on; then it is given up, for it would take its worker down for ever.

Only starts in a row count that record no step: neither kills that hit a job by chance nor orderly stops add up.
"""

GIVEN_UP = "error"
"""The stop of a job whose workflow broke outside of its run."""

_log = structlog.get_logger(__name__)

Wrap = Callable[[Ports], Ports]
RunJob = Callable[[Job, Wrap], JobOutcome]


@dataclass(frozen=True, slots=True)
class DurableSettings:
    """Where the engine keeps its database and lock, and how many repositories are worked on at once.

    `url` is SQLAlchemy's address of the Postgres that all workers share, empty for SQLite in the data directory.
    """

    data_dir: Path
    parallel_jobs: int = 2
    url: str = field(default="", repr=False)


class DurableEngine:
    """`JobEngine` that survives its process; one a process and data directory. `start` it, use it, `close` it."""

    def __init__(
        self,
        settings: DurableSettings,
        run_job: RunJob,
        runs: Runs,
        artifacts: Artifacts,
        endings: Endings = Endings(),  # noqa: B008 - frozen
    ) -> None:
        """Keep the parts; nothing is opened before `start`.

        `run_job` gets a job and a function that makes ports recorded. It must come to each step in the same order when
        it is run again: everything that can differ has to come through a port.
        """
        self._settings = settings
        self._run_job = run_job
        self._runs = runs
        self._artifacts = artifacts
        self._endings = endings
        self._starts = Starts(settings.data_dir / "starts")
        self._lock: IO[str] | None = None
        self._executor = EXECUTOR
        self._underway = Underway()
        self._workflow: Callable[[Record], Record] | None = None

    def __enter__(self) -> Self:
        """Start."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def start(self) -> None:
        """Take the lock, open the database, resume what an earlier worker left, and begin to work on the queue.

        Raises `ConfigurationError` when another worker holds the lock.
        """
        directory = self._settings.data_dir
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        # With a handler of its own the library adds none and its warnings reach the root logger.
        logging.getLogger("dbos").addHandler(logging.NullHandler())
        if self._settings.url:
            self._executor = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
            DBOS(config=_config(self._executor, self._settings.url, engine_arguments()))
        else:
            self._lock = locked(directory / "worker.lock")
            database = directory / "engine.sqlite"
            use_write_ahead_log(database)
            DBOS(config=_config(self._executor, f"sqlite:///{database}"))
        self._workflow = DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)(self._registered())
        DBOS.listen_queues([QUEUE])
        DBOS.launch()
        DBOS.register_queue(
            QUEUE,
            partition_concurrency=1,
            worker_concurrency=self._settings.parallel_jobs,
            polling_interval_sec=POLL_SECONDS,
            on_conflict="always_update",
        )
        self._strand()
        self._reconcile()

    def _reconcile(self) -> None:
        """End in their rows what has ended here, and forget what was noted and never queued: its delivery comes again.

        A worker that was killed between the two leaves either; such a row would keep its subject busy for ever.
        """
        for identity in self._runs.open():
            outcome, job = self.outcome(identity), self.job(identity)
            if outcome is not None:
                self._runs.ended(identity, outcome)
            if job is None:
                self._runs.forget(identity)
            elif outcome is not None and outcome.stop == GIVEN_UP:
                self._endings.fail(job, outcome)

    def _strand(self) -> None:
        """End what an earlier version left: it would wait for that version for ever, and its repository with it."""
        for left in DBOS.list_workflows(name=WORKFLOW, status=["PENDING", "ENQUEUED", "DELAYED"]):
            if left.app_version == APPLICATION_VERSION:
                continue
            job = self.job(left.workflow_id)
            if job is not None:
                self._runs.ended(left.workflow_id, self._endings.strand(job))
            DBOS.cancel_workflow(left.workflow_id)
            _log.warning("job_stranded", job=left.workflow_id, version=left.app_version)

    @property
    def executor(self) -> str:
        """Under which id this engine works: of its own for each start on Postgres, always the same on SQLite."""
        return self._executor

    def close(self, grace: float = 10.0) -> bool:
        """Stop: jobs under way unwind at their next step, as they would after a kill, and resume at the next start.

        Waits `grace` seconds for the steps that are running. `False` says that one still is: then the process should
        end with `os._exit`, which loses that step and nothing else, however it ends from now on.
        """
        self._starts.clear()
        drained = self._underway.stop(grace)
        DBOS.destroy(destroy_registry=True)
        if self._lock is not None:
            self._lock.close()
            self._lock = None
        return drained

    def enqueue(self, job: Job) -> str:
        """Queue the job under its id, behind the other jobs of its repository; the same id again changes nothing."""
        identity = job_id(job)
        if self._workflow is None:
            raise ConfigurationError("The engine was not started", "Call `start` before `enqueue`.")
        with translated(), SetWorkflowID(identity), SetEnqueueOptions(queue_partition_key=job.repository):
            DBOS.enqueue_workflow(QUEUE, self._workflow, encode_job(job))
        return identity

    def outcome(self, identity: str) -> JobOutcome | None:
        """The recorded outcome of a job that has ended."""
        with translated():
            status = DBOS.get_workflow_status(identity)
        if status is None:
            return None
        if status.status == "SUCCESS" and status.output is not None:
            return decode_outcome(status.output)
        if status.status == "CANCELLED":
            return self._runs.outcome(identity) or JobOutcome(State.CANCELLED, "Cancelled")
        if status.status == "ERROR":
            return self._runs.outcome(identity) or JobOutcome(State.FAILED, "The engine gave the job up", stop=GIVEN_UP)
        return None

    def job(self, identity: str) -> Job | None:
        """What was queued under the id."""
        with translated():
            status = DBOS.get_workflow_status(identity)
        if status is None or status.input is None:
            return None
        (encoded,) = status.input["args"]
        return decode_job(encoded)

    def cancel(self, identity: str, outcome: JobOutcome) -> bool:
        """End the job, queued or under way; see `JobEngine`. The row of the run tells which end came first.

        A job that waits for a model's answer does so to the end of that one call, and then unwinds.
        """
        if self._runs.ended(identity, outcome).state is not State.CANCELLED:
            return True
        with translated():
            DBOS.cancel_workflow(identity)
        quiet = self._underway.cancel(identity)
        self._endings.kill(identity)
        return quiet

    def _registered(self) -> Callable[[Record], Record]:
        def fix(encoded: Record) -> Record:
            job = decode_job(encoded)
            identity = job_id(job)
            with self._underway.job(identity):
                try:
                    return self._execute(job, identity)
                finally:
                    self._starts.got_on(identity)

        return fix

    def _execute(self, job: Job, identity: str) -> Record:
        known = self._underway.insist(identity, partial(self._runs.outcome, identity), None)
        if known is not None:
            return encode_outcome(known)
        starts = self._starts.begin(identity)
        _log.info("job_started", job=identity, start=starts)
        try:
            outcome = (
                self._endings.abandon(job, starts - 1)
                if starts > MAX_STARTS
                else self._run_job(job, self._wrap(identity))
            )
        except (error.DBOSWorkflowCancelledError, error.DBOSWorkflowConflictIDError):
            raise
        except Strayed as strayed:
            _log.error("job_strayed", job=identity, cause=str(strayed))
            outcome = self._endings.strand(job)
        except Exception as fault:  # noqa: BLE001 - whatever went wrong, the job ends in a recorded state
            outcome = broken(fault, identity)
            self._endings.fail(job, outcome)
        # No step: the first outcome stands, so a second call after a crash changes nothing. Where the row stays open,
        # what is returned here ends it at the next start.
        standing = self._underway.insist(identity, partial(self._runs.ended, identity, outcome), outcome)
        _log.info("job_ended", job=identity, state=standing.state.value, headline=standing.headline)
        return encode_outcome(standing)

    def _wrap(self, identity: str) -> Wrap:
        def step(name: str, asked: Asked, call: Callable[[], Record]) -> Record:
            del asked  # arguments follow from what was recorded before
            made: list[Record] = []

            def make() -> Record:
                try:
                    made.append(call())
                finally:
                    # in place of any error: what was given up or cancelled leaves no record
                    self._underway.require_wanted(identity)
                return made[0]

            with self._underway.step(identity, name):
                try:
                    record = DBOS.run_step({"name": name}, make)
                except error.DBOSUnexpectedStepError as strayed:
                    raise Strayed(str(strayed)) from None
            if made:
                self._starts.got_on(identity)
            return record

        return lambda ports: record_ports(ports, step, self._artifacts)


def _config(executor: str, url: str, arguments: dict[str, Any] | None = None) -> DBOSConfig:
    return {
        "name": "regreen",
        "system_database_url": url,
        "db_engine_kwargs": arguments,
        "use_listen_notify": arguments is None,  # nothing here waits for a notification
        "application_version": APPLICATION_VERSION,
        "executor_id": executor,
        "serializer": DBOSPortableJSONSerializer(),
        "enable_otlp": False,
        "log_level": "WARNING",
    }
