import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.results import screening
from sandbox.spec import File, Recipe

RECIPE = Recipe("python", (), ("python3", "-m", "pytest"), "test")
TEXT = st.text(alphabet="ab\n", max_size=12).map(str.encode)


def edits(base: bytes, *mutants: bytes | None) -> list[Any]:
    plan = screening.plan(RECIPE, ("t.py::t",), {"m.py": File(base)}, [{"m.py": data} for data in mutants], 1.0, "ab")
    assert plan is not None
    return [mutant["m.py"] for mutant in json.loads(plan.tree["ab/screen.json"].data)["mutants"]]


@given(TEXT, TEXT)
def test_a_mutant_is_sent_as_what_differs_from_the_base(old: bytes, new: bytes) -> None:
    ((start, end, middle),) = edits(old, new)
    assert old[:start] + base64.b64decode(middle) + old[end:] == new


def test_a_deleted_file_has_no_edit() -> None:
    assert edits(b"x", None) == [None]


def test_a_thousand_small_changes_of_a_large_file_take_less_than_twice_the_file() -> None:
    base = b"".join(b"x%d = %d\n" % (number, number) for number in range(10_000))
    mutants = [base.replace(b"x%d = %d\n" % (number, number), b"x%d = -1\n" % number) for number in range(1000)]
    assert len(json.dumps(edits(base, *mutants))) < 2 * len(base)


@pytest.mark.parametrize("command", [("make", "test"), ("tox",), ("python3", "-m", "unittest")])
def test_what_does_not_start_pytest_itself_has_no_plan(command: tuple[str, ...]) -> None:
    assert screening.plan(Recipe("python", (), command, "test"), (), {}, [{}], 1.0, "ab") is None
