"""The demo's repositories are red in the way that the demo is about, shown by their own suites."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from fakes_workspace import BASE, ScriptedWorkspace
from guest_suite import run_suite

from bot.demo import samples
from bot.demo.samples import Sample
from bot.pipeline.targets import named_in_logs
from bot.repair.measuring.baseline import measure
from bot.repair.mutation.search import MutationProposer
from bot.repair.types import Attempt, Comparison, Patch, Proposal, Proposed, Task, Usage, Verdict
from sandbox.spec import TestResult, TestRun

BY_ISSUE = {
    "tests/test_slots.py::test_a_booking_may_end_with_the_day",
    "tests/test_slots.py::test_nothing_is_free",
}
BY_CHECK = {
    "tests/test_booking.py::test_a_booking_can_start_when_the_last_one_ends",
    "tests/test_booking.py::test_a_morning_can_be_booked_back_to_back",
}
TESTS, MODULES = 60, 6


@pytest.mark.parametrize(("sample", "red"), [(samples.from_issue(), BY_ISSUE), (samples.from_check(), BY_CHECK)])
def test_one_bug_fails_two_of_many_tests(sample: Sample, red: set[str], tmp_path: Path) -> None:
    run = suite(sample.broken, tmp_path)
    assert {result.node_id for result in run.red} == red
    assert run.collected >= TESTS
    assert len([path for path in sample.tree if path.startswith("roomwise/") and path.endswith(".py")]) >= MODULES


def test_the_default_branch_is_green_until_the_commit_that_breaks_it(tmp_path: Path) -> None:
    assert not suite(samples.from_check().tree, tmp_path).red


def test_the_jobs_log_names_exactly_the_tests_that_fail() -> None:
    named = named_in_logs((samples.from_check().log,))
    assert {line.partition(" ")[0] for line in named} == BY_CHECK


@pytest.mark.slow
def test_the_nearest_plausible_patch_breaks_a_test_and_a_later_one_breaks_none(tmp_path: Path) -> None:
    """What makes the first scene of the demo worth a look, by the mutation search's own order."""
    sample = samples.from_issue()
    workspace = ScriptedWorkspace(sample.broken, lambda files: outcomes(suite(files, tmp_path)))
    baseline = measure(workspace, BASE)
    task = Task(BASE, sample.title, sample.body, baseline.failing_ids)
    proposer = MutationProposer(workspace, batch=10, limit=10)
    history: tuple[Attempt, ...] = ()
    broken = []
    answers: tuple[Proposed, ...] = ()
    while not any(answer.exhausted for answer in answers):
        answers = proposer.propose(task, baseline, history)
        for proposal in (answer.proposal for answer in answers if answer.proposal):
            run = suite({**sample.broken, **changed(proposal.patch)}, tmp_path)
            broken.append({result.node_id for result in run.red})
            history += (attempt(len(history) + 1, proposal),)
    assert broken[0]
    assert not broken[0] & BY_ISSUE
    assert set() in broken[1:]


def attempt(number: int, proposal: Proposal) -> Attempt:
    return Attempt(number, Verdict.REGRESSED, proposal, Comparison(), "", "", None, Usage(), 0.0)


def changed(patch: Patch) -> dict[str, bytes]:
    return {change.path: change.content or b"" for change in patch.changes}


def outcomes(run: TestRun) -> dict[str, TestResult]:
    return {result.node_id: result for result in run.results}


def suite(files: Mapping[str, bytes], directory: Path) -> TestRun:
    return run_suite(directory, {path: content.decode() for path, content in files.items()})
