from collections.abc import Mapping

import pytest
from fakes_workspace import BASE, ScriptedWorkspace

from bot.repair.gate import refuse
from bot.repair.protection import protect
from bot.repair.reproduction.additions import AddedTests, merged
from bot.repair.types import WHOLE_SUITE, Baseline, FileChange, Patch
from sandbox.spec import Outcome

TEST = Patch((FileChange("tests/test_issue_7.py", b"new test"),))
FIX = Patch((FileChange("calc.py", b"fixed"),))
FILES = {"calc.py": b"wrong", "tests/test_calc.py": b"old test"}


def present(files: Mapping[str, bytes]) -> Mapping[str, Outcome]:
    return {f"{path}={data.decode()}": Outcome.PASSED for path, data in files.items()}


@pytest.fixture
def workspace() -> AddedTests:
    return AddedTests(ScriptedWorkspace(FILES, present), TEST)


def test_every_patch_carries_the_additions_the_empty_one_too(workspace: AddedTests) -> None:
    plain, fixed = workspace.evaluate(BASE, (Patch(), FIX), WHOLE_SUITE)
    assert set(plain.outcomes) == {"calc.py=wrong", "tests/test_calc.py=old test", "tests/test_issue_7.py=new test"}
    assert set(fixed.outcomes) == {"calc.py=fixed", "tests/test_calc.py=old test", "tests/test_issue_7.py=new test"}


@pytest.mark.parametrize("content", [b"always green", None])
def test_what_is_published_holds_an_addition_whatever_a_patch_says_of_it(content: bytes | None) -> None:
    assert merged(Patch((*FIX.changes, FileChange("tests/test_issue_7.py", content))), TEST) == merged(FIX, TEST)


def test_the_gates_own_canaries_may_change_an_addition_and_nothing_deletes_it(workspace: AddedTests) -> None:
    changed, deleted = (Patch((FileChange("tests/test_issue_7.py", content),)) for content in (b"must fail", None))
    first, second = workspace.evaluate(BASE, (changed, deleted), WHOLE_SUITE)
    assert "tests/test_issue_7.py=must fail" in first.outcomes
    assert "tests/test_issue_7.py=new test" in second.outcomes


@pytest.mark.parametrize("content", [b"always green", None])
def test_a_proposal_that_touches_an_addition_is_refused(workspace: AddedTests, content: bytes | None) -> None:
    patch = Patch((*FIX.changes, FileChange("tests/test_issue_7.py", content)))
    known = workspace.paths(BASE)
    protection = protect(workspace, BASE, known, Baseline(1, (), (), (), (), 1.0))
    assert "is protected: tests" in (refuse(patch, {}, known, protection) or "")


def test_merging_again_changes_nothing_and_paths_stay_sorted() -> None:
    once = merged(FIX, TEST)
    assert merged(once, TEST) == once
    assert once.paths == ("calc.py", "tests/test_issue_7.py")


def test_whoever_reads_or_lists_the_tree_sees_the_additions(workspace: AddedTests) -> None:
    assert workspace.paths(BASE) == ("calc.py", "tests/test_calc.py", "tests/test_issue_7.py")
    wanted = ("tests/test_issue_7.py", "missing.py", "calc.py")
    assert [file.data for file in workspace.read(BASE, wanted)] == [b"new test", b"wrong"]
