"""What a run may do beyond computing: nothing, by any way into the kernel that it has."""

import pytest
from attacks_inside import Attack, came_through, told

from sandbox.spec import RunResult, Verdict

pytestmark = pytest.mark.engine

# That the 32-bit entry works shows that what goes through it is refused by the filter; gVisor has none.
CONTROL = {"int80 getpid"}


def refused(result: RunResult, least: int) -> None:
    """Every attempt was made, the last one included, and none came through."""
    assert (result.verdict, result.exit_code) == (Verdict.EXITED, 0)
    assert "end" in told(result)
    assert len(told(result)) >= least
    assert came_through(result).keys() <= CONTROL


@pytest.mark.attack(11, "engine, devices, mounts, privileges")
def test_neither_the_engine_nor_devices_mounts_or_other_users_are_reached(attack: Attack) -> None:
    refused(attack("privileges"), 64)


@pytest.mark.attack(13, "kernel interfaces")
def test_sockets_rings_keys_and_probes_of_the_kernel_are_refused(attack: Attack) -> None:
    refused(attack("kernel"), 200)


@pytest.mark.attack(12, "first process")
def test_results_cannot_be_forged_through_the_first_process(attack: Attack, runtime: str | None) -> None:
    result = attack("first_process")
    # gVisor opens its descriptors for the same user; what is written there counts for nothing
    writable = {f"fd {number}" for number in (0, 1, 2)} | {"task fd 1", "fds", "environ", "exe"} if runtime else set()
    assert "end" in told(result)
    assert came_through(result).keys() <= writable
    assert result.results in ({"x": b"kept"}, {})
    if runtime is None:
        assert (result.verdict, result.exit_code) == (Verdict.EXITED, 0)
        assert result.results == {"x": b"kept"}


@pytest.mark.attack(12, "first process")
@pytest.mark.parametrize("signal", ["SIGTERM", "SIGHUP", "SIGINT", "SIGSTOP", "SIGKILL", "SIGSEGV", "SIGUSR1"])
def test_a_signal_to_the_first_process_ends_in_a_verdict_and_forges_nothing(attack: Attack, signal: str) -> None:
    result = attack("first_process", signal, wall_seconds=10)
    assert result.verdict in {Verdict.EXITED, Verdict.TIMEOUT, Verdict.RESULT_LIMIT}
    assert result.results in ({"x": b"kept"}, {})
