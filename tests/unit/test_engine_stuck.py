"""An engine that keeps silent, drips, or does not end a container: every call ends, and the run is quarantined."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fakes_stuck_engine import DRIP, SILENCE, Answer, Script, StuckEngine

from sandbox.containers.engine import DockerEngine
from sandbox.containers.quarantine import KEPT, Quarantine, Stuck
from sandbox.errors import EndedEarlyError, EngineStuckError, EngineUnavailableError
from sandbox.spec import Limits, RunSpec

SPEC = RunSpec("run-1", "image:1", ("true",), limits=Limits(wall_seconds=0.2))
CALL = 0.4
# Far below the minutes that a call without an end would take, far above what a busy machine adds.
PATIENCE = 20.0

Saying = Callable[[Script], tuple[StuckEngine, DockerEngine]]


@pytest.fixture
def saying(tmp_path: Path) -> Iterator[Saying]:
    fakes: list[StuckEngine] = []

    def start(script: Script) -> tuple[StuckEngine, DockerEngine]:
        fakes.append(StuckEngine(tmp_path / "engine.sock", script))
        return fakes[-1], DockerEngine(fakes[-1].url, CALL, grace_seconds=CALL)

    yield start
    for fake in fakes:
        fake.stop()


@pytest.mark.parametrize(
    ("call", "how"),
    [("/attach", SILENCE)]
    + [
        (call, how) for call in ("/version", "/image:1/json", "/containers/create", "/start") for how in (SILENCE, DRIP)
    ],
)
def test_every_call_of_a_run_ends_and_the_run_is_quarantined(saying: Saying, call: str, how: str) -> None:
    _, engine = saying({call: how})
    start = time.monotonic()
    with pytest.raises(EngineStuckError, match=r"run-1.*quarantine.*Restart"):
        engine.run(SPEC, ())
    assert time.monotonic() - start < PATIENCE
    assert [stuck.run_id for stuck in engine.quarantined] == ["run-1"]


@pytest.mark.parametrize("kill", [(204, None), SILENCE, DRIP])
def test_a_killed_container_that_goes_on_is_quarantined_by_its_id(saying: Saying, kill: object) -> None:
    fake, engine = saying({"/kill": kill})  # type: ignore[dict-item]  # parameters are objects
    with pytest.raises(EngineStuckError, match=r"did not end.*run-1 \(container c1\)"):
        engine.run(SPEC, ())
    assert engine.quarantined == (Stuck("run-1", "c1"),)
    assert any(path.endswith("/kill") for path in fake.calls)


@pytest.mark.parametrize("how", [SILENCE, DRIP])
def test_a_call_beside_a_run_ends_too(saying: Saying, how: str) -> None:
    _, engine = saying({"/image:1/json": how, "/info": how, "/containers/json": how})
    for call in (engine.ping, lambda: engine.image("image:1"), lambda: engine.reap(0.0)):
        with pytest.raises(EngineUnavailableError):
            call()


def test_a_stuck_engine_is_asked_once_more_before_a_run_and_refused_if_it_stays_so(saying: Saying) -> None:
    fake, engine = saying({"/containers/create": SILENCE})
    with pytest.raises(EngineStuckError):
        engine.run(SPEC, ())
    fake.script["/_ping"] = SILENCE
    before = len(fake.calls)
    with pytest.raises(EngineStuckError, match="1 runs in quarantine"):
        engine.run(RunSpec("run-2", "image:1", ("true",)), ())
    assert [path.rpartition("/")[2] for path in fake.calls[before:]] == ["_ping"]
    assert [stuck.run_id for stuck in engine.quarantined] == ["run-1"]


def test_an_engine_that_answers_again_gets_runs_and_the_quarantined_one_is_released(saying: Saying) -> None:
    fake, engine = saying({"/start": SILENCE})
    with pytest.raises(EngineStuckError):
        engine.run(SPEC, ())
    fake.script["/start"] = (500, {"message": "not today"})
    with pytest.raises(EngineUnavailableError, match="not today") as caught:
        engine.run(RunSpec("run-2", "image:1", ("true",)), ())
    assert not isinstance(caught.value, EngineStuckError)
    fake.script["/containers/json"] = (200, [{"Id": "c1", "Labels": {}}])
    assert engine.release() == (Stuck("run-1", "c1"),)
    assert engine.quarantined == ()
    assert fake.calls[-1].endswith("/containers/c1")


def test_what_cannot_be_released_yet_stays(saying: Saying) -> None:
    fake, engine = saying({"/containers/create": SILENCE})
    with pytest.raises(EngineStuckError):
        engine.run(SPEC, ())
    fake.script["/containers/json"] = SILENCE
    with pytest.raises(EngineStuckError):
        engine.reap(time.time())
    assert engine.quarantined == (Stuck("run-1"),)


def test_the_quarantine_is_bounded() -> None:
    quarantine = Quarantine()
    for number in range(KEPT + 5):
        quarantine.add(Stuck(str(number)))
    assert len(quarantine.held) == KEPT
    assert quarantine.held[0] == Stuck("5")


GONE = [
    (500, {"message": "OCI runtime start failed: cannot start a stopped process"}),
    (404, {"message": "No such container: c1"}),
]


@pytest.mark.parametrize("said", GONE)
def test_a_container_that_is_gone_before_it_starts_is_made_once_more(saying: Saying, said: Answer) -> None:
    fake, engine = saying({"/start": said})
    with pytest.raises(EndedEarlyError, match="before it was started"):
        engine.run(SPEC, ())
    assert [path.rpartition("/")[2] for path in fake.calls].count("create") == 2
    assert len([path for path in fake.calls if path.endswith("/containers/c1")]) == 2


def test_any_other_refusal_to_start_is_final(saying: Saying) -> None:
    fake, engine = saying({"/start": (500, {"message": "not today"})})
    with pytest.raises(EngineUnavailableError, match="not today"):
        engine.run(SPEC, ())
    assert [path.rpartition("/")[2] for path in fake.calls].count("create") == 1


def test_a_closed_engine_makes_no_container(saying: Saying) -> None:
    fake, engine = saying({})
    engine.close()
    with pytest.raises(EngineUnavailableError, match="being ended"):
        engine.run(SPEC, ())
    assert not any(path.endswith("/containers/create") for path in fake.calls)
