"""Containers made ahead of their run: started and given the base tree while nobody waits for them."""

import io
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from sandbox.containers import protocol
from sandbox.containers.archive import member
from sandbox.containers.container import Container
from sandbox.containers.engine import DockerEngine, with_results
from sandbox.containers.upload import Packed, Upload
from sandbox.errors import EngineStuckError, EngineUnavailableError, SandboxError, TreeTooLargeError
from sandbox.spec import File, RunResult, RunSpec

WAIT_SECONDS = 600.0
CLOSE_SECONDS = 90.0
"""How long the end of a making, and a removal, is waited for: longer than the calls that it takes."""


class _Rest:
    """The part of a tar that is not known yet: whoever reads it waits."""

    def __init__(self) -> None:
        self._known = threading.Event()
        self._chunks: Iterable[bytes] = ()

    def give(self, chunks: Iterable[bytes]) -> None:
        """Let the reader go on with these; only the first call counts."""
        if not self._known.is_set():
            self._chunks = chunks
            self._known.set()

    def __iter__(self) -> Iterator[bytes]:
        self._known.wait()
        yield from self._chunks


@dataclass(frozen=True, slots=True)
class _Key:
    spec: RunSpec
    base: Packed


@dataclass
class _Waiting:
    container: Container
    held: ExitStack
    rest: _Rest
    timer: threading.Timer

    def close(self) -> None:
        """Remove the container; where that cannot be, its label has the reaper do it."""
        self.timer.cancel()
        with suppress(SandboxError):
            self.held.close()


class Ahead:
    """Runs as the engine does, in a container that was made ahead where there is one; safe to use from several threads.

    At most one container waits for each base tree, for `bases` of them, `wait_seconds` long. Each serves one run.
    """

    def __init__(self, engine: DockerEngine, bases: int, wait_seconds: float = WAIT_SECONDS) -> None:
        """Nothing waits yet."""
        self._engine = engine
        self._bases = bases
        self._wait = wait_seconds
        # A signal's handler closes in the thread that may hold it.
        self._lock = threading.RLock()
        self._waiting: OrderedDict[_Key, Future[_Waiting]] = OrderedDict()
        self._leaving: list[threading.Thread] = []
        self._closed = False

    def prepare(self, spec: RunSpec, base: Packed) -> None:
        """Make a container for the next run over `base`, from another thread; returns at once.

        Its run id, which labels the container, is `spec`'s; command and environment may be any. What goes wrong is
        found out by the run, which does without.
        """
        key, made = _key(spec, base), Future[_Waiting]()
        with self._lock:
            if self._closed or key in self._waiting:
                return
            self._waiting[key] = made
            excess = [self._waiting.popitem(last=False)[1] for _ in range(len(self._waiting) - self._bases)]
        try:
            threading.Thread(target=self._make, args=(spec, base, key, made), daemon=True).start()
        except RuntimeError as error:
            # No thread is left: a run that waited for this container would wait for ever.
            made.set_exception(error)
        for one in excess:
            self._leave(partial(_close, one))

    def run(self, spec: RunSpec, archive: Iterable[bytes]) -> RunResult:
        """As `DockerEngine.run`; a container that waits is used for an `Upload` over the base that it has."""
        if isinstance(archive, Upload):
            # Its deadline goes on while it waits: it is taken only when the run can begin.
            with self._engine.containers.running:
                result = self._ahead(spec, archive)
            if result is not None:
                return result
        return self._engine.run(spec, archive)

    def _ahead(self, spec: RunSpec, archive: Upload) -> RunResult | None:
        """The run in a container that waits; `None` where there is none, or it is no use any more."""
        waiting = self._take(_key(spec, archive.base))
        if waiting is None:
            return None
        try:
            return self._use(waiting, spec, archive)
        except EngineStuckError:
            raise
        except (TreeTooLargeError, EngineUnavailableError):
            # It may have died, or been removed, while it waited; what else is wrong is so for the next one too.
            return None

    def close(self, seconds: float = CLOSE_SECONDS) -> bool:
        """Remove what waits or is being made, and wait for what leaves; nothing is made ahead from now on.

        `False` when something may be left after `seconds`.
        """
        with self._lock:
            self._closed = True
            left = list(self._waiting.values())
            self._waiting.clear()
        for made in left:
            self._leave(partial(_close, made))
        with self._lock:
            leaving, self._leaving = self._leaving, []
        end = time.monotonic() + seconds
        for thread in leaving:
            thread.join(max(0.0, end - time.monotonic()))
        with self._lock:
            self._leaving += filter(threading.Thread.is_alive, leaving)
            return not self._leaving

    def _make(self, spec: RunSpec, base: Packed, key: _Key, made: "Future[_Waiting]") -> None:
        begun, rest = time.monotonic(), _Rest()
        try:
            with ExitStack() as stack:
                container = stack.enter_context(self._engine.containers.started(spec, waits=self._wait))
                # Removing it waits for the feeder, which waits for the rest.
                stack.callback(rest.give, ())
                container.feed(chain(base.chunks, rest))
                # The container's own deadline counts from before it was made.
                left = max(0.0, self._wait - (time.monotonic() - begun))
                timer = threading.Timer(left, self._expire, (key, made))
                timer.daemon = True
                timer.start()
                waiting = _Waiting(container, stack.pop_all(), rest, timer)
        except Exception as error:  # noqa: BLE001 (whoever asks for the container gets it)
            made.set_exception(error)
            return
        made.set_result(waiting)

    def _expire(self, key: _Key, made: "Future[_Waiting]") -> None:
        with self._lock:
            mine = self._waiting.get(key) is made
            if mine:
                del self._waiting[key]
        if mine:
            self._leave(partial(_close, made))

    def _take(self, key: _Key) -> _Waiting | None:
        with self._lock:
            made = self._waiting.pop(key, None)
        # Waiting for the end of its making takes no longer than making another.
        if made is None or made.exception() is not None:
            return None
        waiting = made.result()
        if waiting.container.silent:
            return waiting
        waiting.close()
        return None

    def _use(self, waiting: _Waiting, spec: RunSpec, archive: Upload) -> RunResult:
        sink = io.BytesIO()
        waiting.timer.cancel()
        with ExitStack() as failed:
            failed.enter_context(waiting.held)
            waiting.rest.give(chain(member(protocol.COMMAND, File(protocol.command(spec))), archive.rest()))
            result = waiting.container.finish(spec, sink)
            failed.pop_all()
        self._leave(waiting.close)
        return with_results(result, sink.getvalue(), spec)

    def _leave(self, action: Callable[[], None]) -> None:
        """Remove a container while nobody waits for that; only `close` does, and the interpreter's end."""
        with self._lock:
            thread = _apart(action)
            if thread is not None:
                self._leaving = [*filter(threading.Thread.is_alive, self._leaving), thread]


def _key(spec: RunSpec, base: Packed) -> _Key:
    return _Key(replace(spec, run_id="", command=(), environment=()), base)


def _close(made: "Future[_Waiting]") -> None:
    # A signal may have come between the promise of a container and the thread that makes it.
    with suppress(TimeoutError):
        if made.exception(CLOSE_SECONDS) is None:
            made.result().close()


def _apart(action: Callable[[], None]) -> threading.Thread | None:
    """Do something that nobody waits for in a thread of its own, or here, where there can be no other."""
    thread = threading.Thread(target=action)
    try:
        thread.start()
    except RuntimeError:
        action()
        return None
    return thread
