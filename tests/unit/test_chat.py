from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest
from fakes import Unrecorded
from fakes_workspace import BASE, ScriptedWorkspace

from bot.errors import BudgetError, ModelError
from bot.repair.editing.edits import Rung
from bot.repair.ports import Json
from bot.repair.prompting.chat import ChatProposer, rung_for
from bot.repair.prompting.room import Asker, Room
from bot.repair.team.facts import ModelFacts
from bot.repair.types import (
    Attempt,
    Base,
    Baseline,
    Comparison,
    Completion,
    CompletionLimits,
    FileChange,
    Message,
    Origin,
    Patch,
    Proposal,
    Proposed,
    Reflection,
    SourceFile,
    Task,
    Usage,
    Verdict,
)
from sandbox.spec import Frame, Outcome, TestResult

FILES = {
    "cart.py": b"def total(prices):\n    return sum(prices) - 1\n",
    "far.py": b"RATE = 1\n",
    "tests/test_cart.py": b"from cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
}
TARGET = "tests/test_cart.py::test_total"
FRAMES = (Frame("tests/test_cart.py", 5, "test_total"),)
TASK = Task(BASE, "Wrong total", "The total is wrong.", (TARGET,))
FAILING = TestResult(TARGET, Outcome.FAILED, exception="AssertionError", message="assert 2 == 3", frames=FRAMES)
OTHER = TestResult("tests/test_other.py::test_x", Outcome.FAILED, message="another matter")
BASELINE = Baseline(2, (FAILING, OTHER), (), (), (), 1.0)
GOOD = """CAUSE: one less

cart.py
<<<<<<< SEARCH
    return sum(prices) - 1
=======
    return sum(prices)
>>>>>>> REPLACE
"""


@dataclass
class ScriptedModel:
    """Answers in order, and keeps what it was asked."""

    replies: list[str | ModelError]
    finish_reason: str = "stop"
    asked: list[tuple[tuple[Message, ...], CompletionLimits]] = field(default_factory=list)
    name: str = "scripted"

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        self.asked.append((messages, limits))
        reply = self.replies.pop(0)
        if isinstance(reply, ModelError):
            raise reply
        return Completion(reply, self.finish_reason, Usage(100, 20, 0.01), self.name)


@dataclass
class ListJournal(Unrecorded):
    """Events and their fields, in order."""

    events: list[tuple[str, Json]] = field(default_factory=list)

    def append(self, event: str, fields: Json) -> None:
        self.events.append((event, fields))


