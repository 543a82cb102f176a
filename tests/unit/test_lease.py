"""For how long a worker goes on without word from the database."""

from fakes_store import FakeTime

from bot.engine.lease import HELD, Lease


def begun(clock: FakeTime) -> Lease:
    lease = Lease(60.0, clock)
    lease.renew(clock())
    return lease


def test_it_is_over_long_before_others_may_take_the_jobs() -> None:
    clock = FakeTime(100.0)
    lease = begun(clock)
    clock.seconds += 60.0 * HELD - 1
    assert lease.held
    clock.seconds += 1
    assert not lease.held


def test_a_beat_counts_from_before_it_was_sent() -> None:
    clock = FakeTime(100.0)
    lease = begun(clock)
    since = clock()
    clock.seconds += 20.0
    lease.renew(since)
    clock.seconds += 10.0
    assert not lease.held


def test_beats_keep_it() -> None:
    clock = FakeTime(100.0)
    lease = begun(clock)
    for _ in range(50):
        clock.seconds += 10.0
        lease.renew(clock())
        assert lease.held


def test_once_over_no_beat_brings_it_back() -> None:
    clock = FakeTime(100.0)
    lease = begun(clock)
    clock.seconds += 40.0
    assert not lease.held
    lease.renew(clock())
    assert not lease.held


def test_it_begins_with_the_first_beat_however_long_a_start_takes() -> None:
    clock = FakeTime(100.0)
    lease = Lease(60.0, clock)
    clock.seconds += 1_000.0
    assert lease.held
    lease.renew(clock())
    clock.seconds += 31.0
    assert not lease.held


def test_the_databases_word_ends_it() -> None:
    lease = begun(FakeTime(100.0))
    lease.end()
    assert not lease.held


def test_without_others_it_lasts() -> None:
    clock = FakeTime(0.0)
    lease = Lease(now=clock)
    clock.seconds = 1e12
    assert lease.held
