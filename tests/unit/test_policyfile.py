"""The policy file's check run: on the default branch's head, each fault on its lines."""

from fakes_fix import FILES, Stage
from fakes_github import FakeGitHub

from bot.jobs import State
from bot.pipeline import policyfile
from bot.pipeline.github_port import Annotation, CheckState, Level
from bot.policy import PATH
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
        PATH, 1, 3, Level.FAILURE, "draft: Input should be a valid boolean"
    )


def test_a_good_file_is_said_to_be_understood_in_its_language() -> None:
    github, _ = shown(b"language: de\n")
    (check,) = github.checks
    assert (check.state, check.title) == (CheckState.SUCCESS, "Die Richtliniendatei ist verständlich")
    assert check.annotations == ()


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
