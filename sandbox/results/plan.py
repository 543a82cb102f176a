"""What a run of tests needs in the container, and what each of its endings means."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from sandbox.spec import RunResult, RunState, TestRun, Tree, Verdict

MOUNT = "regreen"

_STATES: Mapping[Verdict, RunState] = MappingProxyType(
    {
        Verdict.TIMEOUT: RunState.TIMEOUT,
        Verdict.OUTPUT_LIMIT: RunState.OUTPUT_LIMIT,
        Verdict.RESULT_LIMIT: RunState.INCONSISTENT,
        Verdict.OOM: RunState.OOM,
        Verdict.FORGED: RunState.INCONSISTENT,
    }
)


@dataclass(frozen=True, slots=True)
class Plan:
    """The command to run in /repo, and the files that it needs below /regreen."""

    command: tuple[str, ...]
    tree: Tree = field(default_factory=lambda: MappingProxyType({}))


def text(output: bytes) -> str:
    """A container's output as text that any store takes: invalid UTF-8 replaced, no NUL."""
    return output.decode("utf-8", "replace").replace("\0", "�")


def ended_early(result: RunResult) -> TestRun | None:
    """The run of a container that did not end by itself; `None` when it did."""
    state = _STATES.get(result.verdict)
    return None if state is None else unproven(state, result)


def unproven(state: RunState, result: RunResult) -> TestRun:
    """A run without results that could be believed."""
    return TestRun(state, exit_code=result.exit_code, output=text(result.output), seconds=result.seconds)
