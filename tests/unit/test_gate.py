import json
from collections.abc import Mapping

import pytest
from fakes import patch
from fakes_workspace import BASE, ScriptedWorkspace, Suite, run_of

from bot.repair.gate import judge, refuse, verify
from bot.repair.types import FileChange, Patch, Task, Verdict
from sandbox.spec import Outcome, RunState, TestRun

PASSED, FAILED = Outcome.PASSED, Outcome.FAILED
TREE = {"calc.py": b"wrong", "pkg/mod.py": b"", "spec/checks.py": b"", "tests/test_calc.py": b""}
TASK = Task(BASE, "", "", ("t::b",))
GOOD, HARMFUL, USELESS = patch(calc="right"), patch(calc="harmful"), patch(calc="useless")


def suite(files: Mapping[str, bytes]) -> dict[str, Outcome]:
    code = files["calc.py"]
    return {
        "t::a": FAILED if code == b"harmful" else PASSED,
        "t::b": PASSED if code in {b"right", b"harmful"} else FAILED,
    }


def workspace(judge_files: Suite = suite, seconds: float = 1.0) -> ScriptedWorkspace:
    return ScriptedWorkspace(TREE, judge_files, seconds)


def change(path: str, content: bytes | None = b"x = 1\n") -> Patch:
    return Patch((FileChange(path, content),))


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_calc.py", "pkg/tests/data.json", "pkg/test_mod.py", "pkg/mod_test.py", "conftest.py",
        "pkg/conftest.py", "pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "noxfile.py", "Makefile",
        ".github/workflows/ci.yml", ".gitlab-ci.yml", "sitecustomize.py", "pytest.py",
        "Tests/helper.py", "testing/asserts.py", "unit_tests/util.py", "pkg/Integration_Tests/x.py", "pkg/ConfTest.py",
        "pytest.toml", ".pytest.toml", "pytest/__init__.py", "sitecustomize/__init__.py", "usercustomize/x.py",
        "x.dist-info/entry_points.txt", "src/x.egg-info/entry_points.txt", "pluggy.py", "pluggy/__init__.py",
        "tox.toml", "GNUmakefile", "makefile", ".pre-commit-config.yaml", ".drone.yml", "bitbucket-pipelines.yml",
    ],
)  # fmt: skip
def test_tests_their_configuration_and_ci_are_protected(path: str) -> None:
    assert "protected" in (refuse(change(path), {}, TREE) or "")


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd", "../x.py", "pkg/../../x.py", "./x.py", "", "pkg//mod.py", "pkg/", ".git/config", "a/.GIT/b",
        ".git./config", ".git /config", " .git/config", ".git::$INDEX_ALLOCATION/config", "GIT~1/config", "y" * 256,
        "a\nb.py", "a\\b.py", "a\0b", "x" * 2000, "calc.py/x.py", "pkg",
    ],
)  # fmt: skip
def test_a_path_that_is_not_plainly_inside_the_tree_is_refused(path: str) -> None:
    assert refuse(change(path), {}, TREE)


@pytest.mark.parametrize(
    ("bad", "word"),
    [
        (Patch(), "empty"),
        (change("calc.py", b"a\0b"), "binary"),
        (change("calc.py", b"x" * (1 << 21)), "larger"),
        (change("gone.py", None), "does not exist"),
        (Patch((FileChange("calc.py", b"1"), FileChange("calc.py", b"2"))), "twice"),
    ],
)
def test_a_patch_of_the_wrong_kind_is_refused(bad: Patch, word: str) -> None:
    assert word in (refuse(bad, {}, TREE) or "")


@pytest.mark.parametrize("path", ["calc.py", "pkg/mod.py", "pkg/new.py", "pkg/latest.py", "contest.py"])
def test_source_files_may_change_and_be_added(path: str) -> None:
    assert refuse(change(path), {}, TREE) is None


