"""Bringing our branch up to its base: a merge, a conflict that is said, and a try that was cut short."""

import pytest
from fakes_followup import OURS, PullStage
from fakes_ports import ports

from bot.pipeline.followups.syncing import Synced, sync
from bot.pipeline.ports.job import Ports
from bot.pipeline.ports.threads import Merged, Merging
from sandbox.spec import File


def around(stage: PullStage) -> Ports:
    return ports(github=stage.github, checks=stage.checks, branches=stage.branches)


def behind(stage: PullStage) -> PullStage:
    stage.github.add_commit("main", "other", {**stage.github.commits[stage.start].tree, "new": File(b"n")})
    stage.look(behind=1)
    return stage


def run(stage: PullStage, *, wanted: bool = True, trailers: str = "") -> Synced:
    return sync(around(stage), stage.checks.pulls[stage.number], wanted=wanted, trailers=trailers)


def test_a_branch_that_holds_its_base_is_left_as_it_is() -> None:
    stage = PullStage()
    assert run(stage, wanted=False) == Synced(stage.branch, stage.start)
    assert run(stage).note == "The branch holds all of `main` already."
    assert stage.branches.calls == []


def test_a_merge_is_made_when_it_is_wanted_with_the_trailers_that_the_policy_wants() -> None:
    stage = behind(PullStage())
    synced = run(stage, trailers="\n\nSigned-off-by: r <r@x>")
    assert synced.merged
    made = stage.github.commits[stage.github.branches[OURS]]
    assert made.message == f"Merge main into {OURS}\n\nSigned-off-by: r <r@x>"
    assert synced.head == stage.github.branches[OURS]


def test_a_merge_that_an_earlier_try_made_counts_as_made() -> None:
    stage = behind(PullStage())
    first = run(stage)
    again = run(stage)
    assert (again.head, again.merged) == (first.head, True)
    assert len([call for call in stage.branches.calls if call == "merge"]) == 2


@pytest.mark.parametrize("head", ["", "same"])
def test_a_dry_run_and_a_base_that_went_back_change_nothing(head: str) -> None:
    stage = behind(PullStage())
    answer = Merged(Merging.CURRENT, stage.branch if head else "")

    class Dry:
        def merge(self, branch: str, base: str, message: str) -> Merged:
            del branch, base, message
            return answer

    found = sync(ports(checks=stage.checks, branches=Dry()), stage.checks.pulls[stage.number], wanted=True, trailers="")
    assert found == Synced(stage.branch, stage.start)
