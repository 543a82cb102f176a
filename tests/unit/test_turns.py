"""Whose turn it is."""

from collections import Counter

import pytest
from fakes_store import fix_check, fix_issue

from bot.engine.turns import PATIENCE, Limits, Place, Waiting, choose, importance
from bot.jobs import FollowUp

REVIEW, RED, BACKLOG = 1, 2, 3


def waiting(repository: str, rank: int = BACKLOG, waited: float = 0.0, *, installation: str = "1") -> Waiting:
    return Waiting(f"{repository}:{rank}", Place(repository, installation), rank, waited)


def test_a_review_goes_before_red_ci_and_red_ci_before_the_backlog() -> None:
    there = [waiting("a", BACKLOG, 60.0), waiting("b", RED, 30.0), waiting("c", REVIEW, 0.0)]
    assert choose(there, {}, {}, 2, Limits()) == ("c:1", "b:2")
    review = FollowUp("d", 1, "octo/fizz", 3, "issue-7", "regreen/issue-7", 5, "octo", "please")
    assert importance(review) < importance(fix_check()) < importance(fix_issue())


def test_whoever_had_a_turn_longest_ago_is_next_however_old_the_backlog_of_another_is() -> None:
    turns: list[str] = []
    served: dict[str, float] = {}
    for now in range(40):
        heads = [waiting("flood", waited=1_000.0), *(waiting(name, waited=1.0) for name in ("x", "y", "z"))]
        (chosen,) = choose(heads, {}, served, 1, Limits())
        turns.append(chosen.partition(":")[0])
        served[turns[-1]] = float(now + 1)
    assert Counter(turns) == {"flood": 10, "x": 10, "y": 10, "z": 10}


def test_no_stream_of_reviews_keeps_the_backlog_out_for_ever() -> None:
    there = [waiting("busy", REVIEW), waiting("calm", BACKLOG, 2 * PATIENCE + 1)]
    served = {"busy": 5.0, "calm": 1.0}
    assert choose(there, {}, served, 1, Limits()) == ("calm:3",)


def test_a_repository_with_a_job_under_way_waits() -> None:
    there = [waiting("a"), waiting("b")]
    assert choose(there, {"a": "1"}, {}, 5, Limits()) == ("b:3",)


def test_the_same_repository_under_two_installations_is_one() -> None:
    there = [waiting("a", installation="1"), waiting("a", installation="2")]
    assert len(choose(there, {}, {}, 5, Limits())) == 1


def test_a_job_that_was_begun_goes_on_before_all_others() -> None:
    begun = Waiting("a:begun", Place("a", "1"), BACKLOG, 0.0, begun=True)
    assert choose([waiting("b", REVIEW, 99.0), begun], {}, {}, 1, Limits()) == ("a:begun",)


@pytest.mark.parametrize(("most", "chosen"), [(0, 3), (1, 0), (2, 0), (3, 1), (5, 3)])
def test_no_more_jobs_than_all_workers_together_may_have(most: int, chosen: int) -> None:
    there = [waiting(name) for name in "abc"]
    assert len(choose(there, {"x": "1", "y": "2"}, {}, 9, Limits(jobs=most))) == chosen


def test_no_more_jobs_of_an_installation_than_it_may_have_and_others_go_past_it() -> None:
    there = [waiting(name, waited=9.0, installation="1") for name in "abc"] + [waiting("d", installation="2")]
    assert choose(there, {"x": "1"}, {}, 9, Limits(installation=2)) == ("a:3", "d:3")


def test_where_an_installation_is_not_known_it_has_no_limit() -> None:
    there = [waiting(name, installation="") for name in "ab"]
    assert len(choose(there, {"x": ""}, {}, 9, Limits(installation=1))) == 2


def test_a_place_is_read_as_it_was_written_also_by_an_earlier_version() -> None:
    assert Place.read(str(Place("octo/fizz", "7"))) == Place("octo/fizz", "7")
    assert Place.read("octo/fizz") == Place("octo/fizz")
