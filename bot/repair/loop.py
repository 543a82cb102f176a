"""The repair loop: propose, run, compare, reflect, until the task is solved or a named stop is reached.

Pure code: time, tests, models and the log are ports, and every call of theirs is one durable step.
"""

from dataclasses import replace

from bot.errors import ModelError, WorkspaceError
from bot.repair import record
from bot.repair.attempts import Examiner, best
from bot.repair.budget import Budget
from bot.repair.ports import Proposer, Reflector
from bot.repair.protection import protect
from bot.repair.reflect import stated
from bot.repair.rules import Rules, World
from bot.repair.stops import Stop, stop_after
from bot.repair.types import Attempt, Baseline, RepairResult, StopReason, Task, Verdict
from sandbox.spec import TestRun

RAN = frozenset({Verdict.REGRESSED, Verdict.NOT_FIXED, Verdict.PARTIAL, Verdict.INVALID_RUN})


def repair(
    task: Task, baseline: Baseline, proposer: Proposer, reflector: Reflector, world: World, rules: Rules
) -> RepairResult:
    """Repair until solved or stopped; what was found is in the result either way.

    `task.targets` must be failing in `baseline`. A model that fails is a stop, and so are tests that cannot be
    run any more. Raises `WorkspaceError` when they cannot be run at all.
    """
    clock, journal = world.clock, world.journal
    budget = Budget(rules.limits, clock.now())
    known = world.workspace.paths(task.base)
    protection = protect(world.workspace, task.base, known, baseline, rules.protected)
    examiner = Examiner(task, baseline, world, rules, frozenset(known), protection)
    attempts: tuple[Attempt, ...] = ()
    run = None
    stop: Stop | None = None
    record.started(journal, task, baseline)

    while stop is None:
        begun = clock.now()
        if reason := budget.stop_before(proposer.reserve(task, attempts), begun):
            stop = reason, budget.explain(reason, begun)
            break
        try:
            proposed = proposer.propose(task, baseline, attempts)
            budget = budget.charge(proposed.usage)
            record.proposed(journal, len(attempts) + 1, proposed, clock.now() - begun)
            if proposed.proposal is None and proposed.exhausted:
                stop = StopReason.EXHAUSTED, proposed.refusal
                break
            budget = budget.begin()
            attempt, run = examiner.examine(len(attempts) + 1, proposed, attempts)
        except (ModelError, WorkspaceError) as error:
            stop = _failed(error, attempts)
            break
        attempt, budget = _learn(task, attempt, reflector, budget, clock.now())
        attempts += (replace(attempt, seconds=clock.now() - begun),)
        record.judged(journal, attempts[-1])
        stop = stop_after(attempts)
        if stop is None and proposed.exhausted:
            stop = StopReason.EXHAUSTED, "there is no further candidate"

    result = _result(stop, attempts, baseline, budget, clock.now(), run)
    record.stopped(journal, result)
    return result


def _failed(error: ModelError | WorkspaceError, attempts: tuple[Attempt, ...]) -> Stop:
    """What failed in the middle is a stop, so that what was found before is kept; without attempts nothing was."""
    if isinstance(error, ModelError):
        return StopReason.MODEL_FAILED, str(error)
    if not attempts:
        raise error
    return StopReason.TESTS_FAILED_TO_RUN, str(error)


def _learn(task: Task, attempt: Attempt, reflector: Reflector, budget: Budget, now: float) -> tuple[Attempt, Budget]:
    """Add the lesson: none for a solution, facts where no test ran or the budget has no room for more."""
    if attempt.verdict is Verdict.SOLVED:
        return attempt, budget
    if attempt.verdict not in RAN or budget.short_of(reflector.reserve(task, attempt), now):
        return replace(attempt, reflection=stated(attempt)), budget
    reflection, usage = reflector.reflect(task, attempt)
    return replace(attempt, reflection=reflection, usage=attempt.usage + usage), budget.charge(usage)


def _result(
    stop: Stop, attempts: tuple[Attempt, ...], baseline: Baseline, budget: Budget, now: float, run: TestRun | None
) -> RepairResult:
    solution = attempts[-1] if stop[0] is StopReason.SOLVED else None
    return RepairResult(
        stop=stop[0],
        detail=stop[1],
        attempts=attempts,
        baseline=baseline,
        usage=budget.spent,
        seconds=now - budget.started,
        solution=solution,
        best=None if solution else best(attempts),
        verification=run if solution else None,
    )
