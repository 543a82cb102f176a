"""The trees that a job works on, each read once."""

import threading
from functools import lru_cache

from bot.pipeline.ports.job import Trees
from sandbox.spec import Tree

KEPT = 1


class RecentTrees:
    """`Trees` that remembers the last one read: a run asks for the same commit at every evaluation.

    Safe to share between threads; several that ask at once wait for one reading. An error is not remembered.
    """

    def __init__(self, trees: Trees) -> None:
        """Read nothing yet."""
        self._lock = threading.Lock()
        self._read = lru_cache(maxsize=KEPT)(trees.tree)

    def tree(self, repository: str, commit: str) -> Tree:
        """The tree, from memory where it was the last one. Raises what reading it raises."""
        with self._lock:
            return self._read(repository, commit)
