"""Attack 25, in containers: what a run leaves among its results, and an install in its environment."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from attacks_inside import ENVIRONMENT, Attack, came_through, program_tree

from sandbox.containers.archive import MAX_MEMBERS, pack
from sandbox.containers.engine import DockerEngine
from sandbox.environments.sieve import Sieve
from sandbox.errors import InstallFailedError
from sandbox.network.egress import EgressProxy
from sandbox.spec import MIB, Limits, Phase, RunSpec, Verdict

pytestmark = [pytest.mark.attack(25, "archives among the results"), pytest.mark.engine]
ONCE = pytest.mark.parametrize("runtime", [None], indirect=True, ids=["runc"])
"""For what is the host's doing alone."""


def test_of_every_kind_of_file_only_regular_ones_come_back(attack: Attack) -> None:
    result = attack("leavings", "kinds")
    assert {"symlink", "hard link", "fifo"} <= came_through(result).keys()
    assert result.verdict is Verdict.EXITED
    # of two hard links tar writes one as a link, whichever it meets second
    assert result.results.keys() <= {"good", "hard", "setuid"}
    assert {result.results.get("good"), result.results.get("hard")} == {b"good", None}
    assert result.results["setuid"] == b"x"


def test_odd_names_come_back_as_data_and_none_climbs(attack: Attack) -> None:
    result = attack("leavings", "names")
    assert result.verdict is Verdict.EXITED
    assert result.results["good"] == b"good"
    assert "new\nline" in result.results
    for name in result.results:
        assert not name.startswith("/")
        assert ".." not in name.split("/")
        assert len(name) <= 1024
        assert "\0" not in name


@ONCE
def test_of_more_files_than_anybody_needs_ten_thousand_come_back(attack: Attack) -> None:
    result = attack("leavings", "many", "/regreen/results", "12000", inodes=30_000, results=32 * MIB, memory=256 * MIB)
    assert result.verdict is Verdict.EXITED
    assert MAX_MEMBERS - 2 <= len(result.results) <= MAX_MEMBERS


@ONCE
def test_a_sparse_file_is_cut_off_at_the_limit_on_results(attack: Attack) -> None:
    assert attack("leavings", "sparse").verdict is Verdict.RESULT_LIMIT


@ONCE
def test_a_file_that_claims_a_terabyte_cannot_be_made_or_is_cut_off(attack: Attack) -> None:
    result = attack("leavings", "terabyte")
    assert "truncate" not in came_through(result)
    assert result.verdict is Verdict.EXITED or not result.results


def test_a_directory_of_results_that_became_a_link_to_everything_gives_no_more_than_the_limit(attack: Attack) -> None:
    result = attack("leavings", "moved")
    assert came_through(result).keys() == {"link"}
    assert result.verdict in {Verdict.RESULT_LIMIT, Verdict.EXITED}
    assert sum(map(len, result.results.values())) <= MIB


@ONCE
def test_bombs_that_are_unpacked_inside_fill_only_their_own_memory(attack: Attack) -> None:
    result = attack("leavings", "bombs", memory=192 * MIB)
    assert came_through(result) == {}
    assert (result.verdict, result.results) == (Verdict.EXITED, {"good": b"good"})


Leave = Callable[[str], Sieve]


@pytest.fixture
def leave(
    engine: DockerEngine, base_image: str, runtime: str | None, run_label: Callable[[], str], tmp_path: Path
) -> Leave:
    """Leaves something in an install's environment, by a shell command there; gives what the host makes of it."""

    def leave(command: str) -> Sieve:
        limits = Limits(
            wall_seconds=60, memory=128 * MIB, pids=128, tree=4 * MIB, scratch=4 * MIB, results=2 * MIB, inodes=2000
        )
        spec = RunSpec(
            run_label(), base_image, ("sh", "-c", command), Phase.INSTALL, limits,
            environment=ENVIRONMENT, runtime=runtime, collect="/env",
        )  # fmt: skip
        sieve = Sieve(io.BytesIO(), limits)
        with EgressProxy(tmp_path, ()):
            result = engine.install(spec, pack({"repo": program_tree()}), proxy_dir=tmp_path, sink=sieve)
        assert result.verdict in {Verdict.EXITED, Verdict.RESULT_LIMIT}
        return sieve

    return leave


@ONCE
@pytest.mark.parametrize(
    "command",
    [
        "mkfifo /env/x",
        "ln -s /etc/passwd /env/x",
        "ln -s ../../etc/passwd /env/x",
        "ln -s /proxy/egress.sock /env/x",
        "ln -s / /env/x",
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"/env/x\")' && tar -cf /dev/null /env",
        "head -c 3000000 /dev/zero >/env/x",
        "truncate -s 3M /env/x",
        "mkfifo /env/a; for i in $(seq 3000); do : >/env/$i; done",
    ],
)
def test_an_environment_that_holds_what_none_may_becomes_no_image(leave: Leave, command: str) -> None:
    sieve = leave(command)
    try:
        sieve.finish()
    except InstallFailedError as error:
        assert "The environment holds" in error.cause  # noqa: PT017 - a socket is left out by tar itself
    else:
        assert "AF_UNIX" in command
        assert sieve.occupied < MIB
