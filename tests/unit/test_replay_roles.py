"""The log of a run in which every role has its say: what each was asked, and the same decisions made again from it."""

from dataclasses import replace
from pathlib import Path

import pytest
from fakes import FakeClock, ScriptedModel
from fakes_fix import FILES, RECIPE, grading
from fakes_workspace import ScriptedWorkspace

from bot.adapters.journal import FileJournal, read
from bot.pipeline.logs.logged import mend_logged
from bot.pipeline.logs.replay import replay
from bot.pipeline.mend import Mended, Terms
from bot.pipeline.ports.job import LoopPorts
from bot.pipeline.steps import Steps
from bot.repair.team.capabilities import assumed
from bot.repair.team.facts import Facts, ModelFacts
from bot.repair.team.roles import Models
from bot.repair.types import Base, BudgetLimits, Completion, CompletionLimits, Message, StopReason, Usage

BASE = Base("o/r", "c0ffee", RECIPE)
CAN = replace(assumed("x-14b"), search=False, self_debug=True, samples=0)
SAID = {
    "You advise": "DIAGNOSIS: the bound\nFIX: `score >= 50`",
    "You review one": "CAUSE: the bound is exclusive\nLESSON: include it",
    "A change to": "PREDICT grades.py:2 | score | 49",
}
VETO, ACCEPT = "REASON: 49.5 passes now as well\nVERDICT: VETO", "REASON: right in general\nVERDICT: ACCEPT"


def edit(new: str) -> str:
    return f"CAUSE: x\nPREDICTION: y\ngrades.py\n<<<<<<< SEARCH\n    if score > 50:\n=======\n{new}\n>>>>>>> REPLACE\n"


class Everybody(ScriptedModel):
    """Answers by what the system text asks for; to the reviewer and the coder in the order of `replies`."""

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        del limits
        said = next((text for start, text in SAID.items() if messages[0].content.startswith(start)), None)
        return Completion(said or str(self.replies.pop(0)), "stop", Usage(100, 20), self.name)


def run(path: Path) -> Mended:
    coder = Everybody([edit(f"    if score > {bound}:") for bound in ("52", "49", "49.9")])
    reviewer, critic = Everybody([VETO, ACCEPT], "reviewer"), Everybody([], "critic")
    clock = FakeClock()
    journal = FileJournal(path, clock, str)
    models = Models(coder=coder, critic=critic, reviewer=reviewer)
    ports = LoopPorts(ScriptedWorkspace(FILES, grading), models, clock, journal)
    facts = Facts(*(ModelFacts(16_000, CAN) for _ in range(5)))
    about = ("Fifty should pass", "It fails.")
    terms = Terms(BudgetLimits(), facts=facts)
    return mend_logged(BASE, about, lambda baseline: baseline.failing_ids, ports, Steps(clock, journal), terms)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


def test_every_role_is_in_the_log_with_what_it_was_asked_and_what_it_said(path: Path) -> None:
    mended = run(path)
    assert mended.result is not None
    assert mended.result.stop is StopReason.SOLVED
    consulted = [entry.fields for entry in read(path) if entry.event == "consulted"]
    assert {fields["purpose"] for fields in consulted} == {"advice", "values", "lesson", "review"}
    assert all(fields["prompt"] and fields["reply"] and fields["finish_reason"] == "stop" for fields in consulted)
    proposals = [entry.fields for entry in read(path) if entry.event == "proposal"]
    asked = sum(entry.fields.get("call") == "Model.complete" for entry in read(path))
    assert len(consulted) + len(proposals) == asked


def test_decisions_with_every_role_are_made_again_from_the_log(path: Path) -> None:
    mended = run(path)
    again = replay(read(path))
    assert again.same, again.difference
    assert mended.result is not None
    assert mended.result.solution is not None
    assert (again.stop, again.solution) == ("solved", mended.result.solution.number)
