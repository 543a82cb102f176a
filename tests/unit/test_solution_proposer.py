from dataclasses import replace

import pytest
from fakes import ScriptedModel
from fakes_workspace import BASE

from bot.errors import ModelError
from bot.repair.prompting.room import Asker, Room
from bot.repair.solving.solution import SolutionProposer
from bot.repair.team.facts import ModelFacts
from bot.repair.types import Attempt, Baseline, Comparison, Completion, Proposed, Reflection, Task, Usage, Verdict
from sandbox.spec import Outcome, TestResult

TASK = Task(BASE, "title", "Write `add(a, b)`.", ("t::a",))
BASELINE = Baseline(2, (), (), (), (), 1.0)
GOOD = "def add(a, b):\n    return a + b\n"


def ask(reply: str | Completion | Exception, history: tuple[Attempt, ...] = ()) -> tuple[Proposed, ScriptedModel]:
    model = ScriptedModel([reply])
    return SolutionProposer(Asker(model, Room(ModelFacts()))).propose(TASK, BASELINE, history)[0], model


def module(answer: Proposed) -> str:
    assert answer.proposal is not None
    (change,) = answer.proposal.patch.changes
    assert change.path == "solution.py"
    return (change.content or b"").decode()


def failed(number: int, reply: str, fixed: tuple[str, ...] = ()) -> Attempt:
    red = TestResult("t::a", Outcome.FAILED, "call", 0.0, "AssertionError", "assert 1 == 2")
    return Attempt(
        number, Verdict.PARTIAL, ask(reply)[0].proposal, Comparison(fixed=fixed), "1 of 2 targets fixed", "t::a",
        Reflection(f"cause {number}", f"lesson {number}", stated=True), Usage(), 1.0, 1, 2, (red,),
    )  # fmt: skip


@pytest.mark.parametrize(
    "reply",
    [
        f"It adds.\n\n```python\n{GOOD}```",
        f"```py\n{GOOD}```\nThat is all.",
        f"```\n{GOOD}```",
        GOOD,
        f"Draft:\n```python\nx = 1\n```\nWhole:\n```python\n{GOOD}```\n",
        f"```bash\npip install x\n```\n```python\n{GOOD}```",
    ],
)
def test_the_one_block_of_python_is_the_module(reply: str) -> None:
    assert module(ask(reply)[0]) == GOOD


@pytest.mark.parametrize(
    ("reply", "word"),
    [
        ("", "no block"),
        ("I would add the two numbers.", "no block"),
        (f"```python\n{GOOD}```\n```python\ndef other(): ...\n```", "2 blocks"),
        ("```python\ndef add(a, b:\n```", "does not parse: line 1"),
        (Completion(f"```python\n{GOOD}```", "length", Usage(7, 8), "m"), "cut off"),
    ],
)
def test_what_holds_no_module_is_refused_and_charged(reply: str | Completion, word: str) -> None:
    answer, _ = ask(reply)

    assert answer.proposal is None
    assert word in answer.refusal
    assert answer.usage.tokens > 0
    assert not answer.exhausted


def test_the_words_before_the_module_explain_it_and_the_exchange_is_kept_for_the_log() -> None:
    answer, model = ask(f"Cause: it subtracts.\n\n```python\n{GOOD}```")

    assert answer.proposal is not None
    assert answer.proposal.explanation == "Cause: it subtracts."
    assert answer.prompt == model.prompts[0]
    assert answer.reply.startswith("Cause")


def test_the_next_prompt_shows_the_last_module_its_failures_and_what_was_lost() -> None:
    history = (failed(1, "```python\nx = 1\n```", ("t::b",)), failed(2, "```python\ny = 2\n```"))
    _, model = ask(GOOD, history)

    prompt = model.prompts[0][1].content
    assert "y = 2" in prompt
    assert "x = 1" not in prompt
    assert "assert 1 == 2" in prompt
    assert "These passed with an earlier module and fail now:\n```\nt::b\n```" in prompt
    assert "cause 1 lesson 1" in prompt


def test_at_most_three_lessons_are_shown() -> None:
    _, model = ask(GOOD, tuple(failed(number, "```python\nx = 1\n```") for number in range(1, 7)))

    assert [number for number in range(1, 7) if f"lesson {number}" in model.prompts[0][1].content] == [3, 4, 5]


def test_an_answer_that_could_not_be_used_is_told() -> None:
    unused = replace(failed(1, GOOD), verdict=Verdict.NOT_APPLIED, proposal=None, reason="The reply was cut off")
    _, model = ask(GOOD, (unused,))

    assert "could not be used:\n```\nThe reply was cut off\n```" in model.prompts[0][1].content


def test_a_model_that_does_not_answer_raises() -> None:
    with pytest.raises(ModelError):
        ask(ModelError("down", "start it"))
