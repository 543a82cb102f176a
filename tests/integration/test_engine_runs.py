"""The sandbox on a real engine: what a run gives back, and that nothing gets out or stays behind."""

import io
import tarfile
import time
from collections.abc import Callable, Iterable

import docker
import pytest

from sandbox.containers.archive import pack
from sandbox.containers.engine import DockerEngine
from sandbox.errors import EngineUnavailableError, ImageMissingError, ImageRefusedError, TreeTooLargeError
from sandbox.spec import MIB, File, Limits, RunResult, RunSpec, Verdict

pytestmark = pytest.mark.engine

SMALL = Limits(wall_seconds=30, memory=64 * MIB, tree=16 * MIB, scratch=16 * MIB, results=1 * MIB)
Run = Callable[..., RunResult]


@pytest.fixture
def run(engine: DockerEngine, base_image: str, runtime: str | None, run_label: Callable[[], str]) -> Run:
    def run(script: str, limits: Limits = SMALL, archive: Iterable[bytes] | None = None) -> RunResult:
        label = run_label()
        spec = RunSpec(label, base_image, ("sh", "-c", script), limits=limits, runtime=runtime)
        try:
            return engine.run(spec, pack({"repo": {"a/b.txt": File(b"hello")}}) if archive is None else archive)
        finally:
            assert engine.sweep("regreen.run", label) == 0

    return run


def test_gives_back_exit_code_output_and_the_collected_files(run: Run) -> None:
    result = run("cat a/b.txt; echo err >&2; mkdir -p /regreen/results/d; echo 1 >/regreen/results/d/x; exit 3")
    assert (result.verdict, result.exit_code, result.output) == (Verdict.EXITED, 3, b"helloerr\n")
    assert result.results == {"d/x": b"1\n"}


def test_runs_as_nobody_with_a_closed_stdin_and_only_its_own_directories_writable(run: Run) -> None:
    result = run(
        "id -u; wc -c; touch /repo/x /tmp/x /regreen/x || echo unwritable;"
        "for d in / /etc /usr /var /env /root; do touch $d/x 2>/dev/null && echo wrote $d; done; true"
    )
    assert result.output == b"10001\n0\n"


def test_has_no_network_no_capabilities_and_no_new_privileges(run: Run, runtime: str | None) -> None:
    result = run("cd /sys/class/net && echo *; grep -E 'CapEff|CapBnd|NoNewPrivs|Seccomp:' /proc/self/status")
    none = "0" * 16
    *said, seccomp = result.output.decode().split()
    # gVisor is itself the filter: it applies the engine's inside where it is told to (--oci-seccomp), and does not say
    # whether privileges may grow.
    grown = ["NoNewPrivs:", "1"] if runtime is None else []
    assert said == ["lo", "CapEff:", none, "CapBnd:", none, *grown, "Seccomp:"]
    assert seccomp in ({"2"} if runtime is None else {"0", "2"})


def test_a_flood_is_an_output_limit_and_both_ends_are_kept(run: Run) -> None:
    result = run("echo first; yes", Limits(output_kept=1000, output_total=2 * MIB))
    assert (result.verdict, result.exit_code, result.output_truncated) == (Verdict.OUTPUT_LIMIT, None, True)
    assert result.output.startswith(b"first\n")
    assert len(result.output) < 1100


def test_a_loop_that_ignores_sigterm_and_its_daemons_ends_at_the_deadline(run: Run) -> None:
    limits = Limits(wall_seconds=1)
    start = time.monotonic()
    result = run("trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 600' & while :; do sleep 1; done", limits)
    assert (result.verdict, result.exit_code) == (Verdict.TIMEOUT, None)
    assert time.monotonic() - start < 30


def test_a_daemon_does_not_outlive_the_command(run: Run) -> None:
    start = time.monotonic()
    assert run("setsid sleep 600 & exit 0").verdict is Verdict.EXITED
    assert time.monotonic() - start < 30


def test_a_memory_bomb_is_oom(run: Run) -> None:
    assert run("head -c 900m /dev/zero | tail").verdict is Verdict.OOM


