from bot.pipeline.reports.unstable import flaky_tests, runs
from bot.repair.measuring.flake import Flake
from bot.repair.types import Baseline


def baseline(*flakes: Flake, more: tuple[str, ...] = (), orders: str = "") -> Baseline:
    return Baseline(3, (), (), (*(flake.node_id for flake in flakes), *more), (), 1.0, flakes, orders)


def test_each_flaky_test_is_named_with_its_evidence() -> None:
    text = flaky_tests(baseline(Flake("t.py::a", 2, 1, "failed in 1 of 3 runs"), more=("t.py::b",)))

    assert text.startswith("### Flaky tests\n")
    assert "- `t.py::a`: failed in 1 of 3 runs\n- `t.py::b`\n" in text


def test_without_flaky_tests_there_is_no_such_section() -> None:
    assert flaky_tests(baseline()) == ""


def test_what_a_test_said_mentions_and_formats_nothing_and_the_list_has_an_end() -> None:
    flakes = [Flake(f"t.py::`{number}`", 1, 1, f"said @mona **now** {'x' * 9000}") for number in range(50)]
    text = flaky_tests(baseline(*flakes))

    assert "@mona" not in text
    assert "**now**" not in text
    assert text.endswith("- and 30 more\n")
    assert len(text) < 20 * 3000


def test_how_often_the_suite_ran_is_said_with_its_orders() -> None:
    assert runs(baseline()) == "Before: 3 runs of the whole suite."
    said = runs(baseline(orders="one of them in random order (seed 7)"))
    assert said == "Before: 3 runs of the whole suite, one of them in random order \\(seed 7\\)."
