"""A real worker process over a small job: the repair loop, a model over HTTP, a workspace without containers.

`python tests/worker_under_test.py DIRECTORY MODEL_URL [HOLD]` queues one job, resumes it when it is there already,
prints the outcome's headline and ends. With HOLD it hangs in the evaluation of the candidate of that name, after making
the file `holding`, until it is killed. Every evaluation is one line in the file `evaluations`; a job that is given up
is one in `abandoned`, with the number of starts.
"""

import re
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from fakes import patch
from fakes_ports import ports
from fakes_store import fix_issue
from fakes_workspace import BASE, ScriptedWorkspace
from pydantic import SecretStr

from bot import log
from bot.adapters.artifacts import FileArtifacts
from bot.adapters.journal import FileJournal
from bot.adapters.llm import ModelServer, OpenAIModel, Prices
from bot.adapters.store import SqlRuns, connect, migrate
from bot.engine.durable import DurableEngine, DurableSettings, Wrap
from bot.engine.endings import Endings
from bot.jobs import Job, JobOutcome, State
from bot.repair.loop import repair
from bot.repair.measuring.baseline import measure
from bot.repair.meter import Meter, MeteredModel, free
from bot.repair.ports import Model
from bot.repair.prompting.room import Asker, Room
from bot.repair.proposers import Arm
from bot.repair.rules import Rules, World
from bot.repair.team.facts import ModelFacts
from bot.repair.team.reflect import ModelReflector
from bot.repair.team.roles import Models, Role
from bot.repair.types import (
    Attempt,
    Baseline,
    BudgetLimits,
    CompletionLimits,
    Message,
    Origin,
    Proposal,
    Proposed,
    Task,
)
from sandbox.spec import Outcome, TestResult

RIGHT = "omega"
PAD = "x" * 100_000
"""Makes every test run too large for a step, so that the artifact store takes part."""


class SystemClock:
    def now(self) -> float:
        return time.time()


@dataclass(frozen=True)
class Suite:
    """Passes when calc.py answers with `RIGHT`; each wrong word fails in a way of its own."""

    directory: Path
    hold: str

    def __call__(self, files: Mapping[str, bytes]) -> dict[str, TestResult]:
        found = re.search(r'"(\w+)"', files["calc.py"].decode())
        word = found.group(1) if found else "nothing"
        with (self.directory / "evaluations").open("a") as file:
            file.write(f"{word}\n")
        if word == self.hold:
            (self.directory / "holding").touch()
            threading.Event().wait()
        failed = TestResult("test_answer", Outcome.FAILED, message=f"said {word}\n{PAD}")
        answer = TestResult("test_answer", Outcome.PASSED) if word == RIGHT else failed
        return {"test_answer": answer, "test_other": TestResult("test_other", Outcome.PASSED)}


@dataclass(frozen=True)
class AskingProposer:
    """Asks for a word, and puts it into calc.py."""

    model: Model

    @property
    def name(self) -> str:
        return self.model.name

    def propose(self, task: Task, baseline: Baseline, history: tuple[Attempt, ...]) -> tuple[Proposed, ...]:
        del baseline
        lessons = " ".join(attempt.reflection.lesson for attempt in history if attempt.reflection)
        prompt = (Message("user", f"{task.title}: attempt {len(history) + 1}. {lessons}"),)
        answer = self.model.complete(prompt, CompletionLimits())
        change = patch(calc=f'answer = "{answer.text}"\n')
        return (Proposed(Proposal(change, Origin.MODEL, "a word", "whole_file"), usage=answer.usage),)


def run(job: Job, wrap: Wrap, directory: Path, url: str, hold: str) -> JobOutcome:
    model = OpenAIModel(ModelServer(url, SecretStr(""), retries=0), "scripted", Prices(free=("*",)))
    workspace = ScriptedWorkspace({"calc.py": b'answer = "nothing"\n'}, Suite(directory, hold))
    journal = FileJournal(directory / "log.jsonl", SystemClock(), lambda text: text)
    world = wrap(ports(models=Models(coder=model), workspace=workspace, clock=SystemClock(), journal=journal))
    assert world.models.coder is not None
    base = replace(BASE, repository=job.repository)
    baseline = measure(world.workspace, base)
    meter = Meter(BudgetLimits(), world.clock)
    asked = MeteredModel(world.models.coder, meter, free, Role.CODER)
    result = repair(
        Task(base, "Say it", "", baseline.failing_ids),
        baseline,
        (Arm(AskingProposer(asked)),),
        ModelReflector(Asker(asked, Room(ModelFacts()))),
        World(world.workspace, world.clock, world.journal, meter),
        Rules(),
    )
    return JobOutcome(State.PUBLISHED, f"{result.stop} after {len(result.attempts)}", tokens=result.usage.tokens)


def told(directory: Path, starts: int) -> JobOutcome:
    with (directory / "abandoned").open("a") as file:
        file.write(f"{starts}\n")
    return JobOutcome(State.FAILED, "given up")


def main(directory: Path, url: str, hold: str = "") -> None:
    log.configure("info", log.redactor(()))
    database = f"sqlite:///{directory / 'regreen.sqlite'}"
    migrate(database)
    runs = SqlRuns(connect(database))
    job = fix_issue()
    engine = DurableEngine(
        DurableSettings(directory),
        lambda queued, wrap: run(queued, wrap, directory, url, hold),
        runs,
        FileArtifacts(directory / "artifacts"),
        Endings(abandon=lambda _job, starts: told(directory, starts)),
    )
    with engine:
        identity = engine.enqueue(job)
        runs.started(identity, job)
        while (outcome := engine.outcome(identity)) is None:
            time.sleep(0.05)
    sys.stdout.write(f"{outcome.headline}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
