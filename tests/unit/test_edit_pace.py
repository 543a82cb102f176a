"""At most one edit of a comment in ten seconds, and the last state always."""

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.github.edits import Edits
from bot.errors import GitHubUnavailableError


@dataclass
class Clockwork:
    """A clock whose alarms ring when somebody sleeps or waits past them."""

    time: float = 1000.0
    alarms: list["Ringing"] = field(default_factory=list)

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        until = self.time + seconds
        while due := [one for one in self.alarms if not one.cancelled and one.at <= until]:
            first = min(due, key=lambda one: one.at)
            self.alarms.remove(first)
            self.time = max(self.time, first.at)
            first.act()
        self.time = until

    def later(self, seconds: float, act: Callable[[], None]) -> "Ringing":
        self.alarms.append(Ringing(self.time + seconds, act))
        return self.alarms[-1]


@dataclass
class Ringing:
    at: float
    act: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


class Comment:
    """A comment at GitHub: what it says, and when it was edited."""

    def __init__(self, spacing: float = 10.0) -> None:
        self.clock = Clockwork()
        self.edits = Edits(spacing, self.clock.now, self.clock.sleep, self.clock.later)
        self.said = "begun"
        self.edited = [self.clock.time]

    def put(self, text: str, *, soon: bool) -> None:
        def write() -> None:
            self.said = text
            self.edited.append(self.clock.time)

        self.edits.put("https://github.test/1", self.edited[-1], write, soon=soon, stands=self.said == text)


def test_a_state_in_between_waits_and_nobody_waits_for_it() -> None:
    comment = Comment()
    comment.put("fetching", soon=True)
    assert (comment.said, comment.clock.time) == ("begun", 1000.0)
    comment.clock.sleep(10)
    assert comment.said == "fetching"


def test_what_waits_is_overtaken_and_the_last_state_is_written_when_its_time_has_come() -> None:
    comment = Comment()
    comment.put("fetching", soon=True)
    comment.clock.sleep(4)
    comment.put("done", soon=False)
    assert (comment.said, comment.edited) == ("done", [1000.0, 1010.0])
    comment.clock.sleep(60)
    assert comment.said == "done"


@pytest.mark.parametrize("pause", [4.0, 14.0])
def test_a_last_state_that_stands_already_is_not_overwritten_by_one_that_waits(pause: float) -> None:
    comment = Comment()
    comment.put("failed", soon=False)
    comment.put("fetching", soon=True)
    comment.clock.sleep(pause)
    comment.put("failed", soon=False)
    comment.clock.sleep(60)
    assert comment.said == "failed"


def test_a_last_state_that_stands_though_one_in_between_came_after_it_was_read_is_written() -> None:
    comment = Comment()
    comment.put("failed", soon=False)
    comment.put("fetching", soon=True)
    comment.clock.sleep(10)
    written: list[str] = []
    comment.edits.put("https://github.test/1", 1010.0, lambda: written.append("failed"), soon=False, stands=True)
    assert written == ["failed"]


def test_what_stands_and_nothing_waits_for_is_not_written_again() -> None:
    comment = Comment()
    comment.put("failed", soon=False)
    edits = list(comment.edited)
    comment.put("failed", soon=False)
    comment.put("failed", soon=True)
    assert comment.edited == edits


def test_a_comment_whose_write_hangs_holds_up_no_other() -> None:
    alarms: list[Callable[[], None]] = []

    def ring(_seconds: float, act: Callable[[], None]) -> Ringing:
        alarms.append(act)
        return Ringing(0.0, act)

    edits = Edits(10.0, lambda: 0.0, lambda _seconds: None, ring)
    begun, released = threading.Event(), threading.Event()

    def hangs() -> None:
        begun.set()
        assert released.wait(30)

    edits.put("https://github.test/1", 0.0, hangs, soon=True)
    hanging = threading.Thread(target=alarms[0])
    hanging.start()
    try:
        assert begun.wait(30)
        written: list[str] = []
        other = threading.Thread(
            target=lambda: edits.put("https://github.test/2", 0.0, lambda: written.append("done"), soon=False)
        )
        other.start()
        other.join(30)
        assert written == ["done"]
    finally:
        released.set()
        hanging.join(30)


def test_after_a_quiet_time_an_edit_is_written_at_once() -> None:
    comment = Comment()
    comment.clock.sleep(11)
    comment.put("repairing", soon=True)
    assert comment.edited == [1000.0, 1011.0]


@given(st.lists(st.tuples(st.floats(0, 30), st.booleans()), min_size=1, max_size=30))
def test_edits_are_ten_seconds_apart_and_the_last_one_stands(steps: list[tuple[float, bool]]) -> None:
    comment = Comment()
    for number, (pause, soon) in enumerate(steps):
        comment.clock.sleep(pause)
        comment.put(str(number), soon=soon)
    comment.clock.sleep(10)
    assert comment.said == str(len(steps) - 1)
    assert all(later - earlier >= 10 - 1e-6 for earlier, later in itertools.pairwise(comment.edited))


def test_a_clock_that_is_behind_makes_nobody_wait_longer_than_the_spacing() -> None:
    comment = Comment()
    comment.edited = [5000.0]
    comment.put("done", soon=False)
    assert comment.clock.time == 1010.0


def test_a_late_edit_that_fails_harms_nothing_and_the_last_state_is_written() -> None:
    comment = Comment()

    def fails() -> None:
        raise GitHubUnavailableError("502", "wait")

    comment.edits.put("https://github.test/1", 1000.0, fails, soon=True)
    comment.clock.sleep(10)
    comment.put("done", soon=False)
    assert comment.said == "done"


@pytest.mark.parametrize("soon", [True, False])
def test_without_a_spacing_everything_is_written_at_once(*, soon: bool) -> None:
    comment = Comment(0.0)
    comment.put("fetching", soon=soon)
    assert (comment.said, comment.clock.time) == ("fetching", 1000.0)
