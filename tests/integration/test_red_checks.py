"""Red checks over scripted ports: whose fault they are, what was tried, and that no model is asked before."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count

import pytest
from fakes import MemoryJournal, ScriptedModel
from fakes_checks import FakeChecks, status, suite
from fakes_fix import FIFTY, HIGH, ZERO, ScriptedEnvironments, ScriptedSources, Stage, failed, grading, passed
from fakes_github import FakeGitHub
from fakes_ports import ports
from fakes_store import fix_check
from fakes_workspace import BASE, Suite, run_of

from bot.errors import BranchMissingError, SetUpError
from bot.jobs import State
from bot.pipeline.ports.checks import Against, CommitChecks, Distance, PullHead
from bot.pipeline.ports.github import FailedJob
from bot.pipeline.red import Ending, RedCheck, failures, left_alone, without_fix
from bot.repair.measuring.baseline import settle
from bot.repair.types import Base, Patch, Selection
from sandbox.spec import Given, Outcome, RunState, TestResult, TestRun

HEAD, BEGAN, NOW, MERGED = "c0ffee", "be9a", "ba5e", "3e49e"
OWN = "tests/test_own.py::test_new"
PULL = PullHead(12, "topic", HEAD, "main", NOW, fork=False, is_open=True, author="mona", merge_sha=MERGED)


@dataclass
class Commits:
    """A workspace whose suite depends on the commit: what fails on each, all else in `known` passes there."""

    failing: Mapping[str, tuple[str, ...]]
    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    state: Mapping[str, RunState] = field(default_factory=dict)
    ran: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        self.ran += [(base.commit, selection.node_ids) for _ in patches]
        ids = self.known.get(base.commit, (FIFTY, ZERO, HIGH, OWN))
        outcomes = {
            node_id: Outcome.FAILED if node_id in self.failing.get(base.commit, ()) else Outcome.PASSED
            for node_id in ids
            if not selection.node_ids or node_id in selection.node_ids
        }
        run = run_of(outcomes)
        return tuple(replace(run, state=self.state.get(base.commit, run.state)) for _ in patches)


@dataclass
class Bench:
    """One red check of a pull request; change what a test needs, then `look`."""

    failing: Mapping[str, tuple[str, ...]]
    log: str = f"FAILED {FIFTY} - x\nFAILED {OWN} - y\n"
    against: Against | None = field(default_factory=lambda: Against(PULL, Distance(2, 3, BEGAN)))
    workspace: Commits | None = None
    sources: ScriptedSources = field(default_factory=ScriptedSources)
    environments: ScriptedEnvironments = field(default_factory=ScriptedEnvironments)
    journal: MemoryJournal = field(default_factory=MemoryJournal)

    def look(self) -> tuple[tuple[str, ...], RedCheck, Ending]:
        """What is chosen, the check with its findings, and how it would end without a fix."""
        self.workspace = self.workspace or Commits(self.failing)
        base = replace(BASE, commit=HEAD)
        baseline = settle(self.workspace.evaluate(base, (Patch(),) * 3, Selection()))
        self.workspace.ran.clear()
        world = ports(
            workspace=self.workspace, sources=self.sources, environments=self.environments, journal=self.journal
        )
        check = RedCheck(fix_check(), world, base, Given(), (FailedJob("tests", "failure", self.log),), self.against)
        return check.choose(baseline), check, without_fix(check, baseline)

    @property
    def commits(self) -> list[str]:
        """The commits on which tests ran, in order."""
        assert self.workspace
        return list(dict.fromkeys(commit for commit, _ in self.workspace.ran))


def test_what_fails_where_the_branch_began_too_is_no_target_and_the_pull_request_says_so() -> None:
    bench = Bench({HEAD: (FIFTY, OWN), BEGAN: (FIFTY,), NOW: (FIFTY,)})
    chosen, check, _ = bench.look()
    assert chosen == (OWN,)
    assert check.findings.inherited == (FIFTY,)
    said = left_alone(check.findings, check.against)
    assert "fail on `main` too, and are left alone" in said
    assert FIFTY in said
    assert bench.commits == [BEGAN, NOW]
    assert bench.journal.named("red_check")[0]["inherited"] == [FIFTY]


def test_a_check_whose_failures_are_all_the_bases_is_nobodys_fault_here() -> None:
    chosen, _, ending = Bench({HEAD: (FIFTY, OWN), BEGAN: (FIFTY, OWN), NOW: (FIFTY, OWN)}).look()
    assert chosen == ()
    assert ending.state is State.GREEN
    assert "fails on `main` too, and is not the fault of #12" in ending.text


def test_a_test_that_the_base_does_not_have_is_the_branchs_own() -> None:
    known = {HEAD: (FIFTY, OWN), BEGAN: (FIFTY,), NOW: (FIFTY,)}
    chosen, _, _ = Bench({}, workspace=Commits({HEAD: (FIFTY, OWN), BEGAN: (FIFTY,), NOW: (FIFTY,)}, known)).look()
    assert chosen == (OWN,)


def test_a_check_that_is_red_only_because_the_base_was_stale_changes_no_code_and_says_so() -> None:
    chosen, check, ending = Bench({HEAD: (FIFTY, OWN), BEGAN: (FIFTY, OWN)}).look()
    assert chosen == ()
    assert check.findings.old_base
    assert ending.state is State.GREEN
    assert "red only because the branch's base is old. It is 3 commits behind `main`" in ending.text
    assert "Merge `main` into the branch" in ending.text


def test_what_is_stale_beside_what_is_not_is_said_and_left_alone() -> None:
    chosen, check, _ = Bench({HEAD: (FIFTY, OWN), BEGAN: (FIFTY,)}).look()
    assert chosen == (OWN,)
    assert check.findings.stale == (FIFTY,)
    assert not check.findings.old_base
    assert "pass on `main` by now" in left_alone(check.findings, check.against)


def test_a_base_that_did_not_go_on_is_run_once_and_nothing_is_stale() -> None:
    bench = Bench({HEAD: (FIFTY,), BEGAN: (FIFTY,)}, against=Against(PULL, Distance(2, 0, BEGAN)))
    _, check, _ = bench.look()
    assert check.findings.inherited == (FIFTY,)
    assert bench.commits == [BEGAN]


def test_what_fails_on_the_base_now_and_then_only_is_not_its_fault() -> None:
    runs = count()

    class Shaky(Commits):
        def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
            steady = super().evaluate(base, patches, selection)
            if base.commit != BEGAN:
                return steady
            return tuple(run_of({FIFTY: Outcome.FAILED if next(runs) % 2 else Outcome.PASSED}) for _ in patches)

    chosen, _, _ = Bench({}, workspace=Shaky({HEAD: (FIFTY,)})).look()
    assert chosen == (FIFTY,)


def no_source(bench: Bench) -> None:
    bench.sources.error = BranchMissingError("the commit is gone", "Look.")


def no_environment(bench: Bench) -> None:
    bench.environments.error = SetUpError("pip failed\nwith a log", "Mend it.")


def no_believable_run(bench: Bench) -> None:
    bench.workspace = Commits(bench.failing, state={BEGAN: RunState.TIMEOUT})


@pytest.mark.parametrize("trouble", [no_source, no_environment, no_believable_run])
def test_a_base_that_cannot_be_tested_clears_nothing_and_is_said(trouble: Callable[[Bench], None]) -> None:
    bench = Bench({HEAD: (FIFTY, OWN), BEGAN: (FIFTY,)})
    trouble(bench)
    chosen, check, _ = bench.look()
    assert chosen == (FIFTY, OWN)
    assert "is not known" in left_alone(check.findings, check.against)
    assert "with a log" not in check.findings.unlike


def test_off_pull_requests_no_other_commit_is_run() -> None:
    bench = Bench({HEAD: (FIFTY,)}, against=None)
    chosen, check, _ = bench.look()
    assert chosen == (FIFTY,)
    assert bench.commits == []
    assert left_alone(check.findings, None) == ""


def test_what_passes_here_is_run_again_before_it_is_given_up_and_the_answer_counts_it() -> None:
    bench = Bench({NOW: ()}, against=None)
    chosen, check, ending = bench.look()
    assert chosen == ()
    assert bench.workspace
    assert bench.workspace.ran == [(HEAD, (FIFTY, OWN))] * 3
    assert ending.state is State.NOT_REPRODUCED
    assert "- read the logs of `tests`" in ending.text
    assert "- 3 runs of the whole suite on c0ffee" in ending.text
    assert "- 3 more runs of the 2 tests that the logs name" in ending.text
    assert [flake.failed for flake in check.findings.repeated] == [0, 0]


def test_a_test_that_fails_in_one_of_the_reruns_is_called_flaky_with_its_figures() -> None:
    runs = count()

    class Shaky(Commits):
        def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
            if base.commit != HEAD or not selection.node_ids:
                return super().evaluate(base, patches, selection)
            return tuple(run_of({FIFTY: Outcome.PASSED if next(runs) else Outcome.FAILED}) for _ in patches)

    bench = Bench({}, log=f"FAILED {FIFTY} - x\n", workspace=Shaky({NOW: (FIFTY,)}))
    _, check, ending = bench.look()
    assert ending.headline == "Flaky: it fails only now and then"
    assert "failed in 1 of 3 runs" in ending.text
    assert (bench.commits, check.findings.inherited) == ([], ())


def test_what_passes_on_the_branch_and_fails_on_the_base_by_now_is_the_bases_fault() -> None:
    chosen, check, ending = Bench({NOW: (FIFTY, OWN)}).look()
    assert chosen == ()
    assert check.findings.inherited == (FIFTY, OWN)
    assert "not the fault of #12" in ending.text


def test_what_fails_only_once_merged_with_the_base_is_said_to() -> None:
    bench = Bench({MERGED: (FIFTY,)})
    _, check, ending = bench.look()
    assert check.findings.merged == (FIFTY,)
    assert "pass on the branch, and fail once it is merged with `main`" in ending.text
    assert bench.commits == [HEAD, NOW, MERGED]


def test_the_jobs_of_every_red_suite_and_the_red_statuses_of_the_commit_count() -> None:
    job, github, checks = fix_check(), FakeGitHub(), FakeChecks()
    for number in (4, 5, 6):
        github.jobs[number] = (FailedJob(f"job {number}", "failure", f"log {number}"),)
    green = suite(6, conclusion="success")
    checks.commits[job.head_sha] = CommitChecks((suite(4), suite(5), green), (), (status("failure"), status("success")))
    assert [one.name for one in failures(job, github, checks)] == ["job 5", "job 4", "ci/old"]
    assert [one.name for one in failures(replace(job, suite_id=0), github, checks)] == ["job 4", "job 5", "ci/old"]


def test_a_suite_that_ended_well_when_it_ran_again_is_not_red_any_more() -> None:
    job, github, checks = fix_check(), FakeGitHub(), FakeChecks()
    checks.commits[job.head_sha] = CommitChecks((suite(5, conclusion="success"),))
    assert failures(job, github, checks) == ()
    assert github.calls == []


def now_and_then() -> Suite:
    runs = count()

    def suite_of(files: Mapping[str, bytes]) -> Mapping[str, TestResult]:
        return {**grading(files), FIFTY: failed() if next(runs) % 2 else passed()}

    return suite_of


@pytest.mark.parametrize("shown", [now_and_then(), lambda files: {**grading(files), FIFTY: passed()}])
def test_no_model_is_asked_about_a_check_that_is_flaky_or_does_not_show_here(shown: Suite) -> None:
    stage = Stage(suite=shown)
    stage.model = model = ScriptedModel([])
    assert stage.run(stage.check(f"FAILED {FIFTY} - x")).state is State.NOT_REPRODUCED
    assert model.prompts == []
