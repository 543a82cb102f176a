import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.repair.prompting.feedback import CHARS_PER_TOKEN, beyond_rules, condense, condense_run, least_tokens
from sandbox.spec import Frame, Outcome, RunState, TestResult, TestRun

FRAMES = (Frame("tests/test_a.py", 3, "test_a"), Frame("cart.py", 41, "total"))


def failed(node_id: str, message: str = "assert 5 == 6", frames: tuple[Frame, ...] = FRAMES) -> TestResult:
    return TestResult(node_id, Outcome.FAILED, exception="AssertionError", message=message, frames=frames)


def test_id_exception_values_and_frames_are_shown() -> None:
    text = condense((failed("tests/test_a.py::test_a"),), 500)
    assert text == (
        "FAILED tests/test_a.py::test_a\n  AssertionError: assert 5 == 6\n"
        "  at tests/test_a.py:3 in test_a\n  at cart.py:41 in total"
    )


def test_failures_that_differ_in_numbers_only_are_folded() -> None:
    text = condense([failed(f"t.py::test_x[{number}]", f"assert {number} == 0") for number in range(1, 9)], 500)
    assert text.count("FAILED") == 1
    assert "alike: t.py::test_x[2], t.py::test_x[3], t.py::test_x[4] and 4 more" in text


def test_assertion_values_outlive_the_prose_around_them() -> None:
    prose = "\n".join(f"some words that explain at length what was going on, number {line}" for line in range(60))
    text = condense(
        (failed("t.py::test_x", f"totals differ\n{prose}\nassert 5 == 6\n +  where 5 = total([2, 3])"),), 120
    )
    assert "totals differ" in text
    assert "assert 5 == 6\n     +  where 5 = total([2, 3])" in text
    assert "at cart.py:41 in total" in text


def test_objects_are_shown_without_their_addresses_so_that_a_prompt_is_the_same_in_each_run() -> None:
    said = "assert <cart.Cart object at {}> == 0x1f"
    texts = {condense((failed("t.py::t", said.format(at)),), 500) for at in ("0x7fe717467a50", "0x7f0000000000")}
    assert len(texts) == 1
    assert "at 0x…> == 0x1f" in texts.pop()


def test_what_has_no_room_is_counted() -> None:
    text = condense([failed(f"t.py::test_{letter}", letter * 900) for letter in "abcdefghij"], 60)
    assert "FAILED t.py::test_a" in text
    assert text.endswith("more failing tests")


def test_terminal_escapes_do_not_reach_a_prompt() -> None:
    assert "\x1b" not in condense((failed("t.py::test_x", "\x1b[31mred\x1b[0m\x07"),), 100)


def test_a_run_that_cannot_be_believed_says_why_first() -> None:
    run = TestRun(RunState.TIMEOUT, (failed("t.py::test_x"),), output="last words")
    text = condense_run(run, 200)
    assert text.startswith("the run hung and was ended:\nlast words")
    assert "FAILED t.py::test_x" in text


def test_variables_of_frames_stand_below_them_and_are_left_out_first() -> None:
    frames = (FRAMES[0], Frame("cart.py", 41, "total", (("prices", "[2, 3]"), ("rate", "0.5"))))
    result = failed("t.py::test_x", "assert 5 == 6\nsome words", frames)
    assert "  at cart.py:41 in total\n    with prices = [2, 3], rate = 0.5" in condense((result,), 100)
    assert condense((result,), 36) == condense((failed("t.py::test_x", "assert 5 == 6\nsome words"),), 100)


def test_values_too_long_for_the_room_are_all_shortened_and_frames_stay() -> None:
    message = f"values differ\nExpected: {'a' * 280}\nReceived: {'b' * 280}"
    text = condense((failed("t.py::test_x", message),), 75)
    assert "Expected: a" in text
    assert "Received: b" in text
    assert "at cart.py:41 in total" in text
    assert "at tests/test_a.py:3 in test_a" in text


def test_two_values_are_shown_where_they_differ_however_long_they_are() -> None:
    one, other = list(range(3000)), [*range(2999), 7]
    text = condense((failed("t.py::test_x", f"assert {one} == {other}"),), 200)
    assert "2998, 2999]" in text
    assert "2998, 7]" in text


def test_the_same_code_failing_with_other_variables_is_folded() -> None:
    results = [failed(f"t.py::test_{at}", frames=(Frame("a.py", 1, "f", (("x", str(at)),)),)) for at in range(3)]
    assert condense(results, 200).count("FAILED") == 1


def test_what_rules_cannot_condense_is_known() -> None:
    short, plain = failed("t.py::a"), failed("t.py::b", "totals differ\nexpected: 1\nreceived: 2\n" + "words\n" * 5)
    prose = failed(
        "t.py::c", "it went wrong\n" + "\n".join(f"and then step {at} was not what it seemed" for at in range(40))
    )
    flood = failed("t.py::d", "\n".join(f"value {at} expected {at + 1}" for at in range(380)))
    assert beyond_rules((short, plain), 500) == ()
    assert beyond_rules((short, prose, flood), 2000) == (prose, flood)
    assert beyond_rules((plain,), 20) == (plain,)


