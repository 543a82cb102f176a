"""What a run may use up: processes, memory, disk, output."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from attacks_inside import FEW_PIDS, SMALL, Attack, came_through, told

from sandbox.spec import MIB, Verdict

pytestmark = pytest.mark.engine

GVISOR_ENDED = 2
GVISOR_TRIES = 3
KILLED = 137


@pytest.mark.attack(1, "fork bomb")
def test_a_fork_bomb_ends_at_the_deadline_while_another_run_is_served(attack: Attack, runtime: str | None) -> None:
    with ThreadPoolExecutor(1) as pool:
        bomb = pool.submit(attack, "fork_bomb", "all", wall_seconds=3)
        neighbours = []
        while not bomb.done():
            neighbours.append(attack("quiet"))
    ended = bomb.result()
    if runtime and ended.verdict is Verdict.EXITED:
        # gVisor's own threads count among the processes: where they are too many it ends, and the run with it.
        assert (ended.exit_code, dict(ended.results)) == (GVISOR_ENDED, {})
    else:
        # On gVisor the memory may end first.
        assert ended.verdict in {Verdict.TIMEOUT, Verdict.OOM}
    assert neighbours
    assert {(one.verdict, one.exit_code) for one in neighbours} == {(Verdict.EXITED, 0)}


@pytest.mark.attack(1, "fork bomb")
def test_processes_are_counted(attack: Attack, runtime: str | None) -> None:
    result = attack("fork_bomb", "count", pids=FEW_PIDS)
    forks = int(told(result).get("forks", (False, "0"))[1])
    assert result.verdict is Verdict.EXITED
    assert forks < FEW_PIDS
    assert forks or runtime


@pytest.mark.attack(2, "memory bomb")
@pytest.mark.parametrize("kind", ["heap", "shared", "memory_file", "tmpfs", "shm", "processes", "sockets", "locked"])
def test_a_memory_bomb_is_oom(attack: Attack, runtime: str | None, kind: str) -> None:
    for _ in range(GVISOR_TRIES if runtime else 1):
        result = attack("memory_bomb", kind, memory=48 * MIB)
        if result.verdict is Verdict.OOM:
            return
        # The kernel kills gVisor itself; now and then its container is gone before the engine has seen why.
        assert runtime
        assert (result.verdict, result.exit_code, dict(result.results)) == (Verdict.EXITED, KILLED, {})
    pytest.fail("the engine never said that the memory ended")


@pytest.mark.attack(3, "disk and inode fill")
def test_data_fills_only_sized_memory(attack: Attack) -> None:
    result = attack("fill", "data", memory=160 * MIB)
    filled = {place: int(size) for place, size in came_through(result).items()}
    assert result.verdict is Verdict.EXITED
    assert {"/repo", "/tmp"} <= filled.keys()  # noqa: S108 (the container's)
    assert not [place for place in filled if place.startswith("root ")]
    assert sum(filled.values()) <= SMALL.tree + 2 * SMALL.scratch + 64 * MIB


@pytest.mark.attack(3, "disk and inode fill")
def test_names_run_out_or_are_charged_as_memory(attack: Attack) -> None:
    result = attack("fill", "names", "200000", memory=64 * MIB, wall_seconds=20)
    made = [int(count) for place, count in came_through(result).items() if not place.startswith("root ")]
    counted = bool(made) and sum(made) <= 5 * SMALL.inodes
    # gVisor counts no inodes; there the sentry's memory, which is the container's, holds them
    assert counted or result.verdict in {Verdict.OOM, Verdict.TIMEOUT}


@pytest.mark.attack(4, "output flood")
@pytest.mark.parametrize("where", ["1", "2", "/proc/1/fd/1", "/proc/1/fd/2"])
def test_a_flood_ends_about_as_soon_as_a_quiet_run(attack: Attack, where: str) -> None:
    start = time.monotonic()
    attack("quiet")
    quiet = time.monotonic() - start
    start = time.monotonic()
    result = attack("flood", where)
    assert result.verdict in {Verdict.OUTPUT_LIMIT, Verdict.RESULT_LIMIT, Verdict.FORGED}
    assert time.monotonic() - start < 10 * quiet
