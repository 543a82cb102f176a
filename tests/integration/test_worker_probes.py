"""A worker's own port, over real HTTP: what it answers while it starts, works, is stuck and cannot have its address."""

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs

from bot.adapters.store import SqlInbox, connect, migrate
from bot.adapters.store.queue import SqlQueue
from bot.events import Delivery
from bot.settings import Settings
from bot.web import probes
from bot.web.background import Background
from bot.web.readiness import Vitals
from bot.wiring.health import QUEUE_SECONDS, Health, disk_short, new_registry, worker_health


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sa.Engine]:
    url = f"sqlite:///{tmp_path / 'regreen.sqlite'}"
    migrate(url)
    engine = connect(url)
    yield engine
    engine.dispose()


def health_over(database: sa.Engine, tmp_path: Path, port: int = 0) -> Health:
    settings = Settings(data_dir=tmp_path, docker_host=f"unix://{tmp_path}/no.sock", worker_port=port)
    return worker_health(settings, database)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def test_a_worker_tells_check_by_check_what_it_lacks(database: sa.Engine, tmp_path: Path) -> None:
    health = health_over(database, tmp_path, free_port())
    served = health.serve()
    assert served is not None
    at = f"http://127.0.0.1:{served.port}"
    starting = httpx.get(f"{at}/readyz")
    health.vitals.away = ""
    working = httpx.get(f"{at}/readyz")
    live, metrics = httpx.get(f"{at}/healthz"), httpx.get(f"{at}/metrics").text
    served.close()
    assert starting.status_code == working.status_code == 503
    assert starting.json()["checks"]["work"] == "the worker is starting"
    checks = working.json()["checks"]
    assert {name for name, said in checks.items() if said == "ok"} == {"work", "loops", "database", "disk", "queue"}
    assert working.json()["reason"] == f"engine: {checks['engine']}"
    assert (live.status_code, live.json()) == (200, {"status": "ok", "checks": {"loops": "ok"}})
    assert 'regreen_ready{check="engine"} 0.0' in metrics
    assert 'regreen_ready{check="disk"} 1.0' in metrics
    assert "regreen_build_info{version=" in metrics


def test_a_loop_that_has_stopped_makes_a_worker_unhealthy() -> None:
    now = [0.0]
    vitals = Vitals({"dispatch": 5.0}, lambda: now[0])
    served = Background(probes.alone(lambda: {"loops": vitals.stuck()}, dict, new_registry()), "127.0.0.1", 0)
    now[0] = 6.0
    answer = httpx.get(f"http://127.0.0.1:{served.port}/healthz")
    served.close()
    assert (answer.status_code, answer.json()["status"]) == (503, "unhealthy")
    assert "dispatch has not turned for 6 s" in answer.json()["reason"]


def test_a_port_that_is_taken_is_told_of_and_keeps_no_worker_from_its_work(database: sa.Engine, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, capture_logs() as logs:
        assert health_over(database, tmp_path, taken.getsockname()[1]).serve() is None
    assert [line["event"] for line in logs] == ["probes_not_served"]
    assert "REGREEN_WORKER_PORT" in logs[0]["remedy"]


def test_without_a_port_nothing_is_answered(database: sa.Engine, tmp_path: Path) -> None:
    assert health_over(database, tmp_path).serve() is None


def test_deliveries_that_nobody_decides_show_in_time(database: sa.Engine, tmp_path: Path) -> None:
    SqlInbox(database, lambda: 1_000.0).accept(Delivery("d1", "issues", b"1"))
    SqlInbox(database, lambda: 1_300.0).accept(Delivery("d2", "issues", b"2"))
    waiting = SqlQueue(database, lambda: 1_000.0 + QUEUE_SECONDS).deliveries()
    assert (waiting.number, waiting.seconds) == (2, QUEUE_SECONDS)
    late = health_over(database, tmp_path).readiness.look()["queue"]
    assert late.startswith("2 deliveries are due, the oldest for ")


def test_a_delivery_that_was_put_off_does_not_wait_before_its_time(database: sa.Engine) -> None:
    inbox = SqlInbox(database, lambda: 1_000.0)
    inbox.accept(Delivery("d1", "issues", b"1"))
    inbox.postpone("d1", "GitHub is down", 60.0)
    assert SqlQueue(database, lambda: 1_050.0).deliveries().number == 0
    assert SqlQueue(database, lambda: 1_070.0).deliveries().seconds == 10.0


def test_a_disk_without_room_is_told_of_with_what_is_needed(tmp_path: Path) -> None:
    assert disk_short(tmp_path, 0) is None
    assert "are needed" in str(disk_short(tmp_path, 2**62))
    assert "cannot be read" in str(disk_short(tmp_path / "nowhere"))
