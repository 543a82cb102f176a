import threading
import time

import pytest

from bot.adapters.trees import RecentTrees
from bot.errors import FetchError
from sandbox.spec import File, Tree


class CountedTrees:
    """A tree that holds its own name; the first `failures` readings fail."""

    def __init__(self, failures: int = 0, seconds: float = 0.0) -> None:
        self.failures = failures
        self.seconds = seconds
        self.read: list[str] = []

    def tree(self, repository: str, commit: str) -> Tree:
        self.read.append(commit)
        time.sleep(self.seconds)
        if len(self.read) <= self.failures:
            raise FetchError("It broke", "Ask again.")
        return {f"{repository}@{commit}": File(b"")}


def test_a_tree_is_read_once_while_nothing_else_is_asked_for() -> None:
    counted = CountedTrees()
    trees = RecentTrees(counted)
    assert [set(trees.tree("o/r", commit)) for commit in ("a", "a", "b", "b")] == [{"o/r@a"}] * 2 + [{"o/r@b"}] * 2
    assert counted.read == ["a", "b"]


def test_several_that_ask_at_once_share_one_reading() -> None:
    counted = CountedTrees(seconds=0.05)
    trees = RecentTrees(counted)
    threads = [threading.Thread(target=trees.tree, args=("o/r", "a")) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counted.read == ["a"]


def test_an_error_is_not_remembered() -> None:
    trees = RecentTrees(CountedTrees(failures=1))
    with pytest.raises(FetchError):
        trees.tree("o/r", "a")
    assert set(trees.tree("o/r", "a")) == {"o/r@a"}
