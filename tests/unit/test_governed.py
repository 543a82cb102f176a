"""What a policy lets a job do at GitHub: commits of what is not protected, and nothing at all in a dry run."""

import inspect
from dataclasses import fields, replace
from typing import get_type_hints

import pytest
from fakes_fix import FILES, SOURCE, Stage

from bot.errors import ForbiddenError
from bot.jobs import State
from bot.pipeline.governance.governed import ANSWERS, PORTS, READS
from bot.pipeline.governance.guard import require_allowed
from bot.pipeline.ports.github import NewCommit
from bot.pipeline.ports.job import Ports
from bot.policy import RepoPolicy
from bot.repair.gate import refuse
from bot.repair.types import FileChange, Patch
from sandbox.spec import File

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n"
ELSEWHERE = {"sources", "environments", "workspace", "models", "clock", "journal", "reviews", "ledger", "last_words"}


def ruled(policy: str, **others: bytes) -> Stage:
    stage = Stage()
    files = {path: File(data) for path, data in FILES.items()} | {path: File(data) for path, data in others.items()}
    stage.head = stage.github.add_commit("main", "policy", {**files, ".github/regreen.yml": File(policy.encode())})
    return stage


def writes() -> list[tuple[type, str]]:
    return [
        (protocol, name)
        for protocol in PORTS.values()
        for name, member in inspect.getmembers(protocol, inspect.isfunction)
        if not name.startswith("_") and name not in READS[protocol]
    ]


def test_every_port_is_known_to_reach_github_or_not() -> None:
    assert {field.name for field in fields(Ports)} == {*PORTS, *ELSEWHERE}


@pytest.mark.parametrize(("protocol", "name"), writes())
def test_every_write_has_an_answer_for_a_dry_run(protocol: type, name: str) -> None:
    assert get_type_hints(getattr(protocol, name))["return"] in ANSWERS


def test_every_read_is_one_that_its_port_has() -> None:
    assert all(hasattr(protocol, name) for protocol, names in READS.items() for name in names)


def test_a_dry_run_does_everything_but_write_and_logs_what_it_would_have_written() -> None:
    stage = ruled("dry_run: true\n")
    outcome = stage.run()
    assert outcome.state is State.PUBLISHED
    assert (outcome.pull_request, outcome.url) == (None, "")
    assert outcome.headline.startswith("Dry run, nothing was written: ")
    assert not {"put_comment", "put_check", "commit", "open_pull_request"} & set(stage.github.calls)
    assert (stage.github.pulls, dict(stage.github.comments), stage.github.branches) == ([], {}, {"main": stage.head})
    assert stage.labels.shown == []
    logged = {entry["call"]: entry["arguments"] for entry in stage.journal.named("not_written")}
    assert {"GitHub.put_comment", "GitHub.commit", "GitHub.open_pull_request", "Labels.put"} <= set(logged)
    assert "Fixes #7" in str(logged["GitHub.open_pull_request"])
    assert "grades.py" in str(logged["GitHub.commit"])


def test_a_dry_run_of_a_red_check_writes_no_check_run() -> None:
    stage = ruled("dry_run: true\n")
    assert stage.run(stage.check("FAILED tests/test_grades.py::test_fifty - x")).state is State.PUBLISHED
    assert stage.github.checks == []


def change(stage: Stage, *changes: FileChange) -> NewCommit:
    return NewCommit("regreen/issue-7", stage.head, "Fix", Patch(changes))


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (".github/workflows/ci.yml", "what CI runs"),
        (".github/regreen.yml", "what CI runs"),
        (".GitLab-CI.yml", "what CI runs"),
        ("secrets/key.py", "protected by the policy file"),
        ("tests/test_grades.py", "tests, their configuration"),
        ("conftest.py", "tests, their configuration"),
        ("requirements.txt", "dependencies stay as they are"),
        ("models/new.bin", "kept in Git LFS"),
        ("old.py", "a pointer to what Git LFS keeps"),
    ],
)
def test_no_commit_changes_what_is_protected_whoever_proposed_it(path: str, why: str) -> None:
    stage = ruled("", **{".gitattributes": b"models/*.bin filter=lfs\n", "old.py": POINTER})
    new = change(stage, FileChange("grades.py", b"x = 1\n"), FileChange(path, b"y\n"))
    with pytest.raises(ForbiddenError, match=why) as caught:
        require_allowed(new, RepoPolicy(protected=("secrets/**",)), stage.github)
    assert path in caught.value.cause
    assert " grades.py" not in caught.value.cause


def test_code_and_the_test_that_was_written_may_be_committed_but_no_other_and_none_changed() -> None:
    stage = ruled("")
    new = "test/issue-7.js"
    allowed = change(stage, FileChange("grades.py", SOURCE), FileChange(new, b"it()\n"))
    require_allowed(replace(allowed, written=(new,)), RepoPolicy(), stage.github)
    old = "tests/test_grades.py"
    for refused in (allowed, change(stage, FileChange(old, None)), change(stage, FileChange(old, b"x = 1\n"))):
        with pytest.raises(ForbiddenError):
            require_allowed(replace(refused, written=(old,)), RepoPolicy(), stage.github)


def test_a_commit_that_a_run_makes_is_looked_at_before_it_is_made() -> None:
    stage = ruled("protected: ['grades.py']\n")
    assert stage.run().state is not State.PUBLISHED
    assert "commit" not in stage.github.calls


def test_a_patch_of_a_pointer_is_refused_before_it_runs() -> None:
    patch = Patch((FileChange("model.py", b"x = 1\n"),))
    assert "Git LFS" in (refuse(patch, {"model.py": POINTER}, {"model.py"}) or "")
