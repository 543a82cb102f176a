"""At the end of a command or a job nothing of it is left on the engine."""

import signal
from pathlib import Path
from typing import Any

import pytest
from fakes_stuck_engine import Script, StuckEngine

from bot.commands.local import _stoppable
from bot.wiring.sandbox import Sandbox
from sandbox.containers.engine import DockerEngine
from sandbox.errors import EngineUnavailableError
from sandbox.spec import RunSpec


class ScriptedParts:
    """Engine, containers made ahead and environments in one; `gone` is whether everything could be removed in time."""

    def __init__(self, *, gone: bool, down: bool = False) -> None:
        self.gone, self.down = gone, down
        self.did: list[str] = []

    def close(self) -> bool:
        self.did.append("close")
        return self.gone

    def sweep(self, label: str, value: str) -> int:
        del label
        self.did.append(f"sweep {value}")
        if self.down:
            raise EngineUnavailableError("It is down", "Start it.")
        return 1

    def release(self) -> None:
        self.did.append("release")


def sandbox(parts: Any) -> Sandbox:
    return Sandbox(parts, parts, parts, parts, "s1")


def test_closing_sweeps_only_where_something_could_not_be_removed_in_time() -> None:
    clean, stuck, down = ScriptedParts(gone=True), ScriptedParts(gone=False), ScriptedParts(gone=False, down=True)
    for parts in (clean, stuck, down):
        sandbox(parts).close()
        assert parts.did[-1] == "release"
    assert not [one for one in clean.did if one.startswith("sweep")]
    assert [one for one in stuck.did if one.startswith("sweep")] == ["sweep s1"]


def test_a_command_closes_the_sandbox_whichever_way_it_ends() -> None:
    before = signal.getsignal(signal.SIGTERM)
    well, badly = ScriptedParts(gone=True), ScriptedParts(gone=True)
    with _stoppable(sandbox(well)):
        assert well.did == []
    with pytest.raises(ValueError, match="bad"), _stoppable(sandbox(badly)):
        raise ValueError("bad")
    assert well.did == badly.did == ["close", "close", "release"]
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_container_that_is_being_made_when_its_engine_is_closed_is_removed_and_runs_nothing(tmp_path: Path) -> None:
    class Closing(Script):
        """The engine is closed while the container is being created."""

        def items(self) -> Any:
            if fake.calls[-1].endswith("/create"):
                engine.close()
            return super().items()

    fake = StuckEngine(tmp_path / "engine.sock", {})
    fake.script = Closing(fake.script)
    engine = DockerEngine(fake.url, 5)
    try:
        with pytest.raises(EngineUnavailableError, match="being ended"):
            engine.run(RunSpec("r1", "image:1", ("true",)), ())
    finally:
        fake.stop()
    assert fake.calls[-1].endswith("/containers/c1")
