"""What goes on when a run should be over."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from attacks_inside import Attack, processes
from docker import APIClient

from sandbox.spec import RunResult, Verdict

pytestmark = pytest.mark.engine


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def container_of(client: APIClient, run_id: str, run: Future[RunResult]) -> str:
    """The id of a run's container once it is up."""
    while not run.done():
        found = client.containers(filters={"label": f"regreen.run={run_id}"})
        if found:
            return str(found[0]["Id"])
        time.sleep(0.02)
    pytest.fail(f"The container was never seen: {run.result()}")


@pytest.mark.attack(5, "loop that ignores signals")
def test_a_loop_that_ignores_every_signal_is_gone_soon_after_the_deadline(
    attack: Attack, client: APIClient, pool: ThreadPoolExecutor, run_label: Callable[[], str], canary: str
) -> None:
    label, deadline = run_label(), 3.0
    run = pool.submit(attack, "stubborn", canary, run_id=label, wall_seconds=deadline)
    container = container_of(client, label, run)
    result = run.result()
    assert (result.verdict, result.exit_code) == (Verdict.TIMEOUT, None)
    assert result.seconds < 2 * deadline
    assert processes(canary, container) == []


@pytest.mark.attack(6, "daemon in a session of its own")
def test_a_daemon_that_left_its_session_is_dead_when_the_run_returns(
    attack: Attack,
    client: APIClient,
    pool: ThreadPoolExecutor,
    run_label: Callable[[], str],
    runtime: str | None,
    canary: str,
) -> None:
    label = run_label()
    run = pool.submit(attack, "daemon", canary, "3", run_id=label)
    container = container_of(client, label, run)
    seen = []
    # The shim bears the container's id on either runtime; only runc's processes are the host's own.
    while not run.done() and not seen:
        seen = processes(canary) if runtime is None else processes(container)
    assert seen
    assert run.result().verdict is Verdict.EXITED
    assert processes(canary, container) == []


@pytest.mark.attack(6, "daemon in a session of its own")
def test_a_daemon_does_not_keep_its_run_from_ending(attack: Attack, canary: str) -> None:
    result = attack("daemon", canary, "0", wall_seconds=30)
    assert (result.verdict, result.exit_code) == (Verdict.EXITED, 0)
