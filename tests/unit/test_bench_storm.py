"""What the storm's verdict holds against what is left."""

from dataclasses import replace
from typing import Any

from bench.storm_verdict import Call, Left, Ran, duplicates, unfinished, unsettled

PLACE = ("octo/r0", "issue-1")


def subject(**changes: Any) -> dict[str, Any]:
    told: dict[str, Any] = {
        "repository": PLACE[0],
        "subject": PLACE[1],
        "kind": "fix",
        "word": "storm-1.",
        "labels": ["regreen", "regreen:needs-review"],
        "marks": ["regreen:status issue-1"],
        "checks": [],
    }
    return told | changes


def left(*subjects: dict[str, Any], **changes: Any) -> Left:
    report = {"subjects": list(subjects or (subject(),)), "pulls": [[PLACE[0], "regreen/issue-1", "open"]]}
    calls = [Call("storm-1. asked", 100.0, 500)]
    whole = Left(report, [Ran("a", *PLACE, "published", 1)], 0, calls, [("a", 500, True)], [])
    return replace(whole, **changes)


def test_what_ended_once_and_was_made_once_is_well() -> None:
    assert [*unfinished(left()), *duplicates(left())] == []
    assert unsettled(left()) == 0


def test_a_run_without_an_end_or_with_two_is_unfinished() -> None:
    for run in (Ran("a", *PLACE, "", 0), Ran("a", *PLACE, "published", 2), Ran("a", *PLACE, "failed", 0)):
        assert len(list(unfinished(left(runs=[run])))) == 1
    assert list(unfinished(left(runs=[Ran("a", *PLACE, "cancelled", 0)]))) == []


def test_a_subject_without_a_run_is_unfinished_only_where_one_had_to_come() -> None:
    assert len(list(unfinished(left(runs=[])))) == 1
    assert list(unfinished(left(subject(kind="close"), runs=[]))) == []
    assert len(list(unfinished(left(subject(kind="quiet"))))) == 1


def test_what_github_shows_as_under_way_is_unfinished() -> None:
    assert len(list(unfinished(left(subject(labels=["regreen:working"]))))) == 1
    assert len(list(unfinished(left(subject(marks=[]))))) == 1
    running = subject(kind="check", checks=[["check-main@a", "in_progress"]])
    assert len(list(unfinished(left(running)))) == 1
    assert len(list(unfinished(left(undecided=3)))) == 1


def test_a_second_pull_request_comment_or_check_run_is_a_duplicate() -> None:
    twice = left()
    twice.report["pulls"].append([PLACE[0], "regreen/issue-1", "closed"])
    assert len(list(duplicates(twice))) == 1
    assert len(list(duplicates(left(subject(marks=["regreen:status issue-1"] * 3))))) == 2
    assert len(list(duplicates(left(subject(checks=[["x", "completed"]] * 2))))) == 1


def test_the_same_question_twice_is_paid_twice_unless_a_kill_came_between() -> None:
    calls = [Call("storm-1. asked", 100.0, 500), Call("storm-1. asked", 110.0, 500)]
    assert len(list(duplicates(left(calls=calls)))) == 1
    assert list(duplicates(left(calls=calls, kills=[101.0]))) == []
    two = [Ran("a", *PLACE, "published", 1), Ran("b", *PLACE, "refused", 1)]
    assert list(duplicates(left(calls=calls, runs=two))) == []


def test_charging_more_than_a_model_cost_is_a_duplicate() -> None:
    assert len(list(duplicates(left(spent=[("a", 501, True)])))) == 1
    assert unsettled(left(spent=[("a", 500, False)])) == 1
