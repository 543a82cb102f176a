"""Containers made ahead when threads run out, and when a run has to wait for its turn; no engine."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from sandbox.containers.ahead import Ahead
from sandbox.containers.upload import Packed, upload
from sandbox.errors import EndedEarlyError
from sandbox.spec import RunResult, RunSpec, Verdict

SPEC = RunSpec("r", "image:1", ("true",))
FRESH = RunResult(Verdict.EXITED, 0, b"fresh", output_truncated=False)
WAITED = RunResult(Verdict.EXITED, 0, b"waited", output_truncated=False)


class ScriptedContainer:
    silent = True

    def __init__(self, ending: RunResult | Exception) -> None:
        self.ending = ending
        self.feeder: threading.Thread | None = None

    def feed(self, archive: Iterable[bytes]) -> None:
        self.feeder = threading.Thread(target=lambda: b"".join(archive))
        self.feeder.start()

    def finish(self, spec: RunSpec, sink: object) -> RunResult:
        del spec, sink
        if isinstance(self.ending, Exception):
            raise self.ending
        return self.ending


class ScriptedEngine:
    """An engine and its containers in one; removing a container waits for its feeder, as the real one does."""

    def __init__(self, ending: RunResult | Exception = WAITED) -> None:
        self.containers = self
        self.running = threading.BoundedSemaphore(1)
        self.ending = ending
        self.made = threading.Event()
        self.removed = threading.Event()
        self.may_go_on, self.may_leave = threading.Event(), threading.Event()
        self.may_go_on.set()
        self.may_leave.set()

    @contextmanager
    def started(self, spec: RunSpec, waits: float) -> Iterator[ScriptedContainer]:
        del spec, waits
        container = ScriptedContainer(self.ending)
        try:
            self.made.set()
            self.may_go_on.wait()
            yield container
        finally:
            if container.feeder is not None:
                container.feeder.join()
            self.may_leave.wait()
            self.removed.set()

    def run(self, spec: RunSpec, archive: Iterable[bytes]) -> RunResult:
        del spec, archive
        with self.running:
            return FRESH


def ahead(engine: Any, seconds: float = 60.0) -> Ahead:
    return Ahead(engine, bases=1, wait_seconds=seconds)


def run(ahead: Ahead, base: Packed) -> bytes:
    return ahead.run(SPEC, upload(base, {"repo": {}})).output


def no_room(self: threading.Thread) -> None:
    del self
    message = "can't start new thread"
    raise RuntimeError(message)


@pytest.mark.parametrize("kind", [threading.Timer, threading.Thread])
def test_without_a_thread_the_run_does_without_the_container(
    kind: type[threading.Thread], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, base = ScriptedEngine(), Packed.of({})
    waits = ahead(engine)
    with monkeypatch.context() as patched:
        patched.setattr(kind, "start", no_room)
        waits.prepare(SPEC, base)
        assert run(waits, base) == b"fresh"
    waits.close()
    assert engine.removed.is_set() is engine.made.is_set()


def test_a_container_is_taken_only_when_its_run_can_begin() -> None:
    engine, base = ScriptedEngine(), Packed.of({})
    waits = ahead(engine, 0.2)
    waits.prepare(SPEC, base)
    with engine.running:
        outputs: list[bytes] = []
        thread = threading.Thread(target=lambda: outputs.append(run(waits, base)))
        thread.start()
        assert engine.removed.wait(30)
    thread.join()
    waits.close()
    assert outputs == [b"fresh"]


@pytest.mark.parametrize(
    ("ending", "seen"), [(WAITED, b"waited"), (EndedEarlyError("It was killed", "Again"), b"fresh")]
)
def test_one_that_ended_while_it_waited_is_done_without(ending: RunResult | Exception, seen: bytes) -> None:
    engine, base = ScriptedEngine(ending), Packed.of({})
    waits = ahead(engine)
    waits.prepare(SPEC, base)
    assert run(waits, base) == seen
    waits.close()
    assert engine.removed.is_set()


def test_closing_waits_for_what_is_being_made_and_for_what_leaves() -> None:
    engine, base = ScriptedEngine(), Packed.of({})
    engine.may_go_on.clear()
    waits = ahead(engine)
    waits.prepare(SPEC, base)
    assert engine.made.wait(30)
    assert not waits.close(0.05)
    engine.may_go_on.set()
    assert waits.close(30)
    assert engine.removed.is_set()


def test_closing_waits_for_the_removal_of_one_that_was_used() -> None:
    engine, base = ScriptedEngine(), Packed.of({})
    waits = ahead(engine)
    waits.prepare(SPEC, base)
    assert engine.made.wait(30)
    engine.may_leave.clear()
    assert run(waits, base) == b"waited"
    assert not waits.close(0.05)
    engine.may_leave.set()
    assert waits.close(30)
    assert engine.removed.is_set()
