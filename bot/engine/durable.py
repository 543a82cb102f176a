"""The durable engine: DBOS on SQLite in the data directory, or on Postgres.

A job is a workflow, a port call a step. A worker killed at any moment resumes, when it starts again, after the last
step that was recorded; no step that was recorded runs twice. SQLite means one worker: a lock file holds it to that.
Postgres means any number of them: see `bot.engine.shift` for how they keep out of each other's jobs.
"""

import logging
import threading
from collections.abc import Callable
from functools import partial
from typing import IO, Self

import structlog
from dbos import DBOS, SetEnqueueOptions, SetWorkflowID, error

from bot.engine.codec import decode_job, decode_outcome, encode_job, encode_outcome
from bot.engine.database import translated
from bot.engine.endings import Endings, broken
from bot.engine.launch import APPLICATION_VERSION, configuration, prepare
from bot.engine.leftovers import GIVEN_UP, LOOK_SECONDS, Leftovers
from bot.engine.line import ALONE, WAITING, queue_of
from bot.engine.lock import locked
from bot.engine.opening import DurableSettings, alone, shared
from bot.engine.recorded import record_ports
from bot.engine.rounds import Rounds
from bot.engine.shift import Parts, Shift
from bot.engine.turns import Place, importance
from bot.engine.underway import Strayed
from bot.errors import ConfigurationError, RegreenError
from bot.jobs import Job, JobOutcome, State, job_id
from bot.log import about
from bot.pipeline.logs.recording import Artifacts, Asked, Record
from bot.pipeline.ports.fleet import Fleet
from bot.pipeline.ports.job import Ports
from bot.pipeline.ports.store import Runs

__all__ = ["APPLICATION_VERSION", "MAX_STARTS", "DurableEngine", "DurableSettings", "RunJob", "Wrap"]

MAX_STARTS = 10
"""How often a job is begun without getting on; then it is given up, for it would take its worker down for ever.

Only starts in a row count that record no step: neither kills that hit a job by chance nor orderly stops add up.
"""

_log = structlog.get_logger(__name__)

Wrap = Callable[[Ports], Ports]
RunJob = Callable[[Job, Wrap], JobOutcome]


