"""The check run on the bot's own pull request."""

import pytest
from fakes_fix import FIFTY, Stage
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import ForbiddenError
from bot.jobs import State
from bot.pipeline.ports.github import CheckState
from bot.pipeline.reports.checkrun import annotations, changed_lines, run_page
from bot.repair.difftext import unified
from bot.repair.types import FileChange, Patch


def test_a_published_fix_has_a_check_run_on_its_head_with_matrix_lines_and_button() -> None:
    stage = Stage(public_url="https://regreen.test")
    assert stage.run().state is State.PUBLISHED
    (check,) = stage.github.checks
    head = stage.github.branches["regreen/issue-7"]
    assert (check.head_sha, check.external_id) == (head, f"issue-7@{head}")
    assert "| tests | before | after |" in check.summary
    assert FIFTY in check.summary
    assert [(mark.path, mark.start_line, mark.end_line) for mark in check.annotations] == [("grades.py", 2, 2)]
    assert [button.name for button in check.buttons] == ["fix"]
    assert check.details_url == "https://regreen.test/runs/o%2Fr%3Aissue-7%3Ad1"
    assert check.details_url in check.summary


def test_what_a_search_came_upon_is_neutral_and_without_a_public_address_nothing_is_linked() -> None:
    stage = Stage()
    stage.run()
    (check,) = stage.github.checks
    assert check.state is CheckState.NEUTRAL
    assert check.details_url == ""
    assert "whole run" not in check.summary
    assert run_page("", stage.issue) == ""


def test_a_check_run_that_github_forbids_takes_no_pull_request_away() -> None:
    stage = Stage()
    stage.github.failures["put_check"] = [ForbiddenError("no", "grant it")]
    assert stage.run().state is State.PUBLISHED


def test_a_red_check_can_be_stopped_while_it_is_worked_on_and_asked_for_again_after() -> None:
    stage = Stage()
    stage.run(stage.check("FAILED tests/test_net.py::test_online - OSError"))
    assert [button.name for button in stage.github.checks[0].buttons] == ["fix"]


OLD = "".join(f"line {number}\n" for number in range(1, 31))


@pytest.mark.parametrize(
    ("new", "lines"),
    [
        (OLD.replace("line 7\n", "seven\n"), [(7, 7)]),
        (OLD.replace("line 7\n", "seven\nand\nmore\n"), [(7, 9)]),
        (OLD.replace("line 7\n", ""), [(6, 6)]),
        (OLD.replace("line 1\n", ""), [(1, 1)]),
        (OLD.replace("line 2\n", "2\n").replace("line 25\n", ""), [(2, 2), (24, 24)]),
        ("++ b/x\n" + OLD, [(1, 1)]),
        (OLD + "@@ -1 +9 @@\n", [(31, 31)]),
    ],
)  # fmt: skip
def test_the_lines_are_those_of_the_new_file(new: str, lines: list[tuple[int, int]]) -> None:
    diff = unified({"a.py": OLD.encode()}, Patch((FileChange("a.py", new.encode()),)))
    assert [(first, last) for _, first, last in changed_lines(diff)] == lines


def test_each_file_has_its_own_lines_and_a_new_one_is_whole() -> None:
    changes = (FileChange("b.py", OLD.replace("line 3\n", "3\n").encode()), FileChange("new.py", b"x = 1\ny = 2\n"))
    diff = unified({"b.py": OLD.encode()}, Patch(changes))
    assert list(changed_lines(diff)) == [("b.py", 3, 3), ("new.py", 1, 2)]


@given(st.lists(st.booleans(), min_size=1, max_size=400), st.text(max_size=5))
def test_no_more_marks_than_github_takes_and_each_on_a_line_that_is_there(changed: list[bool], tail: str) -> None:
    new = "".join(f"{'new' if flag else 'old'} {number}\n" for number, flag in enumerate(changed))
    old = "".join(f"old {number}\n" for number in range(len(changed))) + tail
    diff = unified({"a.py": old.encode()}, Patch((FileChange("a.py", new.encode()),)))
    marks = annotations(diff, (FIFTY,))
    assert len(marks) <= 50
    assert all(1 <= mark.start_line <= mark.end_line <= len(changed) for mark in marks)
