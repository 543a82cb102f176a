"""What a worker does that had to let its jobs go: it begins anew, as a process that never had them."""

import os
import sys
import threading
from contextlib import suppress

import structlog

from bot.web.readiness import LOST
from bot.wiring.application import Worker
from sandbox.errors import SandboxError

AGAIN_SECONDS = 1.0

_log = structlog.get_logger(__name__)


def renew(worker: Worker, stop: threading.Event) -> None:
    """Wait until the engine has lost its lease; then, once the database answers, put a new process in this one's place.

    Nothing of the old one goes on: no thread that still waits for a model, no claim, no connection, no id.
    """
    worker.engine.lost.wait()
    worker.health.vitals.away = LOST
    with suppress(SandboxError):
        worker.remove_own()
    while not worker.engine.answers():
        if stop.wait(AGAIN_SECONDS):
            return
    if stop.is_set():
        return
    _log.warning("worker_begins_anew", executor=worker.engine.executor)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - itself, as it was started
