from dataclasses import replace

import pytest
from fakes_workspace import run_of
from hypothesis import given
from hypothesis import strategies as st

from bot.repair.measuring.baseline import Kind, kind, settle
from bot.repair.measuring.compare import broken, compare, decide
from bot.repair.types import Baseline, Comparison, Verdict
from sandbox.spec import Outcome

PASSED, FAILED, SKIPPED = Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED
suites = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from(Outcome), min_size=1)


def base(**outcomes: Outcome) -> Baseline:
    return settle((run_of(outcomes),))


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (FAILED, PASSED, "fixed"),
        (FAILED, FAILED, "still_failing"),
        (FAILED, SKIPPED, "still_failing"),
        (FAILED, None, "missing"),
        (PASSED, PASSED, None),
        (PASSED, FAILED, "regressed"),
        (PASSED, Outcome.ERROR, "regressed"),
        (PASSED, SKIPPED, "regressed"),
        (PASSED, Outcome.XFAILED, "regressed"),
        (PASSED, None, "regressed"),
        (SKIPPED, PASSED, "new_passing"),
        (SKIPPED, FAILED, "new_failing"),
        (SKIPPED, SKIPPED, None),
        (SKIPPED, None, "missing"),
        (None, PASSED, "new_passing"),
        (None, FAILED, "new_failing"),
        (None, SKIPPED, None),
    ],
)
def test_each_change_has_its_class(before: Outcome | None, now: Outcome | None, expected: str | None) -> None:
    baseline = base(other=PASSED) if before is None else base(other=PASSED, t=before)
    run = run_of({"other": PASSED} if now is None else {"other": PASSED, "t": now})

    found = {name for name in Comparison.__dataclass_fields__ if "t" in getattr(compare(baseline, run), name)}

    assert found == ({expected} if expected else set())


@given(first=suites, second=suites, now=suites)
def test_every_baseline_id_lands_in_at_most_one_class_and_only_unchanged_or_flaky_ones_in_none(
    first: dict[str, Outcome], second: dict[str, Outcome], now: dict[str, Outcome]
) -> None:
    both = {key: second.get(key, first[key]) for key in first}
    baseline = settle((run_of(first), run_of(both)))
    comparison = compare(baseline, run_of(now))

    for node_id, before in first.items():
        classes = [name for name in Comparison.__dataclass_fields__ if node_id in getattr(comparison, name)]
        same = node_id in now and kind(now[node_id]) is kind(before)
        unchanged = same and kind(now[node_id]) is not Kind.RED
        assert len(classes) == (0 if node_id in baseline.flaky or unchanged else 1)


@given(suite=suites)
def test_a_run_equal_to_the_baseline_breaks_and_fixes_nothing(suite: dict[str, Outcome]) -> None:
    comparison = compare(settle((run_of(suite),)), run_of(suite))

    assert broken(comparison) == comparison.fixed == comparison.new_passing == ()


def test_a_patch_may_break_what_fails_in_random_order_only() -> None:
    own, shuffled = run_of({"a": PASSED, "b": FAILED}), replace(run_of({"a": FAILED, "b": PASSED}), seed=1)
    baseline = settle((own, own, shuffled))

    assert baseline.flaky == ("a", "b")
    assert compare(baseline, run_of({"a": FAILED, "b": PASSED})) == Comparison(regressed=("a",))
    assert compare(baseline, own) == Comparison()


def test_a_partial_run_is_compared_on_its_own_ids_alone() -> None:
    baseline = base(a=PASSED, b=FAILED, c=FAILED)

    assert compare(baseline, run_of({"b": PASSED}), only=("b",)) == Comparison(fixed=("b",))


@pytest.mark.parametrize(
    ("comparison", "verdict"),
    [
        (Comparison(fixed=("a", "b")), Verdict.SOLVED),
        (Comparison(fixed=("a",), still_failing=("b",)), Verdict.PARTIAL),
        (Comparison(still_failing=("a", "b")), Verdict.NOT_FIXED),
        (Comparison(fixed=("a", "b"), regressed=("c",)), Verdict.REGRESSED),
        (Comparison(fixed=("a", "b"), new_failing=("c",)), Verdict.REGRESSED),
        (Comparison(fixed=("a",), missing=("b",)), Verdict.REGRESSED),
    ],
)
def test_one_broken_test_outweighs_every_fixed_one(comparison: Comparison, verdict: Verdict) -> None:
    assert decide(comparison, ("a", "b")) is verdict


def test_without_targets_nothing_is_solved() -> None:
    assert decide(Comparison(), ()) is Verdict.NOT_FIXED