def test_a_disk_fill_ends_at_the_size_of_the_mount(run: Run) -> None:
    result = run("head -c 900m /dev/zero >/tmp/x; wc -c </tmp/x; rm /tmp/x")
    assert int(result.output.split()[-1]) <= SMALL.scratch


def test_too_large_results_are_a_result_limit(run: Run) -> None:
    result = run("head -c 3m /dev/zero >/regreen/results/x")
    assert (result.verdict, result.results) == (Verdict.RESULT_LIMIT, {})


def test_links_and_pipes_among_the_results_are_left_out(run: Run) -> None:
    result = run("cd /regreen/results; ln -s /etc/passwd link; mkfifo pipe; echo 1 >real; ln real hard")
    assert set(result.results.values()) == {b"1\n"}
    assert len(result.results) == 1


def test_a_tree_that_does_not_fit_is_named_as_such(run: Run) -> None:
    with pytest.raises(TreeTooLargeError, match="does not unpack"):
        run("true", archive=pack({"repo": {"big": File(b"x" * 20 * MIB)}}))


def test_what_the_archive_raises_reaches_the_caller_and_the_container_goes(run: Run) -> None:
    def broken() -> Iterable[bytes]:
        yield b"\0" * 512
        raise RuntimeError("mid-way")

    with pytest.raises(RuntimeError, match="mid-way"):
        run("true", archive=broken())


def test_a_missing_image_and_an_unknown_runtime_are_told_apart(engine: DockerEngine, base_image: str) -> None:
    with pytest.raises(ImageMissingError):
        engine.run(RunSpec("t", "regreen-nowhere:1", ("true",)), ())
    with pytest.raises(EngineUnavailableError, match="nowhere"):
        engine.run(RunSpec("t", base_image, ("true",), runtime="nowhere"), ())


def test_an_engine_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(EngineUnavailableError, match="does not answer"):
        DockerEngine("unix:///nowhere/docker.sock").ping()


def test_says_what_the_engine_is(engine: DockerEngine) -> None:
    facts = engine.ping()
    assert facts.version
    assert tuple(map(int, facts.api_version.split("."))) >= (1, 41)
    assert "runc" in facts.runtimes


def test_a_layer_is_seen_by_a_run_and_can_be_removed(
    engine: DockerEngine, base_image: str, run_label: Callable[[], str]
) -> None:
    archive = io.BytesIO(b"".join(pack({"env": {"bin/hello": File(b"#!/bin/sh\necho hello\n", 0o100755)}})))
    reference = f"regreen-test-layer:{run_label()}"
    try:
        made = engine.layer(base_image, archive, reference, {"regreen.test": "1"})
        assert engine.image(reference) == made
        result = engine.run(RunSpec(run_label(), reference, ("/env/bin/hello",)), pack({}))
        assert result.output == b"hello\n"
    finally:
        engine.remove_image(reference)
    assert engine.image(reference) is None
    engine.remove_image(reference)


def test_a_compressed_layer_is_refused_before_the_engine_sees_it(engine: DockerEngine, base_image: str) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz"):
        pass
    buffer.seek(0)
    with pytest.raises(ValueError, match="uncompressed"):
        engine.layer(base_image, buffer, "regreen-test-layer:xz", {})


def test_an_image_with_a_volume_is_refused_and_no_container_is_made(
    engine: DockerEngine, base_image: str, docker_host: str, run_label: Callable[[], str]
) -> None:
    label, reference = run_label(), f"regreen-test-volume:{run_label()}"
    client = docker.APIClient(docker_host)
    try:
        made = client.create_container(base_image, "true", labels={"regreen.run": label}, volumes=["/data"])["Id"]
        client.commit(made, repository="regreen-test-volume", tag=reference.rpartition(":")[2])
        assert engine.sweep("regreen.run", label) == 1
        with pytest.raises(ImageRefusedError, match="/data"):
            engine.run(RunSpec(label, reference, ("true",)), pack({}))
        assert engine.sweep("regreen.run", label) == 0
    finally:
        engine.remove_image(reference)
        client.close()