def test_a_policy_can_protect_more_and_lift_nothing() -> None:
    assert judge(workspace(), BASE, change("pkg/mod.py"), protected=("pkg/**",)).refused
    assert judge(workspace(), BASE, change("tests/test_calc.py"), protected=("!tests/",)).refused
    assert not judge(workspace(), BASE, GOOD, protected=("pkg/**",)).refused


def test_a_solution_runs_its_targets_then_the_suite_then_the_suite_once_more() -> None:
    world = workspace()
    baseline = judge(world, BASE, GOOD).baseline
    world.calls.clear()

    result = verify(world, TASK, baseline, GOOD)

    assert result.passed
    assert [trial.scope for trial in result.trials] == ["targets", "suite", "confirmation"]
    assert [selection.node_ids for _, selection in world.calls] == [("t::b",), (), ()]


def test_a_regression_is_named_and_not_confirmed() -> None:
    result = verify(workspace(), TASK, judge(workspace(), BASE, GOOD).baseline, HARMFUL)

    assert (result.verdict, len(result.trials)) == (Verdict.REGRESSED, 2)
    assert result.comparison.regressed == ("t::a",)
    assert "1 of 1 target fixed, but t::a passed before and does not pass now" in result.reason


@pytest.mark.parametrize(("seconds", "runs"), [(60.0, 2), (61.0, 1)])
def test_a_slow_suite_runs_whole_only_for_what_fixed_something(seconds: float, runs: int) -> None:
    world = workspace(seconds=seconds)
    baseline = judge(world, BASE, GOOD).baseline

    assert len(verify(world, TASK, baseline, USELESS).trials) == runs
    assert len(verify(world, TASK, baseline, GOOD).trials) == 3


def test_a_green_run_that_turns_red_in_the_fresh_container_is_no_solution() -> None:
    baseline = judge(workspace(), BASE, GOOD).baseline
    green, red = run_of({"t::a": PASSED, "t::b": PASSED}), run_of({"t::a": PASSED, "t::b": FAILED})
    runs = iter((green, green, red))

    result = verify(workspace(lambda _: next(runs)), TASK, baseline, GOOD)

    assert result.verdict is Verdict.NOT_FIXED
    assert "the run before it, on the same code, was green" in result.reason


@pytest.mark.parametrize("state", [state for state in RunState if state is not RunState.COMPLETE])
def test_a_run_that_cannot_be_believed_is_no_verdict(state: RunState) -> None:
    baseline = judge(workspace(), BASE, GOOD).baseline

    result = verify(workspace(lambda _: TestRun(state, output="why")), TASK, baseline, GOOD)

    assert result.verdict is Verdict.INVALID_RUN
    assert "why" in result.reason
    assert len(result.trials) == 1


def test_targets_that_are_the_whole_suite_are_not_run_twice() -> None:
    world = workspace(lambda files: {"t::b": suite(files)["t::b"]})
    baseline = judge(world, BASE, GOOD).baseline

    assert [trial.scope for trial in verify(world, TASK, baseline, GOOD).trials] == ["suite", "confirmation"]


def test_a_judgement_is_plain_json() -> None:
    judgement = judge(workspace(), BASE, GOOD)

    text = json.loads(json.dumps(judgement.as_json()))
    assert text["passed"] is True
    assert text["comparison"]["fixed"] == ["t::b"]
    assert text["runs"] == 5


def test_a_refused_patch_runs_nothing_but_the_baseline() -> None:
    world = workspace()
    judgement = judge(world, BASE, change("tests/test_calc.py"))

    assert (judgement.passed, judgement.refused, len(world.calls)) == (False, True, 2)


def test_on_a_green_base_no_patch_passes_since_nothing_shows_what_it_fixes() -> None:
    judgement = judge(workspace(lambda _: {"t::a": PASSED}), BASE, GOOD)

    assert not judgement.passed
    assert "no test fails on the base" in judgement.reason
