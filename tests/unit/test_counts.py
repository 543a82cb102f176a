from collections.abc import Mapping
from pathlib import Path

from fakes_store import fix_issue
from prometheus_client import CollectorRegistry, generate_latest

from bot.adapters.store import SqlInbox, SqlRuns, connect, migrate
from bot.adapters.store.queue import SqlQueue
from bot.errors import StoreError
from bot.events import Delivery
from bot.jobs import JobOutcome, State
from bot.web.counts import StoreCollector


def exposed(deliveries: Mapping[str, int] | Exception, runs: Mapping[str, int]) -> str:
    def count() -> Mapping[str, int]:
        if isinstance(deliveries, Exception):
            raise deliveries
        return deliveries

    registry = CollectorRegistry()
    registry.register(StoreCollector(count, lambda: runs))
    return generate_latest(registry).decode()


def test_what_the_store_holds_is_exposed_by_decision_and_state() -> None:
    text = exposed({"queued": 2, "ignored": 5}, {"published": 1})
    assert 'regreen_deliveries{decision="ignored"} 5.0' in text
    assert 'regreen_runs{state="published"} 1.0' in text


def test_a_store_that_does_not_answer_leaves_the_other_metrics() -> None:
    text = exposed(StoreError("locked", "wait"), {"open": 3})
    assert "regreen_deliveries{" not in text
    assert 'regreen_runs{state="open"} 3.0' in text


def test_a_job_waits_until_it_is_begun_or_has_ended(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'r.sqlite'}"
    migrate(url)
    engine = connect(url)
    runs = SqlRuns(engine, lambda: 1_000.0)
    for number in range(3):
        runs.started(f"run-{number}", fix_issue(number))
    queue = SqlQueue(engine, lambda: 1_040.0)
    assert (queue.jobs().number, queue.jobs().seconds) == (3, 40.0)
    runs.begun("run-0", "worker")
    runs.ended("run-1", JobOutcome(State.CANCELLED, "stopped"))
    assert queue.jobs().number == 1
    engine.dispose()


def test_workers_that_share_a_database_are_counted_by_state() -> None:
    registry = CollectorRegistry()
    registry.register(StoreCollector(dict, dict, lambda: {"working": 2, "lapsed": 1}))
    text = generate_latest(registry).decode()
    assert 'regreen_workers{state="working"} 2.0' in text
    assert 'regreen_workers{state="lapsed"} 1.0' in text


def test_the_tables_are_counted(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'r.sqlite'}"
    migrate(url)
    engine = connect(url)
    inbox, runs = SqlInbox(engine), SqlRuns(engine)
    for number in range(4):
        inbox.accept(Delivery(f"d{number}", "issues", b"%d" % number))
    inbox.decide("d0", "queued", "job")
    inbox.decide("d1", "no label", None)
    runs.started("a", fix_issue("d0"))
    runs.started("b", fix_issue("d1"))
    runs.ended("a", JobOutcome(State.GREEN, "green"))
    assert inbox.counts() == {"pending": 2, "queued": 1, "ignored": 1}
    assert runs.counts() == {"green": 1, "open": 1}
    engine.dispose()