class CountingWorkspace(ScriptedWorkspace):
    """Keeps what was read and how often the paths were listed."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(files, lambda _: {})
        self.steps: list[tuple[str, ...] | str] = []

    def read(self, base: Base, paths: tuple[str, ...]) -> tuple[SourceFile, ...]:
        self.steps.append(paths)
        return super().read(base, paths)

    def paths(self, base: Base) -> tuple[str, ...]:
        self.steps.append("paths")
        return super().paths(base)


def proposer(
    model: ScriptedModel, files: Mapping[str, bytes] = FILES, *, lessons: bool = True, **more: Rung
) -> tuple[ChatProposer, ListJournal]:
    journal = ListJournal()
    built = ChatProposer(Asker(model, Room(ModelFacts())), CountingWorkspace(files), journal, lessons=lessons, **more)
    return built, journal


def attempt(verdict: Verdict, reason: str = "", proposed: Proposed | None = None) -> Attempt:
    proposal = proposed.proposal if proposed else None
    return Attempt(1, verdict, proposal, Comparison(), reason, "", None, Usage(), 0.0)


def test_a_reply_becomes_a_patch_with_its_explanation_cost_prompt_and_reply() -> None:
    built, _ = proposer(ScriptedModel([GOOD]))
    (answer,) = built.propose(TASK, BASELINE, ())
    assert answer.proposal is not None
    assert answer.proposal.patch.changes[0].content == b"def total(prices):\n    return sum(prices)\n"
    assert (answer.proposal.origin, answer.proposal.rung) == (Origin.MODEL, "search_replace")
    assert answer.proposal.explanation == "CAUSE: one less"
    assert answer.proposal.detail == "rank of the edited functions among the suspects: cart.py :: total 1 of 2"
    assert (answer.usage, answer.reply) == (Usage(100, 20, 0.01), GOOD)
    assert "another matter" not in answer.prompt[1].content


@pytest.mark.parametrize("reply", ["", "I am not sure.", GOOD.replace("prices) - 1", "nowhere")])
def test_a_reply_that_is_no_patch_is_a_refusal_that_costs(reply: str) -> None:
    built, _ = proposer(ScriptedModel([reply]))
    (answer,) = built.propose(TASK, BASELINE, ())
    assert answer.proposal is None
    assert answer.refusal
    assert not answer.exhausted
    assert answer.usage == Usage(100, 20, 0.01)


def test_a_truncated_reply_is_a_refusal() -> None:
    built, _ = proposer(ScriptedModel([GOOD], finish_reason="length"))
    assert "cut off" in built.propose(TASK, BASELINE, ())[0].refusal


def test_a_refusal_goes_back_to_the_model_with_the_next_format() -> None:
    model = ScriptedModel(["prose", GOOD])
    built, _ = proposer(model)
    (first,) = built.propose(TASK, BASELINE, ())
    built.propose(TASK, BASELINE, (attempt(Verdict.NOT_APPLIED, first.refusal),))
    system, *_, user = model.asked[1][0]
    assert "`cart.py :: total`" in system.content
    assert first.refusal in user.content


def test_formats_escalate_with_refusals_from_the_first_rung() -> None:
    refused = attempt(Verdict.NOT_APPLIED)
    unusable = [replace(refused, round=number) for number in range(4)]
    rungs = [rung_for(tuple(unusable[:count]), Rung.SEARCH_REPLACE) for count in range(5)]
    assert rungs == [Rung.SEARCH_REPLACE, Rung.FUNCTION, Rung.FILE, Rung.FILE, Rung.FILE]
    assert rung_for((refused,), Rung.FUNCTION) is Rung.FILE
    assert rung_for((refused, refused, attempt(Verdict.NOT_FIXED)), Rung.FUNCTION) is Rung.FUNCTION
    assert rung_for((attempt(Verdict.NOT_FIXED),), Rung.FUNCTION) is Rung.FUNCTION


def test_a_long_file_is_never_asked_for_whole() -> None:
    files = {**FILES, "cart.py": FILES["cart.py"] + b"\nX = 1\n" * 300}
    model = ScriptedModel([GOOD])
    built, _ = proposer(model, files, first_rung=Rung.FILE)
    built.propose(TASK, BASELINE, ())
    assert "cart.py :: total" in model.asked[0][0][0].content


def test_an_empty_source_is_asked_for_whole_and_needs_no_path() -> None:
    model = ScriptedModel(["```python\ndef add(a, b):\n    return a + b\n```"])
    built, _ = proposer(model, {"solution.py": b"", "tests.py": b"assert add(1, 2) == 3\n"})
    failing = TestResult("tests.py", Outcome.FAILED)
    (answer,) = built.propose(Task(BASE, "", "Write add.", ("tests.py",)), Baseline(2, (failing,), (), (), (), 1.0), ())
    assert answer.proposal is not None
    assert answer.proposal.patch.paths == ("solution.py",)
    assert "the whole file as it is to be" in model.asked[0][0][0].content


def test_after_a_greedy_answer_that_came_no_closer_diverse_ones_are_drawn_from_base() -> None:
    model = ScriptedModel([GOOD, "prose", GOOD.replace("sum(prices)\n>", "max(prices)\n>")])
    built, _ = proposer(model)
    failed = replace(
        attempt(Verdict.NOT_FIXED, proposed=Proposed(wrong("min(prices)"))),
        reflection=Reflection("one too few", "look at the sum", stated=True),
        failure="t: assert 1 == 3",
    )
    answers = built.propose(TASK, BASELINE, (failed,))

    assert [(limits.temperature, limits.seed) for _, limits in model.asked] == [(0.8, 2), (0.8, 3), (0.8, 4)]
    assert [answer.proposal is not None for answer in answers] == [True, False, True]
    assert not any(answer.greedy for answer in answers)
    prompt = model.asked[0][0][1].content
    assert "one too few look at the sum" in prompt
    assert "min(prices)" not in prompt


def test_without_lessons_a_fresh_prompt_holds_nothing_of_what_failed_but_a_veto() -> None:
    told = []
    for verdict in (Verdict.NOT_FIXED, Verdict.REJECTED):
        model = ScriptedModel([GOOD, GOOD, GOOD])
        built, _ = proposer(model, lessons=False)
        failed = replace(attempt(verdict), reflection=Reflection("one too few", "look at the sum", stated=True))
        built.propose(TASK, BASELINE, (failed,))
        told.append("one too few look at the sum" in model.asked[0][0][1].content)
    assert told == [False, True]


def test_an_attempt_that_came_closer_is_gone_on_from_with_its_code_and_its_failure() -> None:
    model = ScriptedModel([GOOD])
    built, _ = proposer(model)
    closer = replace(
        attempt(Verdict.PARTIAL, "1 of 2 fixed", Proposed(wrong("min(prices)"))),
        comparison=Comparison(fixed=("t::a",), still_failing=(TARGET,)),
    )
    (answer,) = built.propose(TASK, BASELINE, (closer,))

    assert answer.greedy
    assert "min(prices)" in model.asked[0][0][1].content


def test_a_round_ends_early_where_a_call_does_not_fit_any_more() -> None:
    built, _ = proposer(ScriptedModel([GOOD, BudgetError("no room", "allow more")]))

    assert len(built.propose(TASK, BASELINE, (attempt(Verdict.NOT_FIXED),))) == 1


def wrong(code: str) -> Proposal:
    content = f"def total(prices):\n    return {code}\n".encode()
    return Proposal(Patch((FileChange("cart.py", content),)), Origin.MODEL, "", "function")


def test_a_file_that_was_not_shown_can_be_edited_when_the_tree_has_it() -> None:
    reply = "far.py\n<<<<<<< SEARCH\nRATE = 1\n=======\nRATE = 2\n>>>>>>> REPLACE\n"
    built, _ = proposer(ScriptedModel([reply]))
    (answer,) = built.propose(TASK, BASELINE, ())
    assert answer.proposal is not None
    assert answer.proposal.patch.paths == ("far.py",)


def test_the_tree_is_read_once_and_a_second_proposer_reads_the_same() -> None:
    steps = []
    for _ in range(2):
        workspace = CountingWorkspace(FILES)
        model = ScriptedModel([GOOD] * 4)
        built = ChatProposer(Asker(model, Room(ModelFacts())), workspace, ListJournal())
        built.propose(TASK, BASELINE, ())
        built.propose(TASK, BASELINE, (attempt(Verdict.NOT_FIXED),))
        steps.append(workspace.steps)
    assert steps[0] == steps[1]
    assert len(set(steps[0])) == len(steps[0])


def test_suspects_and_completions_are_journalled() -> None:
    built, journal = proposer(ScriptedModel([GOOD]))
    built.propose(TASK, BASELINE, ())
    events = dict(journal.events)
    assert list(events) == ["localised", "completion"]
    suspects = events["localised"]["suspects"]
    assert isinstance(suspects, list)
    assert suspects[0][:2] == ["cart.py", "total"]
    assert events["completion"]["asked_for"] == "search_replace"


def test_a_model_that_fails_is_the_loops_affair() -> None:
    built, _ = proposer(ScriptedModel([ModelError("It is down", "Start it.")]))
    with pytest.raises(ModelError):
        built.propose(TASK, BASELINE, ())
