"""A model that answers nothing of use, or not at all: the final comment says what happened and keeps what was found."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from fakes_bad import KeptJournal, assert_said, assert_whole
from fakes_fix import MODEL_ALONE, Stage
from model_server import ModelServer as ScriptedServer
from model_server import Reply
from pydantic import SecretStr

from bot.adapters.journal import read
from bot.adapters.llm import ModelServer, OpenAIModel, Prices
from bot.jobs import State
from bot.repair.prompting.room import MAX_SHRINKS

KEY = "canary-model-key-0123456789"
LESSON: Reply = {"text": "CAUSE: the bound is off\nLESSON: move the bound"}


def edit(new: str, old: str = "    if score > 50:") -> Reply:
    """A search/replace of one line of the module."""
    block = f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"
    return {"text": f"CAUSE: the bound\n\ngrades.py\n{block}"}


A, B = edit("    if score > 51:"), edit("    if score > 52:")
RIGHT = edit("    if score >= 50:")
TOO_MUCH = edit("    if score > -1:")
"""Fixes the target and breaks another test."""
EMPTY: Reply = {"text": ""}


def openai_model(url: str, *, timeout: float = 5.0, retries: int = 0) -> OpenAIModel:
    return OpenAIModel(ModelServer(url, SecretStr(KEY), timeout, retries), "m", Prices(free=("*",)))


@contextmanager
def staged(log_file: Path, script: Sequence[Reply], *, timeout: float = 5.0, retries: int = 0) -> Iterator[Stage]:
    with ScriptedServer(script, log_file) as server:
        model = openai_model(server.base_url, timeout=timeout, retries=retries)
        with closing(model):
            yield Stage(model=model, facts=MODEL_ALONE)


USELESS = {
    "nothing": ((EMPTY,) * 3, "The reply is empty", "REGREEN_FIRST_RUNG"),
    "prose": (({"text": "I would look at the bound."},) * 3, "The reply holds no edit, only words", "another model"),
    "cut off": (
        ({**RIGHT, "finish_reason": "length"},) * 3,
        "The reply was cut off at its length limit",
        "REGREEN_MAX_REPLY_TOKENS",
    ),
    "no such line": (
        (edit("    if mark >= 50:", old="    if mark > 50:"),) * 3,
        "The SEARCH lines do not occur in grades.py",
        "another edit format",
    ),
}


@pytest.mark.parametrize(("script", "cause", "remedy"), USELESS.values(), ids=USELESS)
def test_replies_that_are_no_patch_end_the_run_after_three_and_are_quoted(
    tmp_path: Path, script: Sequence[Reply], cause: str, remedy: str
) -> None:
    with staged(tmp_path / "log", script) as stage:
        outcome = stage.run()
    text = assert_said([stage.comment], cause, remedy)
    assert "three replies in a row could not be applied" in text
    assert "tests passed" not in text  # none was run
    assert_whole(stage.journal.events, outcome, State.UNSOLVED, attempts=3)
    assert [proposal["reply"] for proposal in stage.journal.named("proposal")] == [one["text"] for one in script]


CIRCLES = {
    "the same again": ((A, LESSON, A, A, A), "identical_code", "The same code as attempt 1", 4),
    "there and back": (
        (A, LESSON, B, B, B, LESSON, A, A, A), "cycle", "went back and forth between the same versions", 7
    ),
}  # fmt: skip


@pytest.mark.parametrize(("script", "stop", "cause", "attempts"), CIRCLES.values(), ids=CIRCLES)
def test_a_model_that_turns_in_circles_is_stopped_and_its_attempts_are_shown(
    tmp_path: Path, script: Sequence[Reply], stop: str, cause: str, attempts: int
) -> None:
    with staged(tmp_path / "log", script) as stage:
        outcome = stage.run()
    text = assert_said([stage.comment], cause, "A test that isolates the fault")
    assert outcome.stop == stop
    assert text.count("+    if score > 51:") == script.count(A)
    assert_whole(stage.journal.events, outcome, State.UNSOLVED, attempts=attempts)


LONG = {"status": 400, "message": "This model's maximum context length is 4096 tokens. You requested 9000 tokens."}
FAILURES = {
    "429": ({"status": 429, "message": "slow down"}, "there were too many requests: slow down", "Ask again later"),
    "500": ({"status": 500, "message": "out of cards"}, "failed with 500, also after", "Ask again later"),
    "wrong key": ({"status": 401, "message": f"Wrong: {KEY}"}, "refused the key (401)", "Correct OPENAI_API_KEY"),
    "too long": (LONG, "The prompt is longer than the context of 'm'", "Set REGREEN_MODEL_CONTEXT"),
    "no model": ({"status": 404, "message": "no m"}, "knows no model 'm'", "Correct REGREEN_MODEL"),
    "hung up": ({"close": True}, "cannot be reached", "Start it, or correct OPENAI_BASE_URL"),
    "a web page": ({"raw": "<h1>Welcome</h1>"}, "an answer that is no chat completion", "OPENAI_BASE_URL leads to"),
    "slow": ({**RIGHT, "delay": 1.0}, "was too slow", "Raise REGREEN_MODEL_TIMEOUT"),
}


@pytest.mark.parametrize(("failure", "cause", "remedy"), FAILURES.values(), ids=FAILURES)
def test_a_server_that_fails_is_named_and_the_best_candidate_is_kept(
    tmp_path: Path, failure: Reply, cause: str, remedy: str
) -> None:
    # the last answer as often as a prompt is made shorter
    with staged(tmp_path / "log", (TOO_MUCH, LESSON, *[failure] * (1 + MAX_SHRINKS)), timeout=0.4) as stage:
        outcome = stage.run()
    text = assert_said([stage.comment], cause, remedy)
    assert outcome.stop == "model_failed"
    assert "The best candidate, attempt 1, rejected: it broke a test that passed" in text
    assert "+    if score > -1:" in text
    assert "Passed before, fails now: `tests/test_grades.py::test_zero`" in text
    assert "put the label on again" in text
    assert_whole(stage.journal.events, outcome, State.UNSOLVED, attempts=1)


def test_a_server_that_is_down_from_the_start_is_named_and_spends_nothing(tmp_path: Path) -> None:
    with ScriptedServer((), tmp_path / "log") as server:
        url = server.base_url.replace("//", "//somebody:canary-password@")
    stage = Stage(model=openai_model(url), facts=MODEL_ALONE)
    outcome = stage.run()
    text = assert_said([stage.comment], "cannot be reached", "Start it, or correct OPENAI_BASE_URL")
    assert (outcome.tokens, outcome.dollars) == (0, 0.0)
    assert "canary-password" not in f"{text}{stage.journal.events}"
    assert "best candidate" not in text
    assert_whole(stage.journal.events, outcome, State.UNSOLVED)


def test_failures_that_pass_cost_retries_and_no_attempt(tmp_path: Path) -> None:
    script = ({"status": 429, "retry_after": 0.01}, {"status": 500, "retry_after": 0.01}, RIGHT)
    with staged(tmp_path / "log", script, retries=2) as stage:
        outcome = stage.run()
    assert_said([stage.comment], "turns 1 failing test green", "nothing broke")
    assert_whole(stage.journal.events, outcome, State.PUBLISHED, attempts=1)


def test_a_lesson_that_cannot_be_had_stops_nothing(tmp_path: Path) -> None:
    with staged(tmp_path / "log", (A, {"status": 500}, RIGHT)) as stage:
        assert stage.run().state is State.PUBLISHED
    assert len(stage.journal.named("attempt")) == 2


@pytest.mark.parametrize("failure", [FAILURES["wrong key"][0], LONG, {"raw": KEY}, {"status": 500, "message": KEY}])
def test_the_key_is_in_no_comment_no_run_log_and_no_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], failure: Reply
) -> None:
    caplog.set_level(logging.DEBUG)
    file = tmp_path / "run" / "log.jsonl"
    with staged(tmp_path / "log", (TOO_MUCH, LESSON, failure)) as stage:
        stage.journal = KeptJournal(file)
        outcome = stage.run()
        key_was_sent = KEY in (tmp_path / "log").read_text()
    out, err = capfd.readouterr()
    assert key_was_sent
    assert KEY not in stage.comment
    assert KEY not in file.read_text()
    assert KEY not in caplog.text
    assert KEY not in out + err
    assert_whole([(entry.event, entry.fields) for entry in read(file)], outcome, State.UNSOLVED, attempts=1)
