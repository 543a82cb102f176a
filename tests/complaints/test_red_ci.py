"""Complaints about red CI: 12, 14, 17, 19, 20."""

import io
import subprocess
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest
from fakes import ScriptedModel
from fakes_commits import ByCommit
from fakes_fix import FIFTY, FILES, MODEL_ALONE, ZERO, Stage, grading
from fakes_forge import REPOSITORY, Forge, forge_at, git
from fakes_log_host import LogHost, log_host

from bot.adapters.github.downloads import Caps, download
from bot.jobs import State
from bot.pipeline.ports.checks import Distance, PullHead
from bot.pipeline.ports.github import IssueFacts
from sandbox.spec import File, Outcome, TestResult

MEBI = 1 << 20
LOG = f"FAILED {FIFTY} - AssertionError"
LINE = "FAILED tests/test_cart.py::test_total - assert 1 == 2\n"
PARTED = "0" * 40


def test_complaint_12_a_flaky_test_is_no_bug_to_be_fixed() -> None:
    """Remedy: what is red is run again, alone, before any model is asked; what comes out both ways is set aside."""
    turns = cycle([Outcome.FAILED] * 3 + [Outcome.PASSED, Outcome.FAILED, Outcome.PASSED])

    def flaky(_files: Mapping[str, bytes]) -> dict[str, TestResult]:
        return {FIFTY: TestResult(FIFTY, next(turns)), ZERO: TestResult(ZERO, Outcome.PASSED)}

    model = ScriptedModel([])
    stage = Stage(suite=flaky, model=model, facts=MODEL_ALONE)
    outcome = stage.run(stage.check(LOG))
    assert outcome.state in {State.GREEN, State.NOT_REPRODUCED}
    assert model.prompts == []
    assert stage.github.pulls == []
    assert FIFTY in stage.github.checks[0].summary
    # a bot that runs the suite once, or even three times, sees a bug
    turns = cycle([Outcome.FAILED] * 3 + [Outcome.PASSED])
    assert all(flaky({})[FIFTY].outcome is Outcome.FAILED for _ in range(3))


class Topic:
    """Pull request 12, whose head is red; its base went on by a commit, on which all is green."""

    def __init__(self, *, began: Outcome) -> None:
        self.model = ScriptedModel([])
        self.stage = Stage(model=self.model, facts=MODEL_ALONE)
        github = self.stage.github
        tree = {path: File(data) for path, data in FILES.items()}
        github.branches["topic"] = github.branches["main"]
        self.head = github.add_commit("topic", "work", {**tree, "more.py": File(b"1\n")})
        rules = {".github/regreen.yml": File(b"ci_pull_requests: stack\n")}
        now = github.add_commit("main", "went on", {**tree, **rules})
        github.issues[12] = IssueFacts(is_open=True, labels=())
        pull = PullHead(12, "topic", self.head, "main", now, fork=False, is_open=True, author="mona")
        self.stage.checks.pulls[12] = pull
        self.stage.checks.distances["main", self.head] = Distance(1, 1, PARTED)
        self.stage.workspace = ByCommit(grading, {PARTED: began, now: Outcome.PASSED})

    def run(self) -> State:
        job = replace(self.stage.check(LOG, head=self.head), branch="topic", pull_request=12)
        return self.stage.run(job).state


def test_complaint_14_what_is_red_only_because_its_base_is_old_is_said_and_not_repaired() -> None:
    """Remedy: the failing tests are run where the branch began, and on its base as it is now, before any model is."""
    stale, own = Topic(began=Outcome.FAILED), Topic(began=Outcome.PASSED)
    assert stale.run() is State.GREEN
    assert "red only because the branch's base is old" in stale.stage.github.checks[0].summary
    assert (stale.model.prompts, stale.stage.github.pulls) == ([], [])
    # a bot that does not look where the branch began takes it for the pull request's own fault, and asks a model
    own.run()
    assert own.model.prompts


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[Forge]:
    with forge_at(tmp_path) as made:
        yield made


def test_complaint_17_the_head_of_a_fork_is_found(forge: Forge, tmp_path: Path) -> None:
    """Remedy: a commit is fetched by its id, and where the server has no branch with it, by the pull request's ref."""
    forge.push()
    (forge.work / "fork.py").write_bytes(b"1\n")
    head = forge.push("refs/pull/12/head")
    forge.sources.fetch(REPOSITORY, head)
    assert forge.sources.tree(REPOSITORY, head)["fork.py"] == File(b"1\n")
    # a clone of all branches has it not
    git(tmp_path, "clone", "-q", "--bare", f"file://{forge.served}", "clone.git")
    with pytest.raises(subprocess.CalledProcessError):
        git(tmp_path / "clone.git", "cat-file", "-e", f"{head}^{{commit}}")


def test_complaint_19_a_log_of_500_megabytes_is_read_at_its_end() -> None:
    """Remedy: the end is asked for by a range, streamed and capped, from the log's host, which gets no token."""
    with log_host(LogHost(tail=LINE.encode(), size=500 * MEBI)) as host:
        assert download(host.url, caps=Caps(bytes=2 * MEBI)).endswith(LINE)
        assert host.sent < 50 * MEBI
        assert not any("authorization" in request for request in host.requests)
    # without the cap, all of it comes: shown on a smaller one
    with log_host(LogHost(tail=LINE.encode(), size=60 * MEBI)) as host:
        download(host.url, caps=Caps(bytes=100 * MEBI))
        assert host.sent > 50 * MEBI


LAYOUTS: Mapping[str, Mapping[str, str]] = {
    "a file a job": {"0_lint.txt": "fine", "1_test (3.11).txt": LINE},
    "a file a step": {"test (3.11)/2_Run.txt": LINE, "test (3.11)/1_Set up.txt": "first", "lint/1_Run.txt": "fine"},
    "both, with a number below zero": {"-1_test (3.11).txt": LINE, "test (3.11)/1_Run.txt": LINE},
    "another name": {"9_test__3_11_.txt": LINE, "0_lint.txt": "fine"},
    "names of nothing that is known": {"logs/a.log": LINE},
}


def test_complaint_20_archives_of_logs_are_read_however_they_are_laid_out_or_missing() -> None:
    """Remedy: files are found by what is left of their names, else all are read; what is no archive is no log."""
    for files in LAYOUTS.values():
        assert LINE.strip() in fetched(packed(files))
    for broken in (b"", b"PK\x03\x04 and then nothing", packed(LAYOUTS["both, with a number below zero"])[:60]):
        assert LINE not in fetched(broken)
    # a bot that knows one layout only
    naive: Callable[[Mapping[str, str]], str] = lambda files: files.get("1_test (3.11).txt", "")  # noqa: E731 - one line is its point
    assert sum(LINE in naive(files) for files in LAYOUTS.values()) == 1


def packed(files: Mapping[str, str]) -> bytes:
    """A zip archive of these files."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return made.getvalue()


def fetched(body: bytes) -> str:
    """What is read of a log host that answers so."""
    with log_host(LogHost(body=body)) as host:
        return download(host.url, "test (3.11)")
