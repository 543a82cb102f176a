"""A probe answers, whatever becomes of what it asks."""

import threading

from structlog.testing import capture_logs

from bot.errors import StoreError
from bot.web.readiness import STARTING, Readiness, Vitals


def failing(error: Exception) -> str:
    raise error


def test_each_check_says_what_is_wrong_and_the_others_are_asked_all_the_same() -> None:
    readiness = Readiness(
        {
            "fine": lambda: None,
            "full": lambda: "no room",
            "down": lambda: failing(StoreError("The database failed", "Repair it.")),
            "faulty": lambda: failing(ValueError("unforeseen")),
        }
    )
    with capture_logs() as logs:
        found = readiness.look()
    faulty = "a fault in the check: ValueError"
    assert found == {"fine": "", "full": "no room", "down": "The database failed", "faulty": faulty}
    assert [line["event"] for line in logs] == ["check_fault"]


def test_a_check_that_hangs_is_told_of_and_asked_once_however_often_somebody_looks() -> None:
    asked, go_on = list[int](), threading.Event()

    def hang() -> None:
        asked.append(1)
        go_on.wait()

    readiness = Readiness({"engine": hang, "disk": lambda: None}, patience=0.05)
    for _ in range(3):
        assert readiness.look() == {"engine": "no answer within 0 s", "disk": ""}
    assert len(asked) == 1
    go_on.set()
    while readiness.look()["engine"]:
        pass
    assert len(asked) <= 3


def test_a_loop_that_is_silent_for_longer_than_it_may_be_is_named() -> None:
    now = [0.0]
    vitals = Vitals({"dispatch": 10.0, "reaper": 100.0}, lambda: now[0])
    now[0] = 11.0
    assert vitals.stuck() == "the loop dispatch has not turned for 11 s"
    vitals.beat("dispatch")
    assert vitals.stuck() == ""
    assert vitals.ages() == {"dispatch": 0.0, "reaper": 11.0}


def test_a_loop_that_turns_in_vain_is_named_by_readiness_alone() -> None:
    now = [0.0]
    vitals = Vitals({"take": 10.0}, lambda: now[0])
    for _ in range(3):
        now[0] += 5.0
        vitals.beat("take", good=False)
    assert (vitals.stuck(), vitals.failing()) == ("", "the loop take has not succeeded for 15 s")
    vitals.beat("take")
    assert vitals.failing() == ""
    now[0] += 11.0
    assert vitals.failing() == vitals.stuck() == "the loop take has not turned for 11 s"


def test_who_has_not_begun_takes_no_work() -> None:
    vitals = Vitals({})
    assert vitals.absent() == STARTING
    vitals.away = ""
    assert vitals.absent() == ""
