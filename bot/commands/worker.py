"""The two long-running processes: the webhook server and the worker."""

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import partial

import structlog

from bot.commands.renewal import renew
from bot.errors import RegreenError
from bot.pipeline.intake.holding import BEATS
from bot.pipeline.intake.pool import Pool
from bot.pipeline.keeping import Keeping
from bot.settings import Settings
from bot.web import server
from bot.web.readiness import DRAINING
from bot.wiring.application import Worker, web
from sandbox.errors import SandboxError

HURRY_SECONDS = 0.5
REAP_SECONDS = 60.0
RECOVER_SECONDS = 600.0
KEEP_SECONDS = 1800.0
LANES_SECONDS = 5.0
"""How long deliveries that are being decided are waited for at the end."""

_log = structlog.get_logger(__name__)


def serve(settings: Settings) -> None:
    """Run the webhook server until a signal ends it. Raises `ConfigurationError`, `StoreError`."""
    app = web(settings)
    _log.info("server_starting", address=f"http://{settings.host}:{settings.port}")
    server.serve(app, settings.host, settings.port)


def work(worker: Worker, stop: threading.Event) -> None:
    """Run the worker until `stop` is set; jobs under way resume at the next start.

    Raises `ConfigurationError` when another worker has the data directory, the base image is missing, or a limit of the
    sandbox does not hold, `EngineUnavailableError`.
    """
    served = worker.health.serve()
    try:
        _work(worker, stop)
    finally:
        if served is not None:
            served.close()


def _work(worker: Worker, stop: threading.Event) -> None:
    vitals = worker.health.vitals
    facts = worker.containment.require()
    _log.info("engine_found", version=facts.version, runtimes=facts.runtimes)
    worker.engine.start()
    pool = Pool(worker.dispatcher, stop, lambda: vitals.beat("dispatch"))
    threading.Thread(target=hold, args=(worker, stop), name="leases", daemon=True).start()
    threading.Thread(target=hurry, args=(worker, stop), name="stops", daemon=True).start()
    threading.Thread(target=reap, args=(worker, stop), name="reaper", daemon=True).start()
    threading.Thread(target=recover, args=(worker, stop), name="recovery", daemon=True).start()
    vitals.away = ""
    # from here on, since it says why no work is taken
    threading.Thread(target=renew, args=(worker, stop), name="renewal", daemon=True).start()
    _log.info("worker_started")
    try:
        pool.run()
    finally:
        vitals.away = DRAINING
        pool.drain(min(LANES_SECONDS, worker.grace))
        drained = worker.engine.close(worker.grace)
    if not drained:
        _log.warning("step_abandoned")
        with suppress(SandboxError):
            worker.remove_own()
        os._exit(0)


def hold(worker: Worker, stop: threading.Event) -> None:
    """Renew what this worker has leases on."""
    holding = worker.dispatcher.holding
    while not stop.wait(holding.seconds / BEATS):
        worker.health.vitals.beat("leases", _attempt(worker, "leases_not_renewed", holding.beat))


def hurry(worker: Worker, stop: threading.Event) -> None:
    """Cancel what somebody stopped while the dispatcher is held up by other deliveries; see to operators' wishes."""

    def look() -> None:
        worker.dispatcher.hurry()

    def fulfil() -> None:
        worker.wishing.look()

    while not stop.wait(HURRY_SECONDS):
        worker.health.vitals.beat("stops")
        for name, chore in {"not_hurried": look, "wishes_not_seen_to": fulfil}.items():
            _attempt(worker, name, chore)


def reap(worker: Worker, stop: threading.Event) -> None:
    """Remove what killed workers left, close the accounts of their jobs and show their last words, every minute.

    Remove what has had its time now and then.

    What is not of this machine, one worker at a time does.
    """

    def sweep() -> None:
        if reaped := worker.reaper.sweep(time.time()):
            _log.info("reaped", **asdict(reaped))

    def settle() -> None:
        if settled := worker.settle():
            _log.info("settled", jobs=settled)

    def tell() -> None:
        if told := worker.retelling.look():
            _log.info("told", jobs=told)

    chores = {
        "not_reaped": sweep,
        "not_settled": _in_turn(worker, "settling", settle),
        "not_told": _in_turn(worker, "telling", tell),
        "not_removed": _in_turn(worker, "keeping", partial(_remove, worker.keeping), KEEP_SECONDS),
    }
    while True:
        worker.health.vitals.beat("reaper")
        for name, chore in chores.items():
            _attempt(worker, name, chore)
        if stop.wait(REAP_SECONDS):
            return


def _remove(keeping: Keeping) -> None:
    if removed := keeping.look():
        _log.info("removed", **asdict(removed))


def recover(worker: Worker, stop: threading.Event) -> None:
    """Ask for deliveries that never arrived, now and every ten minutes, however many workers there are."""

    def look() -> None:
        found = worker.recovery.look()
        if found.asked or not found.whole:
            _log.info("deliveries_recovered", **asdict(found))

    look_in_turn = _in_turn(worker, "recovery", look, RECOVER_SECONDS - REAP_SECONDS)
    while True:
        worker.health.vitals.beat("recovery")
        _attempt(worker, "deliveries_not_recovered", look_in_turn)
        if stop.wait(RECOVER_SECONDS):
            return


def _in_turn(worker: Worker, name: str, chore: Callable[[], None], rest: float = 0.0) -> Callable[[], None]:
    """A chore that one worker at a time does, and none for `rest` seconds after it was done."""

    def take_turn() -> None:
        with worker.dispatcher.holding.turn(name, rest) as ours:
            if ours:
                chore()

    return take_turn


def _attempt(worker: Worker, failed: str, chore: Callable[[], None]) -> bool:
    """Do a chore, and return whether it succeeded; whatever it raises is logged and counted under `failed`."""
    try:
        chore()
    except (RegreenError, SandboxError) as error:
        _log.warning(failed, cause=error.cause)
    except OSError as error:
        _log.warning(failed, cause=str(error))
    except Exception:  # noqa: BLE001 - a fault here must not end for good what all later jobs rely on
        _log.exception(failed)
    else:
        return True
    worker.health.metrics.failed_chore(failed)
    return False
