"""A container whose first process never wrote its mark: only its own exit code blames the tree."""

import pytest

from sandbox.containers.container import _never_began
from sandbox.containers.protocol import UNPACK_FAILED
from sandbox.errors import EndedEarlyError, TreeTooLargeError


def test_a_first_process_that_gave_up_blames_the_tree() -> None:
    error = _never_began(UNPACK_FAILED, "tar: No space left on device")
    assert isinstance(error, TreeTooLargeError)
    assert "No space left" in error.cause


@pytest.mark.parametrize(("code", "said"), [(137, "was killed"), (2, "exit code 2"), (0, "exit code 0")])
def test_any_other_end_is_not_the_trees(code: int, said: str) -> None:
    error = _never_began(code, "")
    assert isinstance(error, EndedEarlyError)
    assert said in error.cause
    assert "limits on size" not in error.remedy