class DurableEngine:
    """`JobEngine` that survives its process; one a process and data directory. `start` it, use it, `close` it."""

    def __init__(
        self,
        settings: DurableSettings,
        run_job: RunJob,
        runs: Runs,
        artifacts: Artifacts,
        endings: Endings = Endings(),  # noqa: B008 - frozen
        fleet: Fleet | None = None,
    ) -> None:
        """Keep the parts; nothing is opened before `start`. On Postgres there must be a `fleet`.

        `run_job` gets a job and a function that makes ports recorded. It must come to each step in the same order when
        it is run again: everything that can differ has to come through a port.
        """
        self._settings = settings
        self._run_job = run_job
        self._runs = runs
        self._artifacts = artifacts
        self._endings = endings
        self._fleet = fleet
        self._rounds = Rounds(settings.told)
        self._lock: IO[str] | None = None
        self._shift: Shift | None = None
        self._workflow: Callable[[Record], Record] | None = None

    def __enter__(self) -> Self:
        """Start."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    @property
    def executor(self) -> str:
        """Under which id this engine works: of its own for each start on Postgres, always the same on SQLite."""
        return ALONE if self._shift is None else self._shift.executor

    @property
    def lost(self) -> threading.Event:
        """Set once this worker had to let its jobs go, since it did not reach the database: it works no more."""
        return self._started.lost

    def start(self) -> None:
        """Open the database, resume what an earlier worker left, and begin to work on the queue.

        On SQLite, takes the lock; raises `ConfigurationError` when another worker holds it. Raises `StoreError`.
        """
        self._settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        # With a handler of its own the library adds none and its warnings reach the root logger.
        logging.getLogger("dbos").addHandler(logging.NullHandler())
        shift, self._lock = self._open()
        self._shift, queue = shift, queue_of(shift.executor)
        with translated():
            prepare(shift.line, queue, self._settings.parallel_jobs)
            DBOS(config=configuration(shift.executor, shift.line.url, self._settings))
            self._workflow = DBOS.workflow(name="fix", max_recovery_attempts=None)(self._registered(shift))
            DBOS.listen_queues([queue])
            DBOS.launch()
        shift.enlist(self._rounds)
        leftovers = Leftovers(shift, self.outcome, self.job, _take_out)
        leftovers.at_start()
        shift.begin(self._rounds)
        self._rounds.begin("leftovers", LOOK_SECONDS, leftovers.look)

    def _open(self) -> tuple[Shift, IO[str] | None]:
        settings = self._settings
        parts = partial(Parts, runs=self._runs, endings=self._endings, version=APPLICATION_VERSION, forget=_forget)
        parts = partial(parts, slots=settings.parallel_jobs, limits=settings.limits)
        if settings.url:
            return shared(parts, settings, self._fleet), None
        lock = locked(settings.data_dir / "worker.lock")
        return alone(parts, settings), lock

    @property
    def _started(self) -> Shift:
        if self._shift is None:
            raise ConfigurationError("The engine was not started", "Call `start` first.")
        return self._shift

    def close(self, grace: float = 10.0) -> bool:
        """Stop: jobs under way unwind at their next step, as they would after a kill, and others resume them.

        On SQLite that is the next start. Waits `grace` seconds for the steps that are running. `False` says that one is
        still: then the process should end with `os._exit`, which loses that step and nothing else, however it ends now.
        """
        shift, self._shift = self._shift, None
        if shift is None:
            return True
        drained = shift.end(grace, self._rounds)
        DBOS.destroy(destroy_registry=True)
        shift.close()
        if self._lock is not None:
            self._lock.close()
        return drained

    def answers(self) -> bool:
        """Whether the database is in reach."""
        try:
            self._started.line.anyone()
        except RegreenError:
            return False
        return True

    def enqueue(self, job: Job) -> str:
        """Queue the job under its id, behind the other jobs of its repository; the same id again changes nothing."""
        identity, shift = job_id(job), self._started
        place = SetEnqueueOptions(queue_partition_key=str(Place.of(job)), priority=importance(job))
        with translated(), SetWorkflowID(identity), place:
            if self._workflow is not None and DBOS.get_workflow_status(identity) is None:
                DBOS.enqueue_workflow(WAITING, self._workflow, encode_job(job))
        shift.wake.set()
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
        return decode_job(status.input["args"][0])

    def cancel(self, identity: str, outcome: JobOutcome) -> bool:
        """End the job, queued or under way, here or elsewhere; see `JobEngine`.

        The row of the run tells which end came first. Another worker that has the job looks for this twice a second. A
        job that waits for a model's answer does so to the end of that one call, and then unwinds.
        """
        if self._runs.ended(identity, outcome).state is not State.CANCELLED:
            return True
        _take_out(identity)
        return self._started.cancel(identity)

    def _registered(self, shift: Shift) -> Callable[[Record], Record]:
        def fix(encoded: Record) -> Record:
            job = decode_job(encoded)
            with about(job_id(job), job.delivery_id), shift.job(job_id(job)):
                return self._execute(job, job_id(job), shift)

        return fix

    def _execute(self, job: Job, identity: str, shift: Shift) -> Record:
        insist = partial(shift.underway.insist, identity)
        known = insist(partial(self._runs.outcome, identity), None)
        if known is not None:
            return encode_outcome(known)
        insist(partial(self._runs.begun, identity, shift.executor), None)
        starts = shift.starts.begin(identity)
        _log.info("job_started", job=identity, start=starts)
        try:
            outcome = (
                self._endings.abandon(job, starts - 1)
                if starts > MAX_STARTS
                else self._run_job(job, self._wrap(identity, shift))
            )
        except (error.DBOSWorkflowCancelledError, error.DBOSWorkflowConflictIDError):
            raise
        except Strayed as strayed:
            _log.error("job_strayed", job=identity, cause=str(strayed))
            outcome = self._endings.strand(job)
        except Exception as fault:  # noqa: BLE001 - whatever went wrong, the job ends in a recorded state
            shift.underway.require_lease()
            outcome = broken(fault, identity)
            self._endings.fail(job, outcome)
        # No step: the first outcome stands, so a second call after a crash changes nothing. Where the row stays open,
        # what is returned here ends it later.
        standing = insist(partial(self._runs.ended, identity, outcome), outcome)
        _log.info("job_ended", job=identity, state=standing.state.value, headline=standing.headline)
        return encode_outcome(standing)

    def _wrap(self, identity: str, shift: Shift) -> Wrap:
        underway = shift.underway

        def step(name: str, asked: Asked, call: Callable[[], Record]) -> Record:
            del asked  # arguments follow from what was recorded before
            made: list[Record] = []

            def make() -> Record:
                try:
                    made.append(call())
                finally:
                    # in place of any error: what was given up or cancelled leaves no record
                    underway.require_wanted(identity)
                return made[0]

            with underway.step(identity, name):
                try:
                    record = DBOS.run_step({"name": name}, make)
                except error.DBOSUnexpectedStepError as strayed:
                    raise Strayed(str(strayed)) from None
            if made:
                shift.starts.got_on(identity)
            return record

        return lambda ports: record_ports(ports, step, self._artifacts)


def _forget(executor: str) -> None:
    with translated():
        DBOS.delete_queue(queue_of(executor))


def _take_out(identity: str) -> None:
    with translated():
        DBOS.cancel_workflow(identity)
