"""The loop's benchmark: what its arms do, what it keeps, how it goes on after it was killed."""

from pathlib import Path

import pytest
from bench.loop.arms import ARMS, BASELINES, MUTATION, OURS, named
from bench.loop.judgement import laid_over
from bench.loop.measure import Measurement, Row
from bench.loop.replies import CachedModel
from bench.subjects import InvalidMeasurementError
from fakes import patch
from fakes_bench import OTHER, RIGHT, TASK, WRONG, Answers, ScriptedStages

from bot.errors import ModelError
from bot.repair.prompting.room import estimate
from bot.repair.types import CompletionLimits, Message
from bot.settings import Settings
from sandbox.spec import File

SETTINGS = Settings(model="scripted", free_models=("*",))
TOKENS = 40_000


def measurement(stages: ScriptedStages, keep: Path, tokens: int = TOKENS, code: str = "v1") -> Measurement:
    return Measurement(stages, SETTINGS, tokens, keep, code)


def row(arm: str, model: Answers, keep: Path, tokens: int = TOKENS) -> Row:
    return measurement(ScriptedStages(model), keep, tokens).row(ARMS[arm], TASK)


@pytest.mark.parametrize("arm", ARMS.values(), ids=lambda arm: arm.name)
def test_every_arm_is_made_of_settings_that_operators_have(arm: object) -> None:
    assert arm.over(SETTINGS, 5).max_tokens == 5  # type: ignore[attr-defined] - parametrised


def test_an_arm_that_does_not_exist_is_no_measurement() -> None:
    with pytest.raises(InvalidMeasurementError, match="no arm guessing"):
        named("ours,guessing")


@pytest.mark.parametrize("arm", [*BASELINES, OURS])
def test_each_arm_solves_what_the_first_reply_repairs(arm: str, tmp_path: Path) -> None:
    found = row(arm, Answers([RIGHT]), tmp_path)
    assert (found.solved, found.claimed, found.plausible_right) == (True, True, True)


def test_the_mutation_search_alone_asks_no_model(tmp_path: Path) -> None:
    model = Answers([AssertionError("asked")])
    found = row(MUTATION, model, tmp_path)
    assert (found.solved, found.tokens, found.origin) == (True, 0, "mutation")


def test_one_shot_is_one_greedy_call(tmp_path: Path) -> None:
    model = Answers([WRONG, RIGHT])
    found = row("one-shot", model, tmp_path)
    assert (found.solved, found.attempts, found.stop) == (False, 1, "iterations")
    assert [limits.temperature for _, limits in model.asked] == [0.0]


def test_samples_are_independent_warm_after_the_first_and_seeded(tmp_path: Path) -> None:
    model = Answers([WRONG, OTHER, WRONG, RIGHT])
    assert row("sampling", model, tmp_path).solved
    assert len({messages for messages, _ in model.asked}) == 1
    assert [limits.temperature > 0 for _, limits in model.asked] == [False, True, True, True]
    assert [limits.seed for _, limits in model.asked] == [None, 1, 2, 3]


def test_a_growing_chat_holds_every_reply_and_is_greedy_until_the_model_repeats_itself(tmp_path: Path) -> None:
    model = Answers([WRONG, OTHER, OTHER, RIGHT])
    assert row("append-history", model, tmp_path).solved
    assert [len(messages) for messages, _ in model.asked] == [2, 4, 6, 8]
    last = model.asked[-1][0]
    assert [message.content for message in last if message.role == "assistant"] == [WRONG, OTHER, OTHER]
    assert "test_fifty" in last[-1].content
    assert [limits.temperature > 0 for _, limits in model.asked] == [False, False, False, True]


@pytest.mark.parametrize("arm", ["sampling", "append-history"])
def test_a_baseline_spends_its_tokens_and_not_more(arm: str, tmp_path: Path) -> None:
    found = row(arm, Answers([WRONG]), tmp_path, tokens=10_000)
    assert (found.solved, found.stop) == (False, "tokens")
    assert 5_000 < found.tokens <= 10_000


