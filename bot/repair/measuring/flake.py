"""What is known of one flaky test."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Flake:
    """Why an id is called flaky: how often it passed and failed on the same code, and a sentence for people.

    `held`: it passed in every run on base, but for random order; a patch may break it, so it is still compared.
    """

    node_id: str
    passed: int
    failed: int
    evidence: str
    held: bool = False
