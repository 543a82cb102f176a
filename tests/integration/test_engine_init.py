"""The container's first process: nothing of the workload gets at its output, or runs in its place."""

from collections.abc import Callable

import pytest

from sandbox.archive import pack
from sandbox.engine import DockerEngine
from sandbox.spec import MIB, File, Limits, RunResult, RunSpec, Tree, Verdict

pytestmark = pytest.mark.engine

LIMITS = Limits(wall_seconds=30, memory=64 * MIB, tree=16 * MIB, scratch=16 * MIB, results=1 * MIB)
KEEP = "mkdir -p /regreen/results; echo kept >/regreen/results/x;"
Run = Callable[..., RunResult]


@pytest.fixture
def run(engine: DockerEngine, base_image: str, run_label: Callable[[], str]) -> Run:
    def run(*command: str, tree: Tree | None = None, path: str = "/usr/bin:/bin") -> RunResult:
        spec = RunSpec(run_label(), base_image, command, limits=LIMITS, environment=(("PATH", path),))
        return engine.run(spec, pack({"repo": tree or {"a": File(b"")}}))

    return run


def test_the_first_processs_output_cannot_be_opened_by_the_workload(run: Run) -> None:
    result = run(
        "sh", "-c", f"{KEEP} echo forged >/proc/1/fd/1 && echo opened; cat /proc/1/environ && echo read; ls /proc/1/fd"
    )
    assert result.results == {"x": b"kept\n"}
    assert b"opened" not in result.output
    assert b"read\n" not in result.output
    assert result.output.count(b"Permission denied") == 2 + result.output.count(b"cannot open directory")


def test_every_pipe_that_the_workload_can_find_is_its_own_output(run: Run) -> None:
    result = run("sh", "-c", "readlink /proc/[0-9]*/fd/* | grep pipe | sort -u | wc -l; readlink /proc/self/fd/2")
    count, own = result.output.split()
    # Its stderr, and the pipes between the commands above, which are three.
    assert own.startswith(b"pipe:")
    assert int(count) <= 4


def test_what_the_workload_left_running_is_dead_before_the_results_are_packed(run: Run) -> None:
    spoil = "while :; do for f in /proc/[0-9]*/fd/1; do echo forged >$f; done; echo forged >/regreen/results/x; done"
    daemons = f"for n in 1 2 3 4; do setsid sh -c '{spoil}' >/dev/null 2>&1 & done; sleep 0.2;"
    result = run("sh", "-c", f"{daemons} echo kept >/regreen/results/y; exit 3", tree={"a": File(b"")})
    assert (result.verdict, result.exit_code) == (Verdict.EXITED, 3)
    assert set(result.results) <= {"x", "y"}


def test_programs_of_the_repository_serve_the_workload_and_never_the_first_process(run: Run) -> None:
    fake = File(b'#!/bin/sh\necho $0 >>/tmp/calls\nexec /bin/${0##*/} "$@"\n', 0o100755)
    tree = {f"bin/{name}": fake for name in ("tar", "mkdir", "sh", "env", "cp", "chmod", "rm")}
    result = run("mkdir", "/regreen/results", tree=tree, path="/repo/bin:/usr/bin:/bin")
    assert result.exit_code == 0 or b"exists" in result.output
    result = run("sh", "-c", f"{KEEP} cp /tmp/calls /regreen/results/calls", tree=tree, path="/repo/bin:/usr/bin:/bin")
    assert result.results["calls"].split() == [b"/repo/bin/sh", b"/repo/bin/mkdir", b"/repo/bin/cp"]


@pytest.mark.parametrize("word", ["exit", "exec", "eval", "trap"])
def test_a_command_that_is_a_builtin_of_the_shell_does_not_run_in_the_first_process(run: Run, word: str) -> None:
    result = run(word, "0")
    assert (result.verdict, result.exit_code) == (Verdict.EXITED, 127)
