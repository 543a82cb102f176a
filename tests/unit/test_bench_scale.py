"""What `make bench-scale` makes of what its workers noted."""

from argparse import Namespace

import pytest
from bench.scale import Arm, arm, report
from bench.scale_worker import SLOTS

from bot.demo.processes import DemoError

ASKED = Namespace(rounds=1, seconds=1.0)


def notes(count: int, ended: float) -> list[dict[str, object]]:
    return [{"job": str(number), "begun": 101.0, "ended": ended} for number in range(count)]


def test_an_arm_lasts_from_the_first_job_queued_to_the_last_ones_end() -> None:
    found = arm(2, 100.0, notes(2 * SLOTS, 110.0), ASKED)
    assert found.hourly == pytest.approx(2 * SLOTS * 360)
    assert found.share == pytest.approx(0.2)


def test_a_job_that_ran_twice_or_never_makes_the_measurement_invalid() -> None:
    for wrong in (notes(SLOTS - 1, 110.0), notes(SLOTS, 110.0) + notes(1, 110.0)):
        with pytest.raises(DemoError, match="were queued"):
            arm(1, 100.0, wrong, ASKED)


def test_the_target_wants_both_the_speed_and_the_small_share() -> None:
    one, good = Arm(1, 4, 8.2, 8.0), Arm(4, 16, 8.3, 8.0)
    assert report([one, good])["met"]
    assert not report([one, Arm(4, 16, 11.0, 8.0)])["met"]
    slow = Arm(1, 4, 10.0, 8.0)
    assert report([slow, Arm(4, 16, 10.0, 8.0)]) == {
        "jobs_per_hour": {"1": 1440, "4": 5760},
        "engine_share": 0.2,
        "met": False,
    }
