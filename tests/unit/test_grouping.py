"""Deliveries that come at once share a commit, and none is acknowledged before its own."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import pytest

from bot.adapters.store import SqlInbox, connect, migrate
from bot.adapters.store.grouping import MOST, GroupedInbox
from bot.errors import StoreError
from bot.events import Delivery
from bot.events.glance import Glance

MANY = 3 * MOST
SECONDS = 30.0


def received(number: int) -> Delivery:
    return Delivery(f"d-{number}", "issues", b"%d" % number)


@dataclass
class Slow:
    """Commits when told to; fails the first `broken` times."""

    broken: int = 0
    commits: list[list[str]] = field(default_factory=list)
    began: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def accept_all(self, received: tuple[tuple[Delivery, Glance], ...]) -> tuple[bool, ...]:
        self.began.set()
        assert self.released.wait(SECONDS)
        self.commits.append([one.delivery_id for one, _ in received])
        if len(self.commits) <= self.broken:
            raise StoreError("The database failed", "Repair it.")
        return tuple(not one.delivery_id.endswith("7") for one, _ in received)


def test_what_comes_while_a_commit_is_under_way_waits_for_the_next_and_gets_its_own_answer() -> None:
    slow = Slow()
    inbox = GroupedInbox(slow)
    with ThreadPoolExecutor(MANY) as pool:
        first = pool.submit(inbox.accept, received(0))
        assert slow.began.wait(SECONDS)
        others = [pool.submit(inbox.accept, received(number)) for number in range(1, MANY)]
        assert not any(one.done() for one in (first, *others))
        for _ in range(round(SECONDS / 0.01)):
            if inbox.waiting == MANY - 1:
                break
            time.sleep(0.01)
        slow.released.set()
        answers = [one.result(SECONDS) for one in (first, *others)]
    assert answers == [number % 10 != 7 for number in range(MANY)]
    assert sorted(map(len, slow.commits)) == [1, MOST - 1, MOST, MOST]
    assert sorted(chain(*slow.commits)) == sorted(f"d-{number}" for number in range(MANY))


def test_a_commit_that_fails_fails_for_all_in_it_and_for_no_other() -> None:
    slow = Slow(broken=1)
    slow.released.set()
    inbox = GroupedInbox(slow)
    with pytest.raises(StoreError):
        inbox.accept(received(1))
    assert inbox.accept(received(2))


def test_of_a_delivery_that_comes_many_times_at_once_one_is_accepted_and_all_are_in_the_table(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'r.sqlite'}"
    migrate(url)
    engine = connect(url)
    store = SqlInbox(engine)
    inbox = GroupedInbox(store)
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(inbox.accept, [received(number % 20) for number in range(80)]))
    assert sum(answers) == 20
    assert len(store.pending(100)) == 20
    engine.dispose()
