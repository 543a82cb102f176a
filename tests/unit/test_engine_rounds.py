"""What the engine does again and again tells whether it went well, and each such round is watched."""

import threading

import pytest
from structlog.testing import capture_logs

from bot.engine.rounds import Rounds
from bot.errors import StoreError

SECONDS = 30.0


@pytest.mark.parametrize("fault", [StoreError("The database failed", "Repair it."), ValueError("unforeseen")])
def test_a_round_tells_whether_it_succeeded_and_the_next_one_comes(fault: Exception) -> None:
    told: list[tuple[str, bool]] = []
    enough, calls = threading.Event(), list[int]()

    def hear(name: str, good: bool) -> None:  # noqa: FBT001 - as every `Told`
        told.append((name, good))
        if len(told) == 2:
            enough.set()

    def call() -> None:
        calls.append(1)
        if len(calls) == 1:
            raise fault

    rounds = Rounds(hear)
    with capture_logs() as logs:
        rounds.begin("take", 0.01, call)
        assert enough.wait(SECONDS)
    rounds.stop(SECONDS)
    assert told[:2] == [("take", False), ("take", True)]
    assert [line["event"] for line in logs] == ["round_failed"]
