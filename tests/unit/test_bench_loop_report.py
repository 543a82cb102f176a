"""What the loop's benchmark says: the sign test, the table, and whether the target is met."""

import pytest
from bench.loop.arms import BASELINES, MUTATION, OURS, WITHOUT_MUTATION
from bench.loop.measure import Row
from bench.loop.report import document, figures, table
from bench.loop.significance import paired, sign_test

TASKS = 10


def rows(**solved: int) -> list[Row]:
    """Each arm solved the first so many of ten tasks."""
    return [
        Row(
            arm=arm.replace("_", "-"),
            task=f"t{number}",
            claimed=number <= count,
            solved=number < count,
            stop="solved" if number <= count else "tokens",
            detail="",
            prompt_tokens=900,
            completion_tokens=100,
            seconds=2.0,
            attempts=1,
            plausible=number <= count,
            plausible_right=number < count,
            rank=number + 1 if number < count else None,
        )
        for arm, count in solved.items()
        for number in range(TASKS)
    ]


def whole(ours: int, without: int, mutation: int = 2) -> list[Row]:
    baselines = dict(zip(BASELINES, (2, 4, 3), strict=True))
    return rows(**baselines, **{WITHOUT_MUTATION: without, OURS: ours, MUTATION: mutation})


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (0, 6, 0.03125), (8, 1, 0.0390625), (3, 3, 1.0), (10, 4, 0.179565)],
)
def test_the_sign_test_is_exact_and_two_sided(wins: int, losses: int, p: float) -> None:
    assert sign_test(wins, losses) == pytest.approx(p, abs=1e-6)
    assert sign_test(wins, losses) == sign_test(losses, wins)


def test_pairs_count_the_tasks_that_only_one_arm_solved() -> None:
    first = {"a": True, "b": True, "c": False, "d": True, "only here": True}
    second = {"a": True, "b": False, "c": True, "d": False}
    found = paired(first, second)
    assert (found.wins, found.losses, found.tasks) == (2, 1, 4)


def test_figures_tell_what_was_claimed_and_wrong_and_where_localisation_put_it() -> None:
    found = figures(rows(ours=4))
    assert (found["solved"], found["claimed"], found["claimed_wrong"], found["first_plausible_wrong"]) == (4, 5, 1, 1)
    assert (found["tokens"], found["seconds"], found["top"]) == (10_000, 20.0, {"1": 1, "3": 3, "5": 4})


def test_the_target_is_met_level_without_the_mutation_search_and_ahead_with_it() -> None:
    found = document("quixbugs", whole(ours=5, without=4), 12_000, "m")
    assert (found["met"], found["missed"]) == (True, [])
    assert found["pairs"][OURS]["sampling"] == {"wins": 1, "losses": 0, "p": 1.0}


@pytest.mark.parametrize(
    ("ours", "without", "mutation", "word"),
    [(5, 3, 2, WITHOUT_MUTATION), (4, 4, 2, "best other arm 4"), (5, 4, 5, "best other arm 5")],
)
def test_a_missed_target_is_said(ours: int, without: int, mutation: int, word: str) -> None:
    found = document("quixbugs", whole(ours, without, mutation), 12_000, "m")
    assert found["met"] is False
    assert word in found["missed"][0]


def test_a_target_of_arms_that_were_left_out_is_not_met() -> None:
    found = document("quixbugs", rows(ours=9), 12_000, "m")
    assert found["met"] is False
    assert f"{MUTATION} was not run" in found["missed"]


def test_the_table_has_a_line_for_each_arm_and_each_pair() -> None:
    lines = table(whole(ours=5, without=4))
    assert sum(line.startswith(f"| {OURS} |") for line in lines) == 6
    assert any(line.startswith("| mutation | 2 of 10 | 1 of 3 |") for line in lines)
