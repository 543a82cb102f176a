"""How long a lease may be, and by which clock a worker holds one."""

import pytest
from pydantic import ValidationError

from bot.adapters.store import connect
from bot.engine.crew import BEATS as ENGINE_BEATS
from bot.engine.lease import since_boot
from bot.pipeline.intake.holding import BEATS
from bot.pipeline.ports.leases import LONGEST
from bot.settings import Settings
from bot.wiring.dispatching import build_holding
from bot.wiring.health import LOOPS

LONG = 900.0


def test_the_longest_lease_that_may_be_set_is_no_clock_that_was_ahead_and_is_renewed_before_it_is_missed() -> None:
    assert Settings(lease_seconds=LONG).lease_seconds == LONG
    with pytest.raises(ValidationError):
        Settings(lease_seconds=LONG + 1)
    assert 2 * LONG <= LONGEST
    assert 2 * LONG / min(BEATS, ENGINE_BEATS) <= LOOPS["leases"]


def test_lanes_are_held_by_a_clock_that_goes_on_while_the_machine_sleeps() -> None:
    database = connect("sqlite://")
    assert build_holding(database, 60.0).monotonic is since_boot
    database.dispose()
