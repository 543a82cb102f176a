"""What a run may do beyond computing: nothing, by any way into the kernel that it has."""

import pytest
from attacks_inside import Attack, came_through, told

from sandbox.spec import RunResult, Verdict

pytestmark = pytest.mark.engine

# That the 32-bit entry works shows that what goes through it is refused by the filter; gVisor has none.
CONTROL = {"int80 getpid"}
# gVisor's kernel has its own of these, which reach no further than the container that it is.
EMULATED = {
    *(f"unshare {name}" for name in ("user", "mount", "cgroup", "time", "user and net")), "clone user",
    *(f"device{to} /dev/{name}" for to in ("", " to write") for name in ("fuse", "net/tun")),
    "oom_score_adj", "oom_score_adj of the first process", "nice", "nice of the first process", "syslog",
    "io_uring_setup", "mbind", "as its root: packet",
}  # fmt: skip


def refused(result: RunResult, least: int, runtime: str | None) -> None:
    """Every attempt was made, the last one included, and none came through."""
    assert (result.verdict, result.exit_code) == (Verdict.EXITED, 0)
    assert "end" in told(result)
    assert len(told(result)) >= least
    through = came_through(result).keys() - CONTROL
    assert through <= (EMULATED if runtime else set())


@pytest.mark.attack(11, "engine, devices, mounts, privileges")
def test_neither_the_engine_nor_devices_mounts_or_other_users_are_reached(attack: Attack, runtime: str | None) -> None:
    refused(attack("privileges"), 75, runtime)


@pytest.mark.attack(13, "kernel interfaces")
def test_sockets_rings_keys_and_probes_of_the_kernel_are_refused(attack: Attack, runtime: str | None) -> None:
    result = attack("kernel")
    refused(result, 200, runtime)
    assert runtime or not CONTROL - came_through(result).keys()


@pytest.mark.attack(12, "first process")
def test_results_cannot_be_forged_through_the_first_process(attack: Attack, runtime: str | None) -> None:
    result = attack("first_process")
    # gVisor opens its descriptors for the same user; what is written there makes the run one that proves nothing
    writable = {f"fd {number}" for number in (0, 1, 2)} | {"task fd 1", "fds", "environ", "exe"} if runtime else set()
    assert "end" in told(result)
    assert came_through(result).keys() <= writable
    expected = {"x": b"kept"} if runtime is None else {}
    assert (result.verdict, result.results) == (Verdict.FORGED if runtime else Verdict.EXITED, expected)


@pytest.mark.attack(12, "first process")
@pytest.mark.parametrize("signal", ["SIGTERM", "SIGHUP", "SIGINT", "SIGSTOP", "SIGKILL", "SIGSEGV", "SIGUSR1"])
def test_a_signal_to_the_first_process_ends_in_a_verdict_and_forges_nothing(attack: Attack, signal: str) -> None:
    result = attack("first_process", signal, wall_seconds=4)
    assert result.verdict in {Verdict.EXITED, Verdict.TIMEOUT, Verdict.FORGED}
    assert result.results in ({"x": b"kept"}, {})
