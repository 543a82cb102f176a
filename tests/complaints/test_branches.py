"""Complaints about branches and what is on them: 15, 16, 25."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from fakes import ScriptedModel
from fakes_bad_github import SiteStage
from fakes_fix import FILES, Stage
from fakes_followup import FIXED, OURS, PullStage, reply
from fakes_office import Office
from fakes_threads import FakeBranches
from github_worlds import BOT, Keys, StandInWorld

from bot.demo.stand_in import StandIn
from bot.errors import BranchMovedError
from bot.jobs import State
from bot.pipeline.ports.github import NewCommit
from bot.pipeline.ports.threads import Merged, Merging
from sandbox.spec import File

DOCUMENTED = reply("def grade(score):", 'def grade(score):\n    """Fifty and more pass."""')
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n"


@pytest.fixture
def site() -> Iterator[SiteStage]:
    keys = Keys.make()
    with StandIn(StandInWorld.config(keys)) as running:
        yield SiteStage(StandInWorld(running, keys))


def test_complaint_15_ci_runs_on_the_bots_commits(site: SiteStage) -> None:
    """Remedy: commit, branch and pull request are made by the App's installation token, whose events start workflows.

    What a workflow's own token pushes starts none, and comes from github-actions[bot] instead of the App.
    """
    hooks = site.world.state.hooks
    seen = len(hooks.pending)
    assert site.run().state is State.PUBLISHED
    sent = [(one.event, one.action, json.loads(one.body)) for one in hooks.pending[seen:]]
    pushed = [body for event, _, body in sent if event == "push"]
    opened = [body for event, action, body in sent if (event, action) == ("pull_request", "opened")]
    assert [body["ref"] for body in pushed] == [f"refs/heads/regreen/issue-{site.number}"]
    assert {body["sender"]["login"] for body in (*pushed, *opened)} == {BOT}
    assert len(opened) == 1
    suites = [body for event, action, body in sent if (event, action) == ("check_suite", "requested")]
    assert [suite["check_suite"]["head_sha"] for suite in suites] == [pushed[0]["after"]]


class ClaimsToMerge(FakeBranches):
    """Branches of a bot that says that it merged, and did not."""

    def merge(self, branch: str, base: str, message: str) -> Merged:
        del base, message
        return Merged(Merging.MERGED, self.github.branches[branch])


def conflicting(*, claimed: bool) -> PullStage:
    """A pull request of ours that conflicts with its base, and a review that asks to resolve that."""
    stage = PullStage(model=ScriptedModel([]))
    if claimed:
        stage.branches = ClaimsToMerge(stage.github)
    theirs = {**stage.github.commits[stage.start].tree, "grades.py": File(b"def grade(score):\n    return 1\n")}
    stage.github.add_commit("main", "other", theirs)
    stage.look(behind=1)
    stage.run(stage.review("Fix the merge conflicts, please"))
    return stage


def test_complaint_16_no_conflict_is_claimed_to_be_resolved() -> None:
    """Remedy: merging is GitHub's own; what it refuses is told as refused, and the branch stays as it is."""
    stage = conflicting(claimed=False)
    assert "conflicts with it. Regreen resolves no conflicts: none is resolved" in stage.status
    assert stage.github.branches[OURS] == stage.branch
    # of a merge that only says that it was one, the pull request would say so too
    claimed = conflicting(claimed=True)
    assert "was merged into the branch" in claimed.status
    assert claimed.github.branches[OURS] == claimed.branch


class Forces(FakeBranches):
    """Branches of a bot that does not look before it pushes."""

    def advance(self, new: NewCommit) -> str:
        try:
            return super().advance(new)
        except BranchMovedError:
            self.github.branches[new.branch] = new.parent
            self.meanwhile = lambda: None
            return super().advance(new)


def overtaken(*, forced: bool) -> tuple[PullStage, State]:
    """A review of our pull request, and a commit that a person pushes to its branch while it is worked on."""
    stage = PullStage(model=ScriptedModel([DOCUMENTED]))
    if forced:
        stage.branches = Forces(stage.github)
    theirs = {**{path: File(data) for path, data in FILES.items()}, "grades.py": File(FIXED), "mine": File(b"m")}
    stage.branches.meanwhile = lambda: stage.github.add_commit(OURS, "mine", theirs)
    return stage, stage.run(stage.review("Please document it")).state


def test_complaint_25_a_humans_commit_on_the_bots_branch_stays() -> None:
    """Remedy: the head is compared before the ref moves; what cannot be pushed stands in a comment as a patch."""
    stage, state = overtaken(forced=False)
    assert state is State.FAILED
    assert stage.github.commits[stage.github.branches[OURS]].message == "mine"
    assert any('+    """Fifty and more pass."""' in one.body for one in stage.github.comments[stage.number])
    # a bot that does not compare leaves no trace of it on the branch
    forced, state = overtaken(forced=True)
    head = forced.github.commits[forced.github.branches[OURS]]
    assert (state, "mine" in head.tree) == (State.PUBLISHED, False)


def test_a_pull_request_that_a_person_closed_is_neither_opened_again_nor_followed_by_another_unasked() -> None:
    stage = Stage()
    tree = {**stage.github.commits[stage.head].tree, ".github/regreen.yml": File(b"bots: ['helper[bot]']\n")}
    stage.github.add_commit("main", "policy", tree)
    office = Office(stage)
    office.label()
    office.github.close_pull(office.github.pulls[0].pull.number)
    office.label("helper[bot]")
    assert [one.pull.is_open for one in office.github.pulls] == [False]
    office.comment("/regreen fix")
    assert [one.pull.is_open for one in office.github.pulls] == [False, True]


def test_a_pointer_to_large_files_is_never_written_over() -> None:
    stage = Stage()
    tree = {**stage.github.commits[stage.head].tree, "grades.py": File(POINTER)}
    stage.github.add_commit("main", "pointer", tree)
    assert stage.run().state is State.FAILED
    assert "Git LFS" in stage.comment
    assert stage.github.pulls == []


def test_a_fix_goes_against_the_branch_that_is_red_with_the_patch_and_nothing_else() -> None:
    stage = Stage()
    stage.github.branches["release"] = stage.github.branches["main"]
    tree = {**stage.github.commits[stage.head].tree, ".github/regreen.yml": File(b"ci: true\nbranches: [release]\n")}
    stage.github.add_commit("main", "went on", {**tree, "junk.log": File(b"j")})
    release = stage.github.branches["release"]
    job = replace(stage.check("FAILED tests/test_grades.py::test_fifty - x", head=release), branch="release")
    assert stage.run(job).state is State.PUBLISHED
    (pull,) = stage.github.pulls
    assert pull.new.base == "release"
    commit = stage.github.commits[stage.github.branches[pull.new.head]]
    before = stage.github.commits[release].tree
    assert commit.parent == release
    assert {path for path in {*before, *commit.tree} if before.get(path) != commit.tree.get(path)} == {"grades.py"}