def test_an_id_that_is_longer_than_the_budget_leaves_room_for_the_exception_and_the_rest() -> None:
    result = failed("t.py::test_x[" + "q" * 3000 + "]")
    text = condense((result, failed("t.py::test_y", "other")), 60)
    assert len(text) <= 60 * CHARS_PER_TOKEN
    assert "FAILED t.py::test_x[q" in text
    assert "]\n  AssertionError: assert 5 == 6" in text
    assert "at cart.py:41 in total" in text


def test_a_recursion_leaves_the_frames_around_it_in() -> None:
    again = (Frame("tree.py", 9, "walk"), Frame("tree.py", 12, "down")) * 7
    text = condense((failed("t.py::test_x", "too deep", (*FRAMES, *again)),), 200)
    assert text.count("tree.py:9") == text.count("tree.py:12") == 1
    assert "at tests/test_a.py:3 in test_a\n  at cart.py:41 in total\n  at tree.py:9" in text


def test_of_many_frames_the_outermost_and_the_innermost_are_shown() -> None:
    deep = tuple(Frame("deep.py", line, f"f{line}") for line in range(1, 15))
    text = condense((failed("t.py::test_x", "no", (FRAMES[0], *deep)),), 300)
    assert "at tests/test_a.py:3" in text
    assert "at deep.py:14" in text
    assert "at deep.py:9 " not in text


def test_what_an_exception_came_from_or_holds_outlives_the_words_around_it() -> None:
    prose = "\n".join(f"some words that explain at length what was going on, number {line}" for line in range(60))
    told = ("caused by KeyError: 'port'", "while handling Gone: no row", "sub-exception Late: 3 s", "also raised E: x")
    text = condense((failed("t.py::test_x", "\n".join(("not loaded", prose, *told))),), 120)
    assert [line for line in told if line not in text] == []


def test_a_run_without_results_shows_what_the_repository_s_code_raised_not_the_runner_s_frames() -> None:
    frames = "\n".join(f"    at run{at} (node:internal/modules/cjs/loader:{at}:10)" for at in range(60))
    run = TestRun(RunState.NO_RESULTS, output=f"Error: Cannot find module './gone.js'\n{frames}\n  code: 'GONE'\n")
    assert "Cannot find module './gone.js'\n  code: 'GONE'" in condense_run(run, 200)


LETTERS = st.characters(min_codepoint=33, max_codepoint=0x2FFF, exclude_categories=["C", "Z"])
FRAME = st.builds(
    Frame,
    st.text(LETTERS, max_size=60),
    st.integers(1, 999),
    st.text(LETTERS),
    st.text(LETTERS, max_size=100).map(lambda text: (("x", text),)),
)
RESULTS = st.lists(
    st.builds(
        TestResult,
        node_id=st.text(LETTERS, min_size=1, max_size=120),
        outcome=st.just(Outcome.FAILED),
        exception=st.text(LETTERS, min_size=1, max_size=40),
        message=st.text(max_size=2000),
        frames=st.lists(FRAME).map(tuple),
    ),
    min_size=1,
    max_size=30,
)


@given(RESULTS, st.integers(60, 2000))
def test_the_budget_holds_and_the_first_failure_is_always_in(results: list[TestResult], budget: int) -> None:
    text = condense(results, budget)
    assert len(text) <= budget * CHARS_PER_TOKEN
    assert f"FAILED {results[0].node_id}\n  {results[0].exception}" in text


@given(RESULTS, st.integers(60, 2000), st.integers(0, 5000))
def test_the_exception_is_in_however_long_the_id_is(results: list[TestResult], budget: int, length: int) -> None:
    first = replace(results[0], node_id="t" * length)
    text = condense((first, *results[1:]), budget)
    assert len(text) <= budget * CHARS_PER_TOKEN
    assert f"\n  {first.exception}" in text


@given(RESULTS, st.integers(0, 59))
def test_even_a_tiny_budget_holds(results: list[TestResult], budget: int) -> None:
    assert len(condense(results, budget)) <= budget * CHARS_PER_TOKEN


@given(RESULTS, st.integers(0, 500))
def test_from_the_stated_minimum_on_no_id_and_no_exception_is_lost(results: list[TestResult], more: int) -> None:
    distinct = {result.exception: result for result in results}
    found = list(distinct.values())
    text = condense(found, least_tokens(found) + more)
    assert all(f"FAILED {result.node_id}\n  {result.exception}" in text for result in found)


@given(RESULTS, st.integers(60, 2000))
def test_variables_never_take_the_room_of_anything_else(results: list[TestResult], budget: int) -> None:
    bare = [replace(result, frames=tuple(replace(frame, locals=()) for frame in result.frames)) for result in results]
    text = condense(results, budget)
    assert re.sub(r"\n    with x = [^\n]*", "", text) == condense(bare, budget)


@given(st.builds(TestResult, st.just("t.py::t"), st.just(Outcome.FAILED), message=st.text(max_size=4000),
                 exception=st.just("E"), frames=st.just(FRAMES)), st.integers(60, 2000))  # fmt: skip
def test_frames_in_the_repository_are_never_lost_to_a_message(result: TestResult, budget: int) -> None:
    text = condense([result], budget)
    assert "at tests/test_a.py:3 in test_a" in text
    assert "at cart.py:41 in total" in text
