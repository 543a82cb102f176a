"""Containers made ahead of their run: started and given the base tree while nobody waits for them."""

import io
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from itertools import chain

from sandbox import protocol
from sandbox.archive import member
from sandbox.container import Container
from sandbox.engine import DockerEngine, with_results
from sandbox.errors import EngineStuckError, EngineUnavailableError, SandboxError, TreeTooLargeError
from sandbox.spec import File, RunResult, RunSpec
from sandbox.upload import Packed, Upload

WAIT_SECONDS = 600.0


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
    timer: threading.Timer
    rest: _Rest = field(default_factory=_Rest)

    def close(self) -> None:
        """End the feeder, then remove the container; where that cannot be, its label has the reaper do it."""
        self.timer.cancel()
        self.rest.give(())
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
        self._lock = threading.Lock()
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
        threading.Thread(target=self._make, args=(spec, base, key, made), daemon=True).start()
        _discard(excess)

    def run(self, spec: RunSpec, archive: Iterable[bytes]) -> RunResult:
        """As `DockerEngine.run`; a container that waits is used for an `Upload` over the base that it has."""
        if isinstance(archive, Upload):
            waiting = self._take(_key(spec, archive.base))
            if waiting is not None:
                try:
                    return self._use(waiting, spec, archive)
                except EngineStuckError:
                    raise
                except (TreeTooLargeError, EngineUnavailableError):
                    # It may have died, or been removed, while it waited; what else is wrong is so for the next one too.
                    return self._engine.run(spec, archive)
        return self._engine.run(spec, archive)

    def close(self) -> None:
        """Remove what waits, and wait for what leaves; nothing is made ahead from now on."""
        with self._lock:
            self._closed = True
            left = list(self._waiting.values())
            self._waiting.clear()
            leaving = tuple(self._leaving)
        for made in left:
            _close(made)
        for thread in leaving:
            thread.join()

    def _make(self, spec: RunSpec, base: Packed, key: _Key, made: "Future[_Waiting]") -> None:
        timer = threading.Timer(self._wait, self._expire, (key, made))
        timer.daemon = True
        try:
            with ExitStack() as stack:
                container = stack.enter_context(self._engine.containers.started(spec, waits=self._wait))
                waiting = _Waiting(container, stack, timer)
                container.feed(chain(base.chunks, waiting.rest))
                waiting.held = stack.pop_all()
        except Exception as error:  # noqa: BLE001 (whoever asks for the container gets it)
            made.set_exception(error)
            return
        timer.start()
        made.set_result(waiting)

    def _expire(self, key: _Key, made: "Future[_Waiting]") -> None:
        with self._lock:
            mine = self._waiting.get(key) is made
            if mine:
                del self._waiting[key]
        if mine:
            _close(made)

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
        with self._engine.containers.running, ExitStack() as failed:
            failed.enter_context(waiting.held)
            try:
                waiting.rest.give(chain(member(protocol.COMMAND, File(protocol.command(spec))), archive.rest()))
                result = waiting.container.finish(spec, sink)
            finally:
                waiting.rest.give(())
            failed.pop_all()
        self._leave(waiting)
        return with_results(result, sink.getvalue(), spec)

    def _leave(self, used: _Waiting) -> None:
        """Remove a container that has ended, while nobody waits for that; the interpreter's end does."""
        thread = threading.Thread(target=used.close)
        with self._lock:
            self._leaving = [*filter(threading.Thread.is_alive, self._leaving), thread]
            thread.start()


def _key(spec: RunSpec, base: Packed) -> _Key:
    return _Key(replace(spec, run_id="", command=(), environment=()), base)


def _close(made: "Future[_Waiting]") -> None:
    if made.exception() is None:
        made.result().close()


def _discard(excess: "list[Future[_Waiting]]") -> None:
    for made in excess:
        threading.Thread(target=_close, args=(made,), daemon=True).start()
