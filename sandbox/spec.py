"""The sandbox's vocabulary: frozen values over the standard library, no behaviour worth a test of its own.

Sizes are bytes, durations seconds, paths relative POSIX paths inside the tree.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

MIB = 1 << 20


class Phase(StrEnum):
    """What a container may do: only `INSTALL` sees the egress proxy, neither sees a network."""

    INSTALL = "install"
    TEST = "test"


class Verdict(StrEnum):
    """How a container ended, as the engine saw it; never read from the workload's output.

    `FORGED`: it ended by itself, but somebody wrote to where only the first process writes, so there are no results.
    """

    EXITED = "exited"
    TIMEOUT = "timeout"
    OUTPUT_LIMIT = "output_limit"
    RESULT_LIMIT = "result_limit"
    OOM = "oom"
    FORGED = "forged"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one container may use. `memory` is the cgroup's limit; the tmpfs sizes come on top of it.

    `cache` is the install phase's alone: the size of a package cache's mount, 0 for none.
    """

    wall_seconds: float = 600.0
    memory: int = 1024 * MIB
    cpus: float = 2.0
    pids: int = 512
    tree: int = 512 * MIB
    scratch: int = 256 * MIB
    inodes: int = 200_000
    output_kept: int = 1 * MIB
    output_total: int = 32 * MIB
    results: int = 16 * MIB
    cache: int = 0


@dataclass(frozen=True, slots=True)
class RunSpec:
    """One container: `command` runs in /repo as uid 10001, stdin closed, after the trees were unpacked.

    `command` and the values of `environment` hold anything but NUL; a variable's name is an identifier.
    `run_id` labels everything that the engine creates, so that a reaper finds it.
    `runtime` is any OCI runtime that the daemon knows, `None` its default.
    `collect` is the directory whose regular files come back as `RunResult.results`.
    """

    run_id: str
    image: str
    command: tuple[str, ...]
    phase: Phase = Phase.TEST
    limits: Limits = field(default_factory=Limits)
    environment: tuple[tuple[str, str], ...] = ()
    runtime: str | None = None
    collect: str = "/regreen/results"


@dataclass(frozen=True, slots=True)
class RunResult:
    """How one container ended.

    `exit_code` is the daemon's, `None` when the run was killed; `output` holds stdout and stderr interleaved, the
    first and the last half of `Limits.output_kept`; `results` maps names below `RunSpec.collect` to their bytes.
    """

    verdict: Verdict
    exit_code: int | None
    output: bytes
    output_truncated: bool
    results: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class File:
    """One file of a tree. `mode` is git's: 0o100644, 0o100755, or 0o120000 for a symlink whose target is `data`."""

    data: bytes
    mode: int = 0o100644


Tree = Mapping[str, File]
"""A whole source tree in memory: relative POSIX path → file. Bounded by whoever reads it."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to set up and test a repository.

    `install` are argv lines run in the install phase in /repo with /env/bin first on PATH; `test_command` is the
    argv of the whole suite, without node ids. `source` names the file and line it was read from, `inputs` the
    paths whose content decides the environment (lock files, manifests), `confidence` is in [0, 1].

    `ecosystem` says how tests are started and their results read; `toolchain` which base image has what both take:
    "python", "node" or "go". `closing_line` is what a plain script of assertions prints last when it passed, for the
    ecosystem `script`; `junit` the glob, below /repo, of the XML files that the command writes, for `junit`.
    `environment` are variables for both phases, `hosts` what the install phase may reach beside the registries,
    `unmet` what the repository asks for and gets nowhere here, a sentence each. `origins` says for each install step,
    and last for the test command, where it was read: `file:line`, or what decided it.
    """

    ecosystem: str
    install: tuple[tuple[str, ...], ...]
    test_command: tuple[str, ...]
    source: str
    inputs: tuple[str, ...] = ()
    confidence: float = 1.0
    closing_line: str | None = None
    toolchain: str = "python"
    junit: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    hosts: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """What somebody decided about a repository's set-up, as the policy file of its default branch; empty: find out.

    `setup` are argv lines that replace the detected ones, `test_command` the whole suite's argv, `junit` the glob of
    the XML files that it writes, `hosts` what the install phase may reach beside the registries. `source` says who
    decided, `command_source` who decided the command where that is somebody else.
    """

    test_command: tuple[str, ...] = ()
    setup: tuple[tuple[str, ...], ...] = ()
    junit: str = ""
    hosts: tuple[str, ...] = ()
    source: str = "given"
    command_source: str = ""

    @property
    def command_origin(self) -> str:
        """Who decided the test command."""
        return self.command_source or self.source


@dataclass(frozen=True, slots=True)
class Egress:
    """What the install phase asked of its proxy: a host, the answer, why, and how often that was asked and answered."""

    host: str
    port: int
    allowed: bool
    reason: str
    count: int = 1


class Outcome(StrEnum):
    """What became of one test."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"

    @property
    def red(self) -> bool:
        """Whether this outcome turns a suite red."""
        return self in {Outcome.FAILED, Outcome.ERROR}


@dataclass(frozen=True, slots=True)
class Frame:
    """One traceback frame inside the repository; `line` counts from 1.

    `locals` are names and short texts of some of its variables, where the reporter tells them.
    """

    path: str
    line: int
    function: str
    locals: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TestResult:
    """One test as our plugin reported it. `phase` is collect, setup, call or teardown; texts are capped."""

    __test__ = False

    node_id: str
    outcome: Outcome
    phase: str = "call"
    seconds: float = 0.0
    exception: str = ""
    message: str = ""
    frames: tuple[Frame, ...] = ()


class RunState(StrEnum):
    """Whether a test run may be believed; everything but `COMPLETE` is invalid, not a failure."""

    COMPLETE = "complete"
    NO_TESTS = "no_tests"
    COLLECTION_FAILED = "collection_failed"
    NO_RESULTS = "no_results"
    INCONSISTENT = "inconsistent"
    TIMEOUT = "timeout"
    OUTPUT_LIMIT = "output_limit"
    OOM = "oom"
    UNBUILT = "unbuilt"


@dataclass(frozen=True, slots=True)
class TestRun:
    """One run of a suite or of a selection, cross-checked against exit code and collected count.

    `seed` is that of the random order in which the tests ran, `None` for the runner's own order.
    """

    __test__ = False

    state: RunState
    results: tuple[TestResult, ...] = ()
    collected: int = 0
    exit_code: int | None = None
    output: str = ""
    seconds: float = 0.0
    seed: int | None = None

    @property
    def outcomes(self) -> dict[str, Outcome]:
        """Node id → outcome."""
        return {result.node_id: result.outcome for result in self.results}

    @property
    def red(self) -> tuple[TestResult, ...]:
        """The results that failed or erred."""
        return tuple(result for result in self.results if result.outcome.red)
