import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from fakes_ports import EchoModel, ScriptedWorkspace, ports

from bot.adapters.artifacts import FileArtifacts
from bot.engine.recorded import record_ports
from bot.errors import BranchMissingError, ModelError, RegreenError, StoreError
from bot.pipeline.logs.recording import MAX_ERROR, MAX_INLINE, Asked, Record
from bot.repair.team.roles import Models
from bot.repair.types import WHOLE_SUITE, Base, CompletionLimits, Message, Patch, SourceFile
from sandbox.spec import Recipe

BASE = Base("octo/fizz", "a" * 40, Recipe("python", (), ("pytest",), "pyproject.toml:1"))


@dataclass
class Tape:
    """Records steps as JSON in memory; `rewind` starts the replay."""

    records: list[tuple[str, str]] = field(default_factory=list)
    place: int = 0

    def __call__(self, name: str, asked: Asked, call: Callable[[], Record]) -> Record:
        assert len(asked()) == 64
        if self.place == len(self.records):
            self.records.append((name, json.dumps(call())))
        recorded_name, record = self.records[self.place]
        assert recorded_name == name
        self.place += 1
        loaded: Record = json.loads(record)
        return loaded

    def rewind(self) -> None:
        self.place = 0


@pytest.fixture
def artifacts(tmp_path: Any) -> FileArtifacts:
    return FileArtifacts(tmp_path)


def test_a_replay_gets_the_recorded_results_and_calls_nothing(artifacts: FileArtifacts) -> None:
    tape, workspace = Tape(), ScriptedWorkspace(files=(SourceFile("a.py", b"\xff\x00"),))
    wrapped = record_ports(ports(workspace=workspace), tape, artifacts)

    def job() -> list[Any]:
        clock = wrapped.clock.now()
        runs = wrapped.workspace.evaluate(BASE, (Patch(),), WHOLE_SUITE)
        return [clock, runs, wrapped.workspace.read(BASE, ("a.py",)), wrapped.workspace.paths(BASE)]

    first = job()
    tape.rewind()
    assert job() == first
    assert workspace.calls == ["evaluate", "read", "paths"]
    assert [name for name, _ in tape.records] == [
        "Clock.now",
        "Workspace.evaluate",
        "Workspace.read",
        "Workspace.paths",
    ]


def test_a_large_result_is_an_artifact_and_the_step_holds_its_digest_only(artifacts: FileArtifacts) -> None:
    tape = Tape()
    workspace = ScriptedWorkspace(output="x" * MAX_INLINE)
    wrapped = record_ports(ports(workspace=workspace), tape, artifacts)
    (run,) = wrapped.workspace.evaluate(BASE, (Patch(),), WHOLE_SUITE)
    assert run.output == workspace.output
    assert len(tape.records[0][1]) < 200
    tape.rewind()
    assert wrapped.workspace.evaluate(BASE, (Patch(),), WHOLE_SUITE) == (run,)


def test_a_lost_artifact_is_an_error_and_not_a_second_call(artifacts: FileArtifacts, tmp_path: Any) -> None:
    tape, workspace = Tape(), ScriptedWorkspace(output="x" * MAX_INLINE)
    wrapped = record_ports(ports(workspace=workspace), tape, artifacts)
    wrapped.workspace.evaluate(BASE, (Patch(),), WHOLE_SUITE)
    next(path for path in tmp_path.rglob("*") if path.is_file()).unlink()
    tape.rewind()
    with pytest.raises(StoreError):
        wrapped.workspace.evaluate(BASE, (Patch(),), WHOLE_SUITE)
    assert workspace.calls == ["evaluate"]


@pytest.mark.parametrize("kind", [ModelError, BranchMissingError, RegreenError])
def test_an_error_is_recorded_and_raised_again_as_what_it_was(
    artifacts: FileArtifacts, kind: type[RegreenError]
) -> None:
    tape, model = Tape(), EchoModel(failure=kind("It is down", "Start it."))
    wrapped = record_ports(ports(models=Models(coder=model)), tape, artifacts)
    for _ in range(2):
        assert wrapped.models.coder is not None
        with pytest.raises(RegreenError) as caught:
            wrapped.models.coder.complete((Message("user", "hi"),), CompletionLimits())
        assert (type(caught.value), caught.value.cause, caught.value.remedy) == (kind, "It is down", "Start it.")
        tape.rewind()
        model.failure = None
    assert len(tape.records) == 1


def test_a_fault_in_a_port_replays_as_it_was_raised(artifacts: FileArtifacts) -> None:
    tape, workspace = Tape(), ScriptedWorkspace(failure=KeyError("a secret text"))
    wrapped = record_ports(ports(workspace=workspace), tape, artifacts)
    for _ in range(2):
        with pytest.raises(RegreenError, match="KeyError") as caught:
            wrapped.workspace.evaluate(BASE, (Patch(),), WHOLE_SUITE)
        assert "secret" not in str(caught.value)
        tape.rewind()
    assert workspace.calls == ["evaluate"]


def test_properties_pass_through_and_a_missing_model_stays_missing(artifacts: FileArtifacts) -> None:
    tape = Tape()
    wrapped = record_ports(ports(), tape, artifacts)
    assert wrapped.models.coder is not None
    assert wrapped.models.coder.name == "echo"
    assert tape.records == []
    assert record_ports(ports(models=Models()), tape, artifacts).models.coder is None


def test_what_the_protocol_does_not_offer_cannot_be_reached(artifacts: FileArtifacts) -> None:
    wrapped = record_ports(ports(), Tape(), artifacts)
    with pytest.raises(AttributeError):
        _ = wrapped.workspace.calls  # type: ignore[attr-defined]  # that is the point


def test_a_long_error_is_shortened_in_the_middle_and_replays_as_it_was_raised(artifacts: FileArtifacts) -> None:
    failure = ModelError("It failed:\n" + "x" * 10_000_000 + "\ud800 the last line", "y" * 10_000_000)
    tape, model = Tape(), EchoModel(failure=failure)
    wrapped = record_ports(ports(models=Models(coder=model)), tape, artifacts)
    causes = []
    for _ in range(2):
        assert wrapped.models.coder is not None
        with pytest.raises(ModelError) as caught:
            wrapped.models.coder.complete((Message("user", "hi"),), CompletionLimits())
        causes.append(caught.value.cause)
        tape.rewind()
    assert causes[0] == causes[1]
    assert causes[0].startswith("It failed:\n")
    assert causes[0].endswith("the last line")
    assert len(tape.records[0][1]) < 2 * MAX_ERROR + 200
