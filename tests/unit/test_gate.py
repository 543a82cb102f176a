import json
from collections.abc import Mapping

import pytest
from fakes import patch
from fakes_workspace import BASE, ScriptedWorkspace, Suite

from bot.repair.gate import judge, refuse
from bot.repair.integrity.suites import Suites
from bot.repair.protection import BY_NAME
from bot.repair.types import FileChange, Patch
from sandbox.spec import Outcome

PASSED, FAILED = Outcome.PASSED, Outcome.FAILED
TREE = {"calc.py": b"wrong", "pkg/mod.py": b"", "spec/checks.py": b"", "tests/test_calc.py": b""}
GOOD = patch(calc="right")


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
        ".env", ".env.test", ".buildkite/pipeline.yml", ".gitlab/ci.yml", "justfile", "codecov.yml", "Jenkinsfile.test",
        "fixtures/orders.json", "golden/a.txt", "pkg/x.golden", "setupTests.ts", "src/test-setup.js", "bunfig.toml",
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
        (change("calc.py", "a = 1".encode("utf-16")), "binary"),
        (change("calc.py", b"x" * (1 << 21)), "larger"),
        (change("gone.py", None), "does not exist"),
        (Patch((FileChange("calc.py", b"1"), FileChange("calc.py", b"2"))), "twice"),
    ],
)
def test_a_patch_of_the_wrong_kind_is_refused(bad: Patch, word: str) -> None:
    assert word in (refuse(bad, {}, TREE) or "")


def test_a_file_in_utf_16_stays_so_and_no_other_becomes_so() -> None:
    wide = change("calc.py", "a = 2".encode("utf-16"))
    assert refuse(wide, {"calc.py": "a = 1".encode("utf-16")}, TREE) is None
    assert "binary" in (refuse(wide, {"calc.py": b"a = 1"}, TREE) or "")


@pytest.mark.parametrize(
    "path",
    ["calc.py", "pkg/mod.py", "pkg/new.py", "pkg/latest.py", "contest.py", "pkg/fixtures/loading.py", "environment.py"],
)
def test_source_files_may_change_and_be_added(path: str) -> None:
    assert refuse(change(path), {}, TREE) is None


def test_data_that_a_failing_test_reads_stay_unless_they_lie_with_code() -> None:
    test = b"def test_f():\n    assert f() == open('samples/out.txt').read()\n"
    tests = Suites.of(("tests/test_calc.py::test_f",), {}, {"tests/test_calc.py": test})
    edited = change("samples/out.txt")
    assert "reads" in (refuse(edited, {}, TREE, BY_NAME, tests) or "")
    assert refuse(edited, {}, (*TREE, "samples/run.py"), BY_NAME, tests) is None
    assert refuse(change("samples/other.txt"), {}, TREE, BY_NAME, tests) is None


def test_a_policy_can_protect_more_and_lift_nothing() -> None:
    assert judge(workspace(), BASE, change("pkg/mod.py"), protected=("pkg/**",)).refused
    assert judge(workspace(), BASE, change("tests/test_calc.py"), protected=("!tests/",)).refused
    assert not judge(workspace(), BASE, GOOD, protected=("pkg/**",)).refused


def test_a_judgement_is_plain_json() -> None:
    judgement = judge(workspace(), BASE, GOOD)

    text = json.loads(json.dumps(judgement.as_json()))
    assert text["passed"] is True
    assert text["comparison"]["fixed"] == ["t::b"]
    assert text["runs"] == 6


def test_a_refused_patch_runs_nothing_but_the_baseline() -> None:
    world = workspace()
    judgement = judge(world, BASE, change("tests/test_calc.py"))

    assert (judgement.passed, judgement.refused, len(world.calls)) == (False, True, 3)


def test_on_a_green_base_no_patch_passes_since_nothing_shows_what_it_fixes() -> None:
    judgement = judge(workspace(lambda _: {"t::a": PASSED}), BASE, GOOD)

    assert not judgement.passed
    assert "no test fails on the base" in judgement.reason
