"""What a workspace can tell of a run beside its outcome: what each test called, and what values were."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Covered:
    """The functions that one test called: path and first line of each, sorted, of the repository's files only."""

    node_id: str
    functions: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Probe:
    """A question to a trace: what this expression is when execution reaches this line of this file."""

    path: str
    line: int
    expression: str


@dataclass(frozen=True, slots=True)
class Observation:
    """The answer to a probe: a bounded `repr` for each time the line was reached, first ones first; none if never."""

    probe: Probe
    values: tuple[str, ...]
