from dataclasses import replace

import pytest
from fakes import ScriptedModel
from fakes_workspace import BASE, ScriptedWorkspace

from bot.errors import ModelError
from bot.repair.editing.edits import Rung
from bot.repair.localisation.observed import Observation, Probe
from bot.repair.prompting.prompts import Briefing
from bot.repair.prompting.room import Asker, Room
from bot.repair.team.facts import ModelFacts
from bot.repair.team.selfdebug import Prediction, SelfDebugger, divergence, looks_only, patched, read, same
from bot.repair.types import (
    Attempt,
    Comparison,
    FileChange,
    Origin,
    Patch,
    Proposal,
    SourceFile,
    Task,
    Usage,
    Verdict,
)
from sandbox.spec import Outcome, TestResult

CART = b"def total(prices):\n    result = 0\n    for price in prices:\n        result -= price\n    return result\n"
TRIED = CART.replace(b"result -= price", b"result = price")
RED = TestResult("t.py::t", Outcome.FAILED, exception="AssertionError", message="assert 2 == 3")
FILES = {"cart.py": SourceFile("cart.py", CART)}
TASK = Task(BASE, "", "", ("t.py::t",))
PROPOSAL = Proposal(Patch((FileChange("cart.py", TRIED),)), Origin.MODEL, "", "function")
ATTEMPT = Attempt(1, Verdict.NOT_FIXED, PROPOSAL, Comparison(), "", "", None, Usage(), 0.0, red=(RED,))
BRIEFING = Briefing(TASK, (RED,), (), FILES, (ATTEMPT,), Rung.FUNCTION)
REPLY = "PREDICT cart.py:3 | prices | [1, 2]\nPREDICT cart.py:5 | result | 3\nPREDICT cart.py:5 | price | 2\n"
FIRST, SECOND, THIRD = Probe("cart.py", 3, "prices"), Probe("cart.py", 5, "result"), Probe("cart.py", 5, "price")


def observe(
    reply: str | Exception, seen: dict[Probe, tuple[str, ...]], briefing: Briefing = BRIEFING
) -> tuple[str, ScriptedModel, ScriptedWorkspace]:
    model, workspace = ScriptedModel([reply]), ScriptedWorkspace({"cart.py": CART}, lambda _: {})
    workspace.values = {("t.py::t", probe): values for probe, values in seen.items()}
    return SelfDebugger(Asker(model, Room(ModelFacts())), workspace).observe(briefing), model, workspace


def test_the_first_divergence_of_prediction_and_trace_is_said() -> None:
    text, _, _ = observe(REPLY, {FIRST: ("[1, 2]",), SECOND: ("2",), THIRD: ("7",)})
    assert text == (
        "In the run of t.py::t, at cart.py:5, `result` was 2; you predicted 3. 1 earlier prediction came true."
    )


def test_predictions_are_about_the_attempts_own_code() -> None:
    _, model, workspace = observe(REPLY, {})
    assert "result = price" in model.prompts[0][1].content
    assert "result -= price" not in model.prompts[0][1].content
    assert workspace.looks == [("trace", ("t.py::t",))]


def test_a_line_that_is_never_reached_is_a_divergence() -> None:
    text, _, _ = observe(REPLY, {FIRST: ("[1, 2]",)})
    assert "line 5 of cart.py was never reached; you predicted 3 there" in text


def test_that_everything_came_true_is_said() -> None:
    text, _, _ = observe(REPLY, {FIRST: ("[1, 2]",), SECOND: ("3",), THIRD: ("2",)})
    assert "all of your predictions came true" in text


@pytest.mark.parametrize("reply", ["", "I predict 3.", "PREDICT nowhere.py:1 | x | 1", ModelError("down", "start it")])
def test_without_predictions_nothing_is_traced_and_nothing_said(reply: str | Exception) -> None:
    text, _, workspace = observe(reply, {})
    assert (text, workspace.looks) == ("", [])


