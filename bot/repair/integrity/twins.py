"""Tests that must fail: the targets with another expectation, and a new one beside them.

What passes with what its test expects, and with something else in that place as well, was not judged at all: its
results are forged, or it equals everything. All of it stays in the target's own file, so that path, collection and
names are those that code under test sees anyway.
"""

from collections.abc import Mapping

from bot.repair.integrity import python_twins, text_twins
from bot.repair.integrity.twin import Twin
from bot.repair.sources.languages import GO, JAVASCRIPT, PYTHON


def twin(path: str, source: bytes, tests: Mapping[str, int], token: str, *, unittest: bool = False) -> Twin | None:
    """The twin of one file; `tests` maps node ids without their file to the line that failed, 0 if not known.

    `token` is a word of letters and digits that the patch cannot know. With `unittest` only methods of test cases are
    found. `None` where the language or the file's shape is not understood.
    """
    if path.endswith(PYTHON):
        try:
            return python_twins.twin(source, tests, token, unittest=unittest)
        except RecursionError:
            return None
    if path.endswith(GO):
        return text_twins.of_go(source, tests, token)
    return text_twins.of_javascript(source, tests, token) if path.endswith(JAVASCRIPT) else None
