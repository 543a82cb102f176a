"""What only one worker may do at a time: taken for a while, and free again when its worker is gone."""

from collections.abc import Collection
from typing import Protocol

LONGEST = 3_600.0
"""Seconds for which a name is taken at most. What is held for longer was written while a clock was ahead."""


class Leases(Protocol):
    """Names that one holder at a time has; an object of this is one holder. Each method raises `StoreError`."""

    def take(self, name: str, seconds: float) -> bool:
        """Hold the name for so long; `False` while another holds it. Who holds it already holds it for longer."""
        ...

    def renew(self, names: Collection[str], seconds: float) -> frozenset[str]:
        """Hold these for so long from now; returns those that this holder still had."""
        ...

    def release(self, name: str) -> None:
        """Give it back; a name that another has stays with that one."""
        ...