def test_without_a_trace_nothing_is_said() -> None:
    assert observe(REPLY, {})[0] == ""


@pytest.mark.parametrize(
    "attempt",
    [
        replace(ATTEMPT, verdict=Verdict.NOT_APPLIED, proposal=None),
        replace(ATTEMPT, verdict=Verdict.INVALID_RUN),
        replace(ATTEMPT, red=()),
    ],
)
def test_what_did_not_run_is_not_predicted(attempt: Attempt) -> None:
    text, model, _ = observe(REPLY, {}, replace(BRIEFING, history=(attempt,)))
    assert (text, model.prompts) == ("", [])


def test_nothing_is_predicted_before_the_first_attempt() -> None:
    assert observe(REPLY, {}, replace(BRIEFING, history=()))[0] == ""


def test_the_edited_functions_are_shown_not_the_whole_of_a_long_file() -> None:
    long = CART + b"".join(b"\n\ndef f%d():\n    return %d\n" % (n, n) for n in range(100))
    tried = long.replace(b"result -= price", b"result = price")
    proposal = replace(PROPOSAL, patch=Patch((FileChange("cart.py", tried),)))
    briefing = replace(BRIEFING, files={"cart.py": SourceFile("cart.py", long)})
    suspects = patched(briefing, replace(ATTEMPT, proposal=proposal)).suspects
    assert [(found.qualified_name, found.start_line, found.end_line) for found in suspects] == [("total", 1, 5)]


@pytest.mark.parametrize(
    ("expression", "harmless"),
    [
        ("prices[0].amount + 1", True),
        ("len(items) == 3 and not done", True),
        ("sorted(d)[:2]", True),
        ("items.pop()", False),
        ("__import__('os').system('x')", False),
        ("(x := 3)", False),
        ("[y for y in z]", False),
        ("lambda: 1", False),
        ("f'{x}'", False),
        ("exec('x')", False),
        ("x = 3", False),
        ("(" * 200, False),
        ("x" * 121, False),
        ("", False),
    ],
)
def test_only_expressions_that_look_are_traced(expression: str, harmless: bool) -> None:  # noqa: FBT001 - a table's column
    assert looks_only(expression) is harmless


def test_at_most_three_points_of_lines_that_exist_are_read() -> None:
    text = "".join(f"- PREDICT cart.py:{line} | `result` | `{line}`\n" for line in (0, 1, 99, 2, 3, 4))
    assert [(found.probe.line, found.probe.expression, found.value) for found in read(text, FILES)] == [
        (1, "result", "1"),
        (2, "result", "2"),
        (3, "result", "3"),
    ]


@pytest.mark.parametrize(
    ("predicted", "observed", "alike"),
    [
        ("[1,2]", "[1, 2]", True),
        ('"a"', "'a'", True),
        ("{'b': 1, 'a': 2}", "{'a': 2, 'b': 1}", True),
        ("3", "3.0", True),
        ("Point(x=1, y=2)", "Point(x=1,y=2)", True),
        ("[1, 2, 3, 4]", "[1, 2, ...]", False),
        ("Node(1, Node(2, None))", "Node(1, Node(2...", True),
        ("3", "2", False),
        ("something", "None", False),
        ("1" * 5000, "2", False),
    ],
)
def test_two_spellings_of_a_value_are_the_same(predicted: str, observed: str, alike: bool) -> None:  # noqa: FBT001 - a table's column
    assert same(predicted, observed) is alike


def test_later_values_of_a_loop_are_shown_a_few_of_them() -> None:
    seen = (Observation(SECOND, tuple("98765")),)
    assert "was 9, and later 8, 7, 6; you predicted 3." in divergence("t", (Prediction(SECOND, "3"),), seen)


def test_a_name_that_is_not_there_is_no_divergence() -> None:
    seen = {FIRST: ("NameError: name 'prices' is not defined",), SECOND: ("2",), THIRD: ("2",)}
    assert "cart.py:5, `result` was 2; you predicted 3." in observe(REPLY, seen)[0]
