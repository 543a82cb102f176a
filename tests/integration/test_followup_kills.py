"""A worker that is killed in the middle of a follow-up, at every step of it: nothing is made twice, nothing is lost."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fakes import ScriptedModel
from fakes_followup import OURS, PullStage, reply

from bot.adapters.artifacts import FileArtifacts
from bot.engine.recorded import record_ports
from bot.jobs import FollowUp, State
from bot.pipeline.logs.recording import Asked, Record
from bot.pipeline.ports.job import Ports
from sandbox.spec import File

DOCUMENTED = reply("def grade(score):", 'def grade(score):\n    """Fifty and more pass."""')


class Killed(BaseException):
    """No `except Exception` on the way takes it for a failure."""


@dataclass
class Tape:
    """Records steps; the step `killed_in` takes effect, and its worker dies before that is recorded."""

    artifacts: FileArtifacts
    killed_in: int = -1
    records: list[tuple[str, Record]] = field(default_factory=list)
    at: int = 0
    dead: bool = False

    def __call__(self, name: str, asked: Asked, call: Callable[[], Record]) -> Record:
        del asked
        if self.dead:
            # What cleans up on the way out takes no step any more.
            raise Killed
        if self.at < len(self.records):
            known, record = self.records[self.at]
            assert known == name, "a resumed run came to another step"
            self.at += 1
            return record
        record = call()
        if len(self.records) == self.killed_in:
            self.killed_in, self.dead = -1, True
            raise Killed
        self.records.append((name, record))
        self.at += 1
        return record

    def wrap(self, ports: Ports) -> Ports:
        self.at, self.dead = 0, False
        return record_ports(ports, self, self.artifacts)


def staged(artifacts: FileArtifacts, killed_in: int = -1) -> tuple[PullStage, Tape, FollowUp]:
    """A review with two threads that also asks for a merge of the base, which went on."""
    stage, tape = PullStage(model=ScriptedModel([DOCUMENTED] * 2)), Tape(artifacts, killed_in)
    stage.github.add_commit("main", "other", {**stage.github.commits[stage.start].tree, "new": File(b"n")})
    stage.look(behind=1)
    stage.wrap = tape.wrap
    job = stage.review("Please document it, and merge main", {("grades.py", 1): "say it", ("grades.py", 3): "and here"})
    return stage, tape, job


@pytest.fixture
def artifacts(tmp_path: Path) -> FileArtifacts:
    return FileArtifacts(tmp_path)


def test_a_run_that_is_killed_at_any_step_ends_as_one_that_is_not(artifacts: FileArtifacts) -> None:
    calm, whole, job = staged(artifacts)
    assert calm.run(job).state is State.PUBLISHED
    assert len(whole.records) > 40
    for killed_in in range(len(whole.records)):
        stage, _, job = staged(artifacts, killed_in)
        with pytest.raises(Killed):
            stage.run(job)
        outcome = stage.run(job)
        at = whole.records[killed_in][0]
        assert outcome.state is State.PUBLISHED, at
        assert stage.github.branches == calm.github.branches, at
        assert stage.threads.answers(stage.number) == calm.threads.answers(calm.number), at
        assert len(stage.github.comments[stage.number]) == len(calm.github.comments[calm.number]), at
        assert stage.text == calm.text, at
        assert "was merged into the branch for real" in stage.status, at
    head = calm.github.commits[calm.github.branches[OURS]]
    assert calm.github.commits[head.parent].second == calm.github.branches["main"]
