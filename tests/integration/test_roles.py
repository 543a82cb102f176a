"""A whole job with a coder, a critic and a reviewer of their own: who is told what, and whose word counts."""

from dataclasses import replace

from fakes import ScriptedModel
from fakes_fix import FIFTY, Stage

from bot.errors import ContextOverflowError, ModelError
from bot.jobs import State
from bot.repair.team.capabilities import assumed
from bot.repair.team.facts import Facts, ModelFacts

FACTS = Facts(ModelFacts(can=replace(assumed(""), search=False, samples=0, reflect=False)))
ACCEPT, VETO = "REASON: right in general\nVERDICT: ACCEPT", "REASON: 49.5 passes now as well\nVERDICT: VETO"
REMEDY = "DIAGNOSIS: the bound is exclusive\nFIX: `score >= 50`"


def edit(new: str) -> str:
    return f"CAUSE: x\nPREDICTION: y\ngrades.py\n<<<<<<< SEARCH\n    if score > 50:\n=======\n{new}\n>>>>>>> REPLACE\n"


RIGHT, NEARLY, WRONG = (
    edit("    if score >= 50:"),
    edit("    if score > 49:"),
    edit("    if score > 52:"),
)


def shown(model: ScriptedModel, number: int) -> str:
    return "\n".join(message.content for message in model.prompts[number])


def test_the_critics_fix_is_in_the_coders_prompt_each_time() -> None:
    coder, critic = ScriptedModel([WRONG, RIGHT]), ScriptedModel([REMEDY, "FIX: use `>=`"], "critic")
    stage = Stage(model=coder, critic=critic, facts=FACTS)
    assert stage.run().state is State.PUBLISHED
    assert REMEDY in shown(coder, 0)
    assert "FIX: use `>=`" in shown(coder, 1)
    assert FIFTY in shown(critic, 0)
    assert "+    if score > 52:" in shown(critic, 1)
    assert [entry["remedy"] for entry in stage.journal.named("advice")] == [REMEDY, "FIX: use `>=`"]


def test_a_veto_goes_back_with_its_reason_and_another_fix_is_taken() -> None:
    coder, reviewer = ScriptedModel([NEARLY, RIGHT]), ScriptedModel([VETO, ACCEPT], "reviewer")
    outcome = Stage(model=coder, reviewer=reviewer, facts=FACTS).run()
    assert outcome.state is State.PUBLISHED
    assert "the reviewer's veto: 49.5 passes now as well" in shown(coder, 1)
    assert "+    if score >= 50:" in shown(reviewer, 1)


def test_a_reviewer_cannot_approve_what_fails_its_tests() -> None:
    reviewer = ScriptedModel([], "reviewer")
    coder = ScriptedModel([WRONG, edit("    if score > 53:"), edit("    if score > 54:"), edit("    if score > 55:")])
    outcome = Stage(model=coder, reviewer=reviewer, facts=FACTS).run()
    assert outcome.state is State.UNSOLVED
    assert reviewer.prompts == []


def test_advisers_that_fail_cost_nobody_the_fix() -> None:
    down = [ModelError("The server is down", "Start it.") for _ in range(4)]
    coder = ScriptedModel([RIGHT])
    stage = Stage(
        model=coder, critic=ScriptedModel(down[:2], "critic"), reviewer=ScriptedModel(down[2:], "reviewer"), facts=FACTS
    )
    assert stage.run().state is State.PUBLISHED
    assert "colleague" not in shown(coder, 0)


def test_a_context_that_is_smaller_than_was_thought_costs_no_attempt() -> None:
    overflow = ContextOverflowError("This model's maximum context length is 2048 tokens", "Set it.")
    coder = ScriptedModel([overflow, WRONG, RIGHT])
    stage = Stage(model=coder, facts=FACTS)
    stage.issue = replace(stage.issue, body="word " * 4000)
    outcome = stage.run()
    assert outcome.state is State.PUBLISHED
    assert len(stage.journal.named("attempt")) == 2
    sizes = [len(shown(coder, number)) for number in range(3)]
    assert sizes[0] > 1.3 * max(sizes[1:])
