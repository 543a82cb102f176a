"""What is known of one flaky test."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Flake:
    """Why an id is called flaky: how often it passed and failed on the same code, and a sentence for people.

    `by_order`: in the runner's own order it always did the same, and only in random order something else.
    """

    node_id: str
    passed: int
    failed: int
    evidence: str
    by_order: bool = False
