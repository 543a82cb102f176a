"""At most one edit of a comment in ten seconds, and the last state always."""

import itertools
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

        self.edits.put("https://github.test/1", self.edited[-1], write, soon=soon)


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
