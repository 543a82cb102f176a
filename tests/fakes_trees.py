"""Trees by commit, for suites that are really run."""

from collections.abc import Mapping

from sandbox.spec import File, Tree


class OneTree:
    """The same tree under every commit."""

    def __init__(self, files: Mapping[str, str]) -> None:
        """Text files by path."""
        self._tree = {path: File(text.encode()) for path, text in files.items()}

    def tree(self, repository: str, commit: str) -> Tree:
        """The tree."""
        del repository, commit
        return self._tree
