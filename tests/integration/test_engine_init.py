"""The container's first process: nothing of the workload gets at its output, or runs in its place."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.containers.archive import pack, unpack
from sandbox.containers.engine import DockerEngine
from sandbox.spec import MIB, File, Limits, Phase, RunResult, RunSpec, Tree, Verdict

pytestmark = pytest.mark.engine

LIMITS = Limits(wall_seconds=30, memory=64 * MIB, tree=16 * MIB, scratch=16 * MIB, results=1 * MIB)
KEEP = "mkdir -p /regreen/results; echo kept >/regreen/results/x;"
PATH = ("PATH", "/usr/bin:/bin")
Run = Callable[..., RunResult]


@pytest.fixture
def run(engine: DockerEngine, base_image: str, runtime: str | None, run_label: Callable[[], str]) -> Run:
    def run(*command: str, tree: Tree | None = None, environment: tuple[tuple[str, str], ...] = (PATH,)) -> RunResult:
        spec = RunSpec(run_label(), base_image, command, limits=LIMITS, environment=environment, runtime=runtime)
        return engine.run(spec, pack({"repo": tree or {"a": File(b"")}}))

    return run


def test_what_the_workload_writes_to_the_first_processs_output_is_never_a_result(run: Run, runtime: str | None) -> None:
    result = run("sh", "-c", f"{KEEP} echo forged >/proc/1/fd/1 && echo opened")
    opened = b"opened" in result.output
    # The kernel of runc's containers denies it; gVisor's does not, and there the secret tells.
    assert opened == (runtime == "runsc")
    if opened:
        assert (result.verdict, dict(result.results)) == (Verdict.FORGED, {})
    else:
        assert (result.verdict, result.results) == (Verdict.EXITED, {"x": b"kept\n"})


def test_a_whole_forged_answer_with_a_guessed_secret_is_forged(run: Run, runtime: str | None) -> None:
    forge = "cd /tmp; echo forged >x; head -c 32 /dev/zero | od -An -tx1 | tr -d ' \\n' >out; tar -cf - x >>out;"
    result = run("sh", "-c", f"{forge} {KEEP} cat out >/proc/1/fd/1; kill -9 1; exit 0")
    if runtime is None:
        assert (result.verdict, result.results) == (Verdict.EXITED, {"x": b"kept\n"})
    else:
        assert (result.verdict, dict(result.results)) == (Verdict.FORGED, {})


def test_the_secret_is_nowhere_that_the_workload_can_read(run: Run) -> None:
    files = "/proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/1/fd/0 /proc/1/mem"
    script = f"for f in {files}; do timeout 2 cat $f; done 2>&1; find /regreen /tmp /repo -type f -exec cat {{}} +; env"
    result = run("sh", "-c", f"({script}) | tr '\\0' '\\n' | grep -cE '[0-9a-f]{{64}}'")
    assert (result.output, result.exit_code) == (b"0\n", 1)


def test_the_first_processs_memory_cannot_be_read_or_traced(run: Run) -> None:
    script = (
        "import ctypes\n"
        "try: open('/proc/1/mem', 'rb'); print('opened')\n"
        "except PermissionError: print('denied')\n"
        "libc = ctypes.CDLL(None)\n"
        "print(libc.ptrace(16, 1, 0, 0), libc.ptrace(0x4206, 1, 0, 0), libc.process_vm_readv(1, 0, 0, 0, 0, 1))"
    )
    assert run("python3", "-c", script).output == b"denied\n-1 -1 -1\n"


def test_every_pipe_that_the_workload_can_find_is_its_own_output(run: Run, runtime: str | None) -> None:
    if runtime == "runsc":
        pytest.skip("gVisor shows the first process's descriptors: the secret is what counts there")
    result = run("sh", "-c", "readlink /proc/[0-9]*/fd/* | grep pipe | sort -u | wc -l; readlink /proc/self/fd/2")
    count, own = result.output.split()
    # Its stderr, and the pipes between the commands above, which are three.
    assert own.startswith(b"pipe:")
    assert int(count) <= 4


def test_what_the_workload_left_running_is_dead_before_the_results_are_packed(run: Run) -> None:
    spoil = "while :; do for f in /proc/[0-9]*/fd/1; do echo forged >$f; done; echo forged >/regreen/results/x; done"
    daemons = f"for n in 1 2 3 4; do setsid sh -c '{spoil}' >/dev/null 2>&1 & done; sleep 0.2;"
    result = run("sh", "-c", f"{daemons} echo kept >/regreen/results/y; exit 3")
    assert result.exit_code == 3
    assert result.verdict in {Verdict.EXITED, Verdict.FORGED}
    assert set(result.results) <= {"x", "y"}


def test_processes_that_run_from_the_kill_are_dead_before_the_secret_is_said(run: Run) -> None:
    runner = (
        "import os, time\nwhile True:\n if os.fork(): os._exit(0)\n"
        " open('/regreen/results/late', 'w').write('x'); time.sleep(0.05)"
    )
    start = f'for n in 1 2 3; do setsid python3 -c "{runner}" & done; sleep 1;'
    result = run("sh", "-c", f"{start} exit 5")
    assert (result.verdict, result.exit_code) == (Verdict.EXITED, 5)
    assert set(result.results) == {"late"}


def test_programs_of_the_repository_serve_the_workload_and_never_the_first_process(run: Run) -> None:
    fake = File(b'#!/bin/sh\necho $0 >>/tmp/calls\nexec /bin/${0##*/} "$@"\n', 0o100755)
    tree = {f"bin/{name}": fake for name in ("tar", "mkdir", "sh", "env", "cp", "chmod", "rm", "xargs")}
    path = (("PATH", "/repo/bin:/usr/bin:/bin"),)
    result = run("mkdir", "/regreen/results", tree=tree, environment=path)
    assert result.exit_code == 0 or b"exists" in result.output
    result = run("sh", "-c", f"{KEEP} cp /tmp/calls /regreen/results/calls", tree=tree, environment=path)
    assert result.results["calls"].split() == [b"/repo/bin/sh", b"/repo/bin/mkdir", b"/repo/bin/cp"]


def test_variables_of_the_run_reach_the_workload_and_never_the_first_process(run: Run) -> None:
    hostile = (PATH, ("TAR_OPTIONS", "--nonsense"), ("LD_DEBUG", "files"), ("secret", "x"), ("workload", "y"))
    result = run("sh", "-c", f"unset LD_DEBUG; {KEEP} env >/regreen/results/env", environment=hostile)
    assert result.verdict is Verdict.EXITED
    assert {b"TAR_OPTIONS=--nonsense", b"secret=x", b"workload=y"} <= set(result.results["env"].splitlines())


@pytest.mark.parametrize("word", ["exit", "exec", "eval", "trap", "A=b", "-c", "if"])
def test_a_command_that_the_shell_would_read_as_its_own_does_not_run_in_the_first_process(run: Run, word: str) -> None:
    result = run(word, "0")
    assert (result.verdict, result.exit_code) == (Verdict.EXITED, 127)


def test_any_argv_and_any_value_arrive_exactly(run: Run) -> None:
    every = "".join(map(chr, range(1, 128))) + "\udc80\udc81\udc88\udcff" + "\u00e4\u20ac"
    words = ("", " ", "'", "''\"'\"", "$HOME `id` \\", "a\n\nb\n", "-n", "*", "x" * 100_000, every)
    show = "import os, sys; print(ascii([os.environ['V'], *sys.argv[1:]]))"
    result = run("python3", "-c", show, *words, environment=(PATH, ("V", every)))
    assert result.output.decode().strip() == ascii([every, *words])


def test_an_install_gives_its_environment_and_nothing_that_was_forged(
    engine: DockerEngine, base_image: str, runtime: str | None, run_label: Callable[[], str], tmp_path: Path
) -> None:
    def install(script: str) -> tuple[Verdict, int | None, bytes]:
        spec = RunSpec(run_label(), base_image, ("sh", "-c", script), Phase.INSTALL, LIMITS, (PATH,), runtime, "/env")
        sink = io.BytesIO()
        result = engine.install(spec, pack({"repo": {"a": File(b"")}}), proxy_dir=tmp_path, sink=sink)
        return result.verdict, result.exit_code, sink.getvalue()

    verdict, code, tar = install("mkdir /env/bin; echo made >/env/bin/x; touch /proxy/y || exit 4")
    assert (verdict, code, unpack(tar, MIB)) == (Verdict.EXITED, 4, {"bin/x": b"made\n"})
    verdict, code, tar = install("echo forged >/proc/1/fd/1; exit 0")
    assert (verdict, code) == (Verdict.EXITED if runtime is None else Verdict.FORGED, 0)
