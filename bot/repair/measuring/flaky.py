"""Isolated reruns: whether what one run suggests is so, or whether the test is flaky, and why we say that."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from bot.repair.measuring.baseline import Kind, kind, set_aside
from bot.repair.measuring.flake import Flake
from bot.repair.measuring.odds import BASELINE_RUNS, RERUNS, SLOW_SUITE_SECONDS, reruns
from bot.repair.ports import Workspace
from bot.repair.reproduction.additions import merged
from bot.repair.types import WHOLE_SUITE, Base, Baseline, Patch, Selection, Task
from sandbox.spec import RunState, TestRun

FIRST_SUSPECTS = 20
MOST_NAMED = 200
# What is known as flaky and still compared has a chance of its own with each of about as many candidates.
CANDIDATES = 8
NOTHING = Patch()


def confirm(
    workspace: Workspace,
    base: Base,
    patch: Patch,
    suspected_ids: tuple[str, ...],
    additions: Patch = NOTHING,
    baseline: Baseline | None = None,
) -> tuple[tuple[str, ...], tuple[Flake, ...]]:
    """Which of these ids are regressions, and which are flaky and why, by reruns apart from the rest of the suite.

    A regression fails with the patch and passes on base in every rerun: `RERUNS`, then as many more as `odds.reruns`
    asks for; more where `baseline` or these reruns show that tests of this suite are flaky. A run on base that cannot
    be believed clears nobody. One that never passes alone on either side is repeated with the whole suite, or remains a
    regression where that is slow. Of very many ids the first few are rerun; if they prove the patch wrong the rest is
    believed. Raises what `Workspace.evaluate` raises.
    """
    again = _Again(workspace, base, additions, merged(patch, additions))
    regressions: tuple[str, ...] = ()
    flakes: tuple[Flake, ...] = ()
    for ids in _portions(suspected_ids):
        if regressions:
            regressions += ids
            continue
        seen = _suspects(again, ids, baseline, len(flakes))
        regressions += tuple(node_id for node_id in ids if seen[node_id].broken)
        flakes += tuple(_not_broken(node_id, seen[node_id]) for node_id in ids if not seen[node_id].broken)
    return regressions, flakes


def steady(workspace: Workspace, base: Base, baseline: Baseline) -> Baseline:
    """The baseline, without red ids that pass now and then when they run apart from the rest: those are flaky.

    One that passes there every time depends on other tests, not on chance, and stays red. Nothing is run when all is
    red, or too much to name. Raises what `Workspace.evaluate` raises.
    """
    red = baseline.failing_ids
    if not red or len(red) > MOST_NAMED or not (baseline.passing or baseline.flaky):
        return baseline
    seen = _Again(workspace, base, NOTHING, NOTHING).run(red, (RERUNS, 0))
    mixed = [node_id for node_id in red if seen[node_id].base_passed and seen[node_id].base_failed]
    return set_aside(baseline, [_not_fixed(node_id, seen[node_id], baseline.runs) for node_id in mixed])


def doubted(
    workspace: Workspace, task: Task, baseline: Baseline, patch: Patch
) -> tuple[tuple[Flake, ...], tuple[Flake, ...]]:
    """The targets of a patch that seems to solve the task which are flaky after all, and those it is not sure to fix.

    Each has to fail on base and to pass with the patch in every one of `odds.reruns` fresh runs. One that passes on
    base is flaky; one that never does, and fails with the patch, says something of the patch alone. A caller that drops
    flaky targets asks again for the rest, with a baseline that knows them: the rest may then take more runs. Raises
    what `Workspace.evaluate` raises.
    """
    again = _Again(workspace, task.base, task.additions, merged(patch, task.additions))
    often = reruns(_sharing(task.targets, len(baseline.flaky)), baseline.runs)
    seen = again.run(task.targets, (often, often))
    # They fail in the company of other tests only, so that runs without it say nothing about them.
    company = tuple(node_id for node_id in task.targets if not seen[node_id].base_failed | seen[node_id].patch_failed)
    if company and baseline.suite_seconds <= SLOW_SUITE_SECONDS:
        seen |= again.run(company, (often, often), whole=True)
    flaky = [node_id for node_id in task.targets if seen[node_id].base_passed]
    unsure = [node_id for node_id in task.targets if seen[node_id].patch_failed and node_id not in flaky]
    named = {node_id: _not_fixed(node_id, seen[node_id], baseline.runs) for node_id in (*flaky, *unsure)}
    return tuple(named[node_id] for node_id in flaky), tuple(named[node_id] for node_id in unsure)


@dataclass
class _Seen:
    """How often one id passed and did not, in reruns on base and with the patch: alone, or `whole` with the suite."""

    base_passed: int = 0
    base_failed: int = 0
    patch_passed: int = 0
    patch_failed: int = 0
    whole: bool = False

    @property
    def broken(self) -> bool:
        """Whether every rerun says that the patch breaks it."""
        return not self.base_failed and not self.patch_passed

    @property
    def nowhere(self) -> bool:
        """Whether it passes in no rerun, so that these say nothing about a test that passes in the suite on base."""
        return not self.base_passed and not self.patch_passed and bool(self.base_failed)


Passing = Callable[[TestRun, tuple[str, ...]], set[str] | None]


def _green(run: TestRun, ids: tuple[str, ...]) -> set[str]:
    """The ids that passed; in a run that cannot be believed none did."""
    if run.state is not RunState.COMPLETE:
        return set()
    return {node_id for node_id, outcome in run.outcomes.items() if kind(outcome) is Kind.GREEN} & set(ids)


def _clean(run: TestRun, ids: tuple[str, ...]) -> set[str] | None:
    """The ids that are not red: a suspect may be new, or skipped on base, and then it has nothing to pass there.

    `None` for a run that cannot be believed: it speaks for none of them, and against none.
    """
    if run.state is RunState.NO_TESTS:
        return set(ids)
    return set(ids) - {red.node_id for red in run.red} if run.state is RunState.COMPLETE else None


@dataclass(frozen=True, slots=True)
class _Again:
    """Repeats tests on base under the added tests, and with the patch over both."""

    workspace: Workspace
    base: Base
    under: Patch
    over: Patch

    def run(
        self, ids: tuple[str, ...], often: tuple[int, int], *, whole: bool = False, on_base: Passing = _green
    ) -> dict[str, _Seen]:
        """Repeat these in one batch, `often` on base and with the patch; too many to name with the whole suite."""
        seen = {node_id: _Seen(whole=whole) for node_id in ids}
        if not ids or not sum(often):
            return seen
        selection = WHOLE_SUITE if whole or len(ids) > MOST_NAMED else Selection(ids)
        runs = self.workspace.evaluate(self.base, (self.under,) * often[0] + (self.over,) * often[1], selection)
        before = [names for run in runs[: often[0]] if (names := on_base(run, ids)) is not None]
        after = [_green(run, ids) for run in runs[often[0] :]]
        for node_id, of_id in seen.items():
            of_id.base_passed = sum(node_id in names for names in before)
            of_id.patch_passed = sum(node_id in names for names in after)
            of_id.base_failed = len(before) - of_id.base_passed
            of_id.patch_failed = len(after) - of_id.patch_passed
        return seen


def _portions(ids: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if ids:
        yield ids[:FIRST_SUSPECTS]
    for start in range(FIRST_SUSPECTS, len(ids), MOST_NAMED):
        yield ids[start : start + MOST_NAMED]


def _sharing(ids: tuple[str, ...], known: int) -> int:
    """As how many flaky tests these count: each as none but itself, until `known` say that the suite has such tests."""
    return known + len(ids) if known else 1


def _suspects(again: _Again, ids: tuple[str, ...], baseline: Baseline | None, known: int) -> dict[str, _Seen]:
    """Rerun these until each has shown that it is no regression, or often enough."""
    seen = {node_id: _Seen() for node_id in ids}
    earlier = BASELINE_RUNS if baseline is None else baseline.runs
    flaky = baseline.flaky if baseline else ()
    known += len(flaky) + CANDIDATES * len(set(ids) & set(flaky))
    left, done, wanted = ids, 0, RERUNS
    while left and done < wanted:
        more = again.run(left, (wanted - done, wanted - done), on_base=_clean)
        for node_id in left:
            seen[node_id] = _sum(seen[node_id], more[node_id])
        left = tuple(node_id for node_id in left if seen[node_id].broken)
        gone = len(ids) - len(left)
        done, wanted = wanted, reruns(_sharing(left, known + gone), earlier)
    nowhere = tuple(node_id for node_id in ids if seen[node_id].nowhere)
    return seen | _company(again, nowhere, seen, baseline, reruns(_sharing(nowhere, known), earlier))


def _company(
    again: _Again, ids: tuple[str, ...], alone: dict[str, _Seen], baseline: Baseline | None, often: int
) -> dict[str, _Seen]:
    """What is seen in the suite of suspects that never pass alone; where it is slow, base is not heard on them."""
    if baseline and baseline.suite_seconds > SLOW_SUITE_SECONDS:
        return {node_id: replace(alone[node_id], base_failed=0) for node_id in ids}
    return again.run(ids, (often, often), whole=True, on_base=_clean)


def _sum(one: _Seen, two: _Seen) -> _Seen:
    return _Seen(
        one.base_passed + two.base_passed,
        one.base_failed + two.base_failed,
        one.patch_passed + two.patch_passed,
        one.patch_failed + two.patch_failed,
    )


def _not_broken(node_id: str, seen: _Seen) -> Flake:
    """Of the code on which it disagrees, with the run there that brought it under suspicion."""
    base = f"in {seen.base_failed} of {seen.base_failed + seen.base_passed} without it"
    where = "repeated with the suite" if seen.whole else "alone"
    text = f"failed with the patch in the suite; {where}, in {seen.patch_failed} of "
    text += f"{seen.patch_failed + seen.patch_passed} runs with the patch and {base}"
    if not seen.patch_passed:
        return Flake(node_id, 1 + seen.base_passed, seen.base_failed, text)
    if seen.patch_failed and not seen.base_failed:
        text += ": the patch may break it now and then"
    return Flake(node_id, seen.patch_passed, 1 + seen.patch_failed, text, held=not seen.base_failed)


def _not_fixed(node_id: str, seen: _Seen, before: int) -> Flake:
    """Of the code on which it disagrees: base, on which it failed `before` times, or the patch."""
    text = f"failed on base in {before} runs of the suite; repeated, in {seen.base_failed} of "
    text += f"{seen.base_failed + seen.base_passed} runs on base"
    if seen.patch_passed or seen.patch_failed:
        text += f" and in {seen.patch_failed} of {seen.patch_failed + seen.patch_passed} with the patch"
    if seen.base_passed:
        return Flake(node_id, seen.base_passed, before + seen.base_failed, text)
    return Flake(node_id, seen.patch_passed + 1, seen.patch_failed, text)