def test_a_growing_chat_stays_within_the_context(tmp_path: Path) -> None:
    model = Answers([f"{'word ' * 1000}{WRONG}"])
    row("append-history", model, tmp_path)
    sizes = [estimate(messages) for messages, _ in model.asked]
    assert max(sizes) <= 8192
    assert len(sizes) > 5


def test_a_reply_is_asked_for_once_and_takes_as_long_the_second_time(tmp_path: Path) -> None:
    model, times = Answers([RIGHT, WRONG]), iter((0.0, 7.0, 7.0, 9.0))
    prompt, limits = (Message("user", "fix it"),), CompletionLimits()
    first = CachedModel(model, tmp_path, lambda: next(times))
    again = CachedModel(model, tmp_path, lambda: next(times))
    assert first.complete(prompt, limits) == again.complete(prompt, limits)
    assert (first.saved, again.saved, len(model.asked)) == (0.0, 7.0, 1)
    assert again.complete(prompt, CompletionLimits(seed=4, temperature=0.7)).text == WRONG


def test_samples_without_a_seed_differ_within_a_run_and_are_the_same_in_the_next(tmp_path: Path) -> None:
    model, warm = Answers([RIGHT, WRONG]), CompletionLimits(temperature=0.7)
    runs = [CachedModel(model, tmp_path) for _ in range(2)]
    texts = [[run.complete((Message("user", "x"),), warm).text for _ in range(2)] for run in runs]
    assert texts == [[RIGHT, WRONG]] * 2


def test_a_model_that_fails_is_no_measurement_and_nothing_is_kept(tmp_path: Path) -> None:
    stages = ScriptedStages(Answers([ModelError("It is down", "Start it."), RIGHT]))
    with pytest.raises(InvalidMeasurementError, match="down"):
        measurement(stages, tmp_path).row(ARMS["one-shot"], TASK)
    assert measurement(stages, tmp_path).row(ARMS["one-shot"], TASK).solved


@pytest.mark.parametrize("killed_at", range(1, 5))
def test_a_measurement_that_was_killed_goes_on_where_it_was(killed_at: int, tmp_path: Path) -> None:
    replies = [WRONG, OTHER, WRONG, RIGHT]
    whole = row("sampling", Answers(list(replies)), tmp_path / "whole")
    model = Answers([*replies[: killed_at - 1], KeyboardInterrupt(), *replies[killed_at - 1 :]])
    with pytest.raises(KeyboardInterrupt):
        row("sampling", model, tmp_path / "killed")
    again = row("sampling", model, tmp_path / "killed")
    assert len(model.asked) == len(replies)
    assert (again.solved, again.tokens, again.attempts) == (whole.solved, whole.tokens, whole.attempts)


def test_what_is_finished_is_not_run_again_unless_code_settings_or_task_changed(tmp_path: Path) -> None:
    stages = ScriptedStages(Answers([RIGHT]))
    for _ in range(2):
        list(measurement(stages, tmp_path).rows(named("one-shot,ours"), [TASK]))
    assert stages.opened == 2
    list(measurement(stages, tmp_path, code="v2").rows(named("one-shot,ours"), [TASK]))
    list(measurement(stages, tmp_path, tokens=TOKENS + 1).rows(named("one-shot,ours"), [TASK]))
    assert stages.opened == 6


def test_half_a_kept_result_is_none(tmp_path: Path) -> None:
    stages = ScriptedStages(Answers([RIGHT]))
    kept = tmp_path / "results"
    kept.mkdir()
    (kept / "one-shot-grades-0000.json.77.half").write_text('{"arm": "one')
    assert measurement(stages, tmp_path).row(ARMS["one-shot"], TASK).solved


def test_the_full_tests_lie_over_whatever_a_patch_does_to_them() -> None:
    tests = {"test_calc.py": File(b"assert True\n")}
    task = type(TASK)("t", "r", {"calc.py": File(b"x = 1\n")}, tests, "")
    judged = laid_over(patch(calc="x = 2\n", test_calc="pass\n"), task)
    assert {change.path: change.content for change in judged.changes} == {
        "calc.py": b"x = 2\n",
        "test_calc.py": b"assert True\n",
    }
