"""The policy file's check run: on the default branch's head, each fault on its lines."""

import pytest
from fakes_desk import FakePulls
from fakes_fix import FILES, Stage
from fakes_github import FakeGitHub
from fakes_labels import FakeLabels

from bot.jobs import State
from bot.pipeline.governance import policyfile
from bot.pipeline.intake.site import Site
from bot.pipeline.ports.github import Annotation, CheckState, Level
from bot.policy import PATH, RepoPolicy
from sandbox.spec import File

FAULTY = b"lable: x\nbudget:\n  dollars: -1\nprotected:\n  - a\n  - ''\n"


def shown(data: bytes) -> tuple[FakeGitHub, str]:
    github = FakeGitHub(files={PATH: File(data)})
    head = github.branches["main"]
    policyfile.show(github, head, policyfile.read(github))
    return github, head


def test_every_fault_is_marked_on_its_lines() -> None:
    github, head = shown(FAULTY)
    (check,) = github.checks
    assert (check.head_sha, check.state, check.name) == (head, CheckState.FAILURE, "Regreen policy")
    assert [(a.path, a.start_line, a.end_line, a.level) for a in check.annotations] == [
        (PATH, 1, 1, Level.FAILURE),
        (PATH, 3, 3, Level.FAILURE),
        (PATH, 6, 6, Level.FAILURE),
    ]
    assert [a.message.partition(":")[0] for a in check.annotations] == ["lable", "budget.dollars", "protected.1"]
    assert all(f"line {line}" in check.summary for line in (1, 3, 6))


def test_a_value_of_several_lines_is_marked_as_a_whole() -> None:
    github, _ = shown(b"draft:\n  - a\n  - b\nlabel: x\n")
    assert github.checks[0].annotations[0] == Annotation(
        PATH, 1, 3, Level.FAILURE, "draft: write `true` or `false`, without quotes"
    )


def test_a_good_file_is_said_to_be_understood_in_its_language() -> None:
    github, _ = shown(b"language: de\n")
    (check,) = github.checks
    assert (check.state, check.title) == (CheckState.SUCCESS, "Die Richtliniendatei ist verständlich")
    assert check.annotations == ()


def test_a_command_that_may_give_no_results_is_warned_of_on_its_line() -> None:
    github, _ = shown(b"draft: true\ntest_command: make test\n")
    (check,) = github.checks
    assert check.state is CheckState.SUCCESS
    assert [(a.start_line, a.level) for a in check.annotations] == [(2, Level.WARNING)]
    assert "`junit: reports/*.xml`" in check.annotations[0].message


def test_what_the_file_says_formats_nothing_in_the_check_run() -> None:
    github, _ = shown(b'"[x](http://evil.test) @mona": 1\n')
    assert "[x](" not in github.checks[0].summary
    assert "@mona" not in github.checks[0].summary


def test_a_run_that_meets_a_faulty_file_marks_it_once_and_names_the_line_to_who_asked() -> None:
    stage = Stage()
    files = {path: File(data) for path, data in FILES.items()}
    head = stage.github.add_commit("main", "policy", {**files, PATH: File(FAULTY)})
    for _ in range(2):
        assert stage.run().state is State.REFUSED
    (check,) = stage.github.checks
    assert (check.head_sha, len(check.annotations)) == (head, 3)
    assert "line 1: lable: there is no such key" in stage.comment
    assert "Correct `.github/regreen.yml` on the default branch" in stage.comment


@pytest.mark.parametrize(
    "data",
    [
        b"dry_run: true\nlable: x\n",
        b"dry_run: true\nmodels:\n  coder: unknown\n",
        b"dry_run: true\ndraft: 3\n",
        b"lable: [x\ndry_run: true\n",
        b"a: &a 1\nb: *a\ndry_run: yes # for now\n",
        b"{dry_run: true, lable: x}",
        b"draft: true\ndraft: true\ndry_run: true\n",
    ],
)
def test_a_dry_run_holds_whatever_else_is_wrong_with_the_file(data: bytes) -> None:
    github = FakeGitHub(files={PATH: File(data)})
    site = Site("o/r", github, FakeLabels(), FakePulls(), offered=("known",))
    house = site.house()
    assert house.policy == RepoPolicy(dry_run=True)
    assert house.faults
    said: list[RepoPolicy] = []
    site.write("a word", said.append)
    policyfile.show(github, github.branches["main"], house)
    assert said == []
    assert github.checks == []


def test_a_faulty_file_switches_off_and_speaks_as_it_says_and_decides_nothing_else() -> None:
    data = b"enabled: false\nlanguage: de\ndry_run: maybe\nreview_tests: true\nmax_attempts: 99\n"
    house = policyfile.read(FakeGitHub(files={PATH: File(data)}))
    assert house.policy == RepoPolicy(enabled=False, language="de")
    assert [fault.key for fault in house.faults] == ["dry_run", "max_attempts"]


def test_a_run_under_a_faulty_file_that_asks_for_a_dry_run_writes_nothing() -> None:
    stage = Stage()
    files = {path: File(data) for path, data in FILES.items()}
    stage.github.add_commit("main", "policy", {**files, PATH: File(b"dry_run: true\nlable: x\n")})
    assert stage.run().state is State.REFUSED
    assert stage.github.checks == []
    assert not stage.github.comments.get(7)
