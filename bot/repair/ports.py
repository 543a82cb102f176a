"""What the loop needs from the world. Each method call is one durable step, so the loop itself never runs threads.

Every implementation passes the contract suites in `tests/contract/`.
"""

from collections.abc import Mapping
from typing import Protocol

from bot.repair.localisation.observed import Covered, Observation, Probe
from bot.repair.types import (
    Attempt,
    Base,
    Baseline,
    Completion,
    CompletionLimits,
    Message,
    Patch,
    Proposal,
    Proposed,
    Reflection,
    Screening,
    Selection,
    SourceFile,
    Task,
    Usage,
)
from sandbox.spec import TestRun

Json = Mapping[str, object]


class Model(Protocol):
    """Text in, text out."""

    @property
    def name(self) -> str:
        """The model's name, as prices and reports know it."""
        ...

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        """Answer a chat; usage is the server's, or estimated and marked so.

        Raises `ModelError` when the server is down, too slow or refuses, after the client's own retries.
        """
        ...


class Workspace(Protocol):
    """Runs patches against the base tree. State never survives from one evaluation to the next."""

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        """Run the selection once for each patch, each in a fresh container; results in the order of `patches`.

        A hang, a flood or a crash is a `TestRun` with that state, never an exception.
        Raises `WorkspaceError` when nothing could be run at all.
        """
        ...

    def screen(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[Screening, ...]:
        """Run many patches in one shared container: hints, never verdicts. Same order, same errors as `evaluate`."""
        ...

    def coverage(self, base: Base, patch: Patch, selection: Selection) -> tuple[Covered, ...]:
        """What each selected test calls with this patch, in a container of its own: hints, told by the workload.

        Costs one more run of the selection, somewhat slower. A test that called nothing of the tree is left out; a run
        that cannot be covered (pytest's and unittest's can) gives none. Same errors as `evaluate`.
        """
        ...

    def trace(self, base: Base, patch: Patch, node_id: str, probes: tuple[Probe, ...]) -> tuple[Observation, ...]:
        """Run one test with this patch and answer the probes in order: values just before a line runs, hints as well.

        An expression that raises gives `Type: message`. At most the first 10 probes are answered, each at most 10
        times; a run that cannot be traced (pytest's and unittest's can) gives none. Same errors as `evaluate`.
        """
        ...

    def read(self, base: Base, paths: tuple[str, ...]) -> tuple[SourceFile, ...]:
        """The files of the base tree at these paths; paths that are no regular file are left out."""
        ...

    def paths(self, base: Base) -> tuple[str, ...]:
        """Every regular file of the base tree, sorted."""
        ...

    def links(self, base: Base) -> tuple[tuple[str, str], ...]:
        """Every symlink of the base tree and its target as stored, sorted."""
        ...


class Clock(Protocol):
    """Time, as a recorded value."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...


class Journal(Protocol):
    """The run's log: one JSON line an event, redacted on the way in."""

    def append(self, event: str, fields: Json) -> None:
        """Write one event; its place in the log makes a second write of the same event harmless."""
        ...

    def record(self, event: str, fields: Json, payload: bytes) -> bytes:
        """The same with one value of which nothing is cut, and in which secrets are concealed already.

        Returns the value that the log holds, which an earlier execution may have written.
        """
        ...

    def conceal(self, text: str) -> str:
        """The text without this installation's own secrets; what merely looks like one stays."""
        ...

    @property
    def head(self) -> str:
        """The digest of the last event: whoever has it can tell whether the log up to there was changed."""
        ...


class Proposer(Protocol):
    """Thinks up the next candidates. Pure code over the ports that it was built with."""

    @property
    def name(self) -> str:
        """What the report calls it: a model's name, or `mutation search`."""
        ...

    def propose(self, task: Task, baseline: Baseline, history: tuple[Attempt, ...]) -> tuple[Proposed, ...]:
        """One round of candidates, or why there is none; they are evaluated together.

        No answer at all means that nothing was found yet and that asking again may help; it is no iteration. Raises
        `ModelError` when a model does not answer, `BudgetError` when there is no room to ask.
        """
        ...


class Reflector(Protocol):
    """Draws a lesson from an attempt that did not solve the task."""

    def reflect(self, task: Task, attempt: Attempt) -> tuple[Reflection, Usage]:
        """A lesson and what it cost; a model that does not answer or may not be asked yields a stated reflection."""
        ...


class Opinion(Protocol):
    """What a reviewer says of a candidate: a veto, or none."""

    @property
    def approve(self) -> bool:
        """`False` for a veto only."""
        ...

    @property
    def reason(self) -> str:
        """The reviewer's, or why there is no opinion."""
        ...


class Reviewer(Protocol):
    """Judges what tests do not show: may veto a candidate that passes, and never makes one pass."""

    def review(self, task: Task, baseline: Baseline, proposal: Proposal, before: Mapping[str, bytes]) -> Opinion:
        """An opinion; a reviewer that does not answer has none. `before` maps patched paths that exist to content."""
        ...
