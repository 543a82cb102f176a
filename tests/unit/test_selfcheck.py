"""The self-check finds each limit that does not hold, and names it and nothing else."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from fakes_selfcheck import KERNEL, SOUND, ScriptedContainers, told

from sandbox.errors import EndedEarlyError, EngineUnavailableError, ImageMissingError, SandboxError, TreeTooLargeError
from sandbox.selfchecks import selfcheck
from sandbox.selfchecks.observed import Container
from sandbox.selfchecks.probes import LONGEST_SEEN, QUESTIONS
from sandbox.selfchecks.selfcheck import Probe
from sandbox.spec import MIB, RunResult, Verdict

FILLED = SOUND["mounts"]["filled"]
TRIED = SOUND["calls"]["tried"]
SEEN = SOUND["host"]["mounts"]
SHARE = {"about": "share", "cores": 0.4, "quota": None}
TMP = "/tmp"  # noqa: S108 - the container's


def check(
    changed: Mapping[str, Mapping[str, Any]] | None = None,
    results: Mapping[str, RunResult | SandboxError] | None = None,
) -> tuple[Probe, ...]:
    return selfcheck.check(ScriptedContainers(changed, results), "image:1", kernel=KERNEL)


def broken(probes: tuple[Probe, ...]) -> list[str]:
    return [probe.name for probe in probes if not probe.holds]


def test_every_limit_is_asked_for_and_a_sound_sandbox_holds_them_all() -> None:
    probes = check()
    assert [probe.name for probe in probes] == [question.name for question in QUESTIONS]
    assert broken(probes) == []
    assert all(probe.seen and not probe.remedy for probe in probes)


BROKEN: list[Any] = [
    ("network", "network", {"interfaces": ["lo", "eth0"]}),
    ("network", "network", {"reached": ["169.254.169.254 port 80"]}),
    ("read-only root", "root", {"tried": {"/": "EROFS", "/var/tmp": "done"}}),  # noqa: S108 - likewise
    ("read-only root", "root", {"read_only": False}),
    ("read-only root", "root", {"tried": {}}),
    ("writable mounts", "mounts", {"filled": FILLED | {TMP: {"bytes": 8 * MIB, "ended": ""}}}),
    ("writable mounts", "mounts", {"filled": FILLED | {TMP: {"bytes": 5 * MIB, "ended": "ENOSPC"}}}),
    ("writable mounts", "mounts", {"filled": FILLED | {"/mnt": {"bytes": 0, "ended": "ENOSPC"}}}),
    ("writable mounts", "mounts", {"filled": {path: FILLED[path] for path in FILLED if path != "/repo"}}),
    ("system calls", "calls", {"tried": TRIED | {"AF_ALG": "done"}}),
    ("system calls", "calls", {"tried": {}}),
    ("capabilities", "powers", {"capabilities": {"CapBnd": "00000000a80425fb"}}),
    ("capabilities", "powers", {"capabilities": {}}),
    ("capabilities", "powers", {"no_new_privileges": 0}),
    ("capabilities", "powers", {"become_root": "done"}),
    ("user", "powers", {"ids": [0, 10001]}),
    ("host hidden", "host", {"variables": ["PATH", "HTTPS_PROXY"]}),
    ("host hidden", "host", {"variables": ["OPENAI_BASE_URL"]}),
    ("host hidden", "host", {"mounts": [*SEEN, ["/x.sock", "/docker.sock", "tmpfs"]]}),
    ("host hidden", "host", {"mounts": [*SEEN, ["/hostetc", "/etc", "ext4"]]}),
    ("host hidden", "host", {"mounts": [*SEEN, ["/x.sock", "/", "9p"]]}),
    ("host hidden", "host", {"mounts": [*SEEN, ["/repo", "/home/someone", "ext4"]]}),
    ("host hidden", "host", {"mounts": [*SEEN, ["/repo", "/someone", "tmpfs"]]}),
    ("host hidden", "host", {"mounts": [*SEEN, ["/proc/x", "/docker.sock", "tmpfs"]]}),
    ("host hidden", "host", {"mounts": [*SEEN, ["/dev/sda", "/sda", "devtmpfs"]]}),
    ("host hidden", "host", {"mounts": [*SEEN, ["/dev/null", "/sda", "devtmpfs"]]}),
    ("host hidden", "host", {"mounts": [*SEEN, ["/dev/null", "/null", "ext4"]]}),
    ("host hidden", "host", {"mounts": [*SEEN, ["/proc/acpi", "/", "devtmpfs"]]}),
    ("host hidden", "host", {"mounts": []}),
    ("host hidden", "host", {"secrets": ["subscription"]}),
    ("host hidden", "host", {"nodes": {"/dev/null": "1:3", "/dev/sda": "brw-rw----"}}),
    ("host hidden", "host", {"nodes": {"/dev/null": "1:3", "/dev/fuse": "10:229"}}),
    ("host hidden", "host", {"nodes": {"/dev/null": "1:1"}}),
    ("host hidden", "host", {"nodes": {}}),
    ("host hidden", "host", {"nodes": {"/dev/null": "1:3", "/dev/x": "10:1"}, "kernel": "4.4.0"}),
    ("open and core files", "ceilings", {"files": 10_000}),
    ("open and core files", "ceilings", {"files": 0}),
    ("open and core files", "ceilings", {"size": -1, "larger": "done"}),
    ("open and core files", "ceilings", {"size": 65 * MIB}),
    ("open and core files", "ceilings", {"larger": "done"}),
    ("open and core files", "ceilings", {"core": -1}),
    ("first process", "first", {"traced": "done"}),
    ("first process", "first", {"memory": "done"}),
    ("processes", "pids", {"children": 256}),
    ("processes", "pids", {"children": 128}),
    ("processes", "refused", {"ended": "ENOMEM"}),
    ("processes", "refused", {"ended": "done"}),
    ("processor", "share", {"cores": 1.9}),
    ("processor", "share", {"cores": 0.0}),
    ("processor", "share", {"quota": -1.0}),
    ("processor", "share", {"quota": 0.8}),
]


@pytest.mark.parametrize(("name", "about", "fields"), BROKEN)
def test_a_limit_that_the_report_shows_broken_is_named(name: str, about: str, fields: dict[str, Any]) -> None:
    probes = check({about: fields})
    assert broken(probes) == [name]
    assert all(probe.remedy for probe in probes if not probe.holds)


@pytest.mark.parametrize(
    ("name", "container", "result"),
    [
        ("memory", Container.MEMORY, told({"about": "memory", "bytes": 300 * MIB})),
        ("memory", Container.MEMORY, told(code=1)),
        ("memory", Container.MEMORY, told({"about": "memory", "bytes": 300 * MIB}, code=137)),
        ("output", Container.FLOOD, told(verdict=Verdict.TIMEOUT, code=None)),
        ("deadline", Container.DEADLINE, told()),
        ("deadline", Container.DEADLINE, replace(told(verdict=Verdict.TIMEOUT, code=None), seconds=16.0)),
        ("memory", Container.MEMORY, TreeTooLargeError("The tree does not unpack", "Raise the limits.")),
    ],
)
def test_a_limit_that_a_container_outlived_is_named(
    name: str, container: Container, result: RunResult | SandboxError
) -> None:
    assert broken(check(results={container: result})) == [name]


def test_a_sandbox_that_dies_at_its_limit_holds_it_even_where_the_engine_does_not_say_why() -> None:
    assert broken(check(results={Container.MEMORY: told(code=137)})) == []


def forked(children: int, kernel: str, verdict: Verdict = Verdict.EXITED, code: int | None = 2) -> RunResult:
    """A container that ended while it forked, without a word of why."""
    return told(SHARE, {"about": "pids", "children": children, "kernel": kernel}, verdict=verdict, code=code)


def test_a_runtime_that_ends_where_it_can_have_no_thread_holds_the_limit_on_processes() -> None:
    assert broken(check(results={Container.PIDS: forked(12, "4.4.0")})) == []


@pytest.mark.parametrize(
    "result",
    [
        forked(12, KERNEL),
        forked(31, "4.4.0", Verdict.OOM, 137),
        forked(31, "4.4.0", Verdict.TIMEOUT, None),
        forked(31, "4.4.0", code=137),
        forked(31, "4.4.0", code=0),
        forked(128, "4.4.0"),
        told(SHARE, code=2),
        EndedEarlyError("A container was killed", "Try again."),
    ],
)
def test_any_other_early_end_says_nothing_of_the_limit_on_processes(result: RunResult | SandboxError) -> None:
    assert "processes" in broken(check(results={Container.PIDS: result}))


def test_the_devices_that_a_rootless_engine_binds_from_its_host_are_those_of_every_container() -> None:
    names = ("full", "null", "random", "tty", "urandom", "zero")
    bound = [[f"/dev/{name}", f"/{name}", "devtmpfs"] for name in names] + [["/proc/keys", "/null", "devtmpfs"]]
    assert broken(check({"host": {"mounts": [*SEEN, *bound]}})) == []


def test_devices_that_another_kernel_emulates_are_not_the_hosts() -> None:
    nodes = {"/dev/null": "1:3", "/dev/fuse": "10:229", "/dev/net/tun": "10:200"}
    assert broken(check({"host": {"nodes": nodes, "kernel": "4.4.0"}})) == []


def test_forged_results_that_came_through_are_found() -> None:
    lines = ({"about": about} | line for about, line in SOUND.items())
    forged = replace(told(*lines), results={"forged": b""})
    assert broken(check(results={Container.AROUND: forged})) == ["first process"]


@pytest.mark.parametrize("output", [b"", b"\xff\x00{", b"[1]\n17\n", b'{"about": "network"}\n', b'{"about": 1}\n'])
def test_a_container_that_says_nothing_of_use_proves_nothing(output: bytes) -> None:
    silent = RunResult(Verdict.EXITED, 1, output, output_truncated=False)
    names = [question.name for question in QUESTIONS if question.container is Container.AROUND]
    assert broken(check(results={Container.AROUND: silent})) == names


def test_what_is_seen_is_bounded() -> None:
    probes = check({"network": {"reached": ["x" * 10_000]}})
    assert max(len(probe.seen) for probe in probes) == LONGEST_SEEN


def test_calls_that_another_kernel_answers_reach_no_host() -> None:
    changed = {"calls": {"tried": TRIED | {"io_uring": "done"}, "kernel": "4.4.0"}}
    assert broken(check(changed)) == []
    unknown = selfcheck.check(ScriptedContainers(changed), "image:1")
    assert broken(unknown) == ["system calls"]


@pytest.mark.parametrize("error", [EngineUnavailableError("It is gone", "Start it."), ImageMissingError("No", "Pull.")])
def test_an_engine_that_is_gone_is_no_finding(error: SandboxError) -> None:
    with pytest.raises(type(error)):
        check(results={Container.PIDS: error})


def test_the_runtime_is_the_one_that_was_asked_for() -> None:
    runner = ScriptedContainers()
    selfcheck.check(runner, "image:1", runtime="runsc", kernel=KERNEL)
    assert {spec.runtime for spec in runner.specs.values()} == {"runsc"}
    assert {spec.image for spec in runner.specs.values()} == {"image:1"}


def test_the_digest_names_what_is_tried() -> None:
    assert selfcheck.digest() == selfcheck.digest()
    assert len(selfcheck.digest()) == 64
