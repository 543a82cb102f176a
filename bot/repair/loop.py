"""The repair loop: propose, run, compare, select, reflect, until the task is solved or a named stop is reached.

Pure code: time, tests, models and the log are ports, and every call of theirs is one durable step.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from bot.errors import BudgetError, ModelError, WorkspaceError
from bot.repair import describe, record
from bot.repair.attempts import Examined, Examiner, best
from bot.repair.integrity.suites import suites
from bot.repair.ports import Proposer, Reflector, Reviewer
from bot.repair.proposers import Arm
from bot.repair.protection import protect
from bot.repair.rules import Rules, World
from bot.repair.select import among, passing
from bot.repair.stops import Stop, enumerated, stop_after
from bot.repair.team.reflect import stated
from bot.repair.types import Attempt, Baseline, RepairResult, StopReason, Task, Usage, Verdict
from bot.repair.verify import without
from sandbox.spec import TestRun

RAN = frozenset({Verdict.REGRESSED, Verdict.NOT_FIXED, Verdict.PARTIAL, Verdict.INVALID_RUN})
FINAL = frozenset(
    {
        StopReason.SOLVED,
        StopReason.ITERATIONS,
        StopReason.WALL_CLOCK,
        StopReason.TESTS_FAILED_TO_RUN,
        StopReason.TARGETS_FLAKY,
    }
)
"""Stops that end the run; the others end one arm's part in it."""
RESERVE_ROUNDS = 2
"""So that a model which doubts too much costs a little more, and no fix."""
OBJECTS = {Verdict.REJECTED: "the reviewer's veto", Verdict.DOUBTED: "it passes, but a model doubts it"}


def repair(
    task: Task, baseline: Baseline, arms: tuple[Arm, ...], reflector: Reflector, world: World, rules: Rules
) -> RepairResult:
    """Repair until solved or stopped; what was found is in the result either way.

    `task.targets` must be failing in `baseline`; a task that is `unshown` has none. The arms are asked one after
    another, each until it is stuck or its share is used up. A model that fails is such a stop, and so are tests that
    cannot be run any more. Raises `WorkspaceError` when they cannot be run at all.
    """
    known = world.workspace.paths(task.base)
    protection = protect(world.workspace, task.base, known, baseline, rules.protected)
    tests = suites(world.workspace, task)
    examiner = Examiner(task, baseline, world, rules, frozenset(known), protection, tests)
    run = _Run(examiner, reflector, world, rules, task.targets)
    record.started(world.journal, task, baseline)
    stops: list[Stop] = []
    for arm in arms:
        stop = run.pursue(arm)
        stops += [stop] if stop else []
        if stop and stop[0] in FINAL:
            break
    result = run.result(run.reserve() or _telling(stops))
    record.stopped(world.journal, result, world.meter.by_role)
    return result


@dataclass(slots=True)
class _Run:
    """One repair under way: its attempts so far, and what their verdicts rest on by their numbers.

    The examiner's task and baseline are what is known by now: a test that turns out to be flaky leaves them. `targets`
    are those it began with.
    """

    examiner: Examiner
    reflector: Reflector
    world: World
    rules: Rules
    targets: tuple[str, ...]
    attempts: tuple[Attempt, ...] = ()
    runs: dict[int, TestRun | None] = field(default_factory=dict)

    def pursue(self, arm: Arm) -> Stop | None:
        """Ask one arm, round by round, until something stops it; `None` when its share is used up."""
        clock, meter = self.world.clock, self.world.meter
        begun, before = clock.now(), meter.iterations
        now, stop = begun, None
        while stop is None:
            stop = meter.over(now) or self._waited()
            if stop or arm.used_up(meter.limits, meter.iterations - before, now - begun):
                break
            try:
                stop = self._round(arm.proposer, now)
            except BudgetError as error:
                stop = meter.stop or (StopReason.TOKENS, error.cause)
            except (ModelError, WorkspaceError) as error:
                stop = _failed(error, self.attempts)
            now = clock.now()
        return stop

    def _round(self, proposer: Proposer, begun: float) -> Stop | None:
        clock, journal, meter = self.world.clock, self.world.journal, self.world.meter
        task, baseline = self.examiner.task, self.examiner.baseline
        answers = proposer.propose(task, baseline, self.attempts)
        for at, answer in enumerate(answers, len(self.attempts) + 1):
            record.proposed(journal, at, answer, clock.now() - begun)
        candidates = [answer for answer in answers if answer.proposal or not answer.exhausted]
        stop = None
        if candidates:
            meter.begin()
            examined = self.examiner.examine(meter.iterations, candidates, self.attempts)
            self._learn(self._reviewed(self._without_flaky(examined)), begun)
            stop = self._solved() or stop_after(self.attempts, self.rules.patience)
        last = next((answer for answer in answers if answer.exhausted), None)
        if stop is None and last is not None:
            stop = StopReason.EXHAUSTED, last.refusal or "there is no further candidate"
        return stop

    def _without_flaky(self, examined: tuple[Examined, ...]) -> tuple[Examined, ...]:
        """The round, where what it found flaky is no target any more: who fixed nothing else solves nothing.

        That goes for what is kept in reserve as well.
        """
        flakes = tuple(flake for one in examined for flake in one.flakes)
        task, baseline = without(self.examiner.task, self.examiner.baseline, flakes)
        self.examiner = replace(self.examiner, task=task, baseline=baseline)
        for at, attempt in enumerate(self.attempts):
            judged = _standing(attempt, task, baseline)
            if judged != attempt:
                self._judge_again(at, judged)
        return tuple(replace(one, attempt=_standing(one.attempt, task, baseline)) for one in examined)

    def _judge_again(self, at: int, judged: Attempt) -> None:
        self.attempts = (*self.attempts[:at], judged, *self.attempts[at + 1 :])
        record.judged(self.world.journal, judged)

    def _reviewed(self, examined: tuple[Examined, ...]) -> tuple[Examined, ...]:
        """The round after a model has judged its solutions, the most believable first, until it lets one pass.

        They come in the order in which one is taken, so that nobody takes another one than was let pass.
        """
        by_number = {one.attempt.number: one for one in examined}
        for solution in passing((*self.attempts, *(one.attempt for one in examined))):
            judge, against = self._judge(solution)
            if judge is None or solution.proposal is None:
                break
            task, baseline = self.examiner.task, self.examiner.baseline
            before = self.examiner.before(solution.proposal)
            opinion = judge.review(task, baseline, solution.proposal, before)
            record.reviewed(self.world.journal, solution.number, opinion)
            if opinion.approve:
                told = replace(solution, reason=f"{solution.reason}; its reviewer says: {opinion.reason}")
                by_number[solution.number] = replace(by_number[solution.number], attempt=told)
                break
            judged = replace(solution, verdict=against, reason=f"{OBJECTS[against]}: {opinion.reason}")
            by_number[solution.number] = replace(by_number[solution.number], attempt=judged)
        return tuple(by_number.values())

    def _judge(self, solution: Attempt) -> tuple[Reviewer | None, Verdict]:
        """Who is asked about a solution, and what becomes of it if that is against it."""
        if self.world.reviewer is None and enumerated(solution):
            return self.world.doubter, Verdict.DOUBTED
        return self.world.reviewer, Verdict.REJECTED

    def _learn(self, examined: tuple[Examined, ...], begun: float) -> None:
        """Take the round in, with a lesson for each that failed: facts, and a model's word on the closest one.

        Nobody is asked where nobody is going to read it: no prompt shows what a search made.
        """
        attempts = [one.attempt for one in examined]
        ran = tuple(attempt for attempt in attempts if attempt.verdict in RAN and not enumerated(attempt))
        over = any(attempt.verdict is Verdict.SOLVED for attempt in attempts) or self.world.meter.over(begun)
        asked = None if over or not ran or not self._aims else (best(ran) or ran[0]).number
        learned: list[Attempt] = []
        for attempt in attempts:
            reflection, usage = None if attempt.verdict is Verdict.SOLVED else stated(attempt), Usage()
            if attempt.number == asked:
                reflection, usage = self.reflector.reflect(self.examiner.task, attempt)
            learned.append(replace(attempt, reflection=reflection, usage=attempt.usage + usage))
        seconds = (self.world.clock.now() - begun) / len(learned)
        for attempt in learned:
            self.attempts += (replace(attempt, seconds=seconds),)
            record.judged(self.world.journal, self.attempts[-1])
        self.runs |= {one.attempt.number: one.run for one in examined}

    def _solved(self) -> Stop | None:
        models = [attempt for attempt in self.attempts if not enumerated(attempt)]
        again = {attempt.tree for attempt in models if attempt.verdict is Verdict.REPEATED}
        self._settle(lambda doubted: doubted.tree in again)
        found = passing(self.attempts)
        if found:
            return StopReason.SOLVED, found[0].reason + among(found)
        if not self._aims:
            found_flaky = [flake for flake in self.examiner.baseline.flakes if flake.node_id in self.targets]
            named = [f"{flake.node_id} {flake.evidence}" for flake in found_flaky]
            return StopReason.TARGETS_FLAKY, named[-1] if named else "there was no target"
        return None

    @property
    def _aims(self) -> bool:
        return bool(self.examiner.task.targets) or self.examiner.task.asked.unshown

    def _waited(self) -> Stop | None:
        """Whether models have had long enough to better a solution that one of them doubts."""
        doubted = [attempt.round for attempt in self.attempts if attempt.verdict is Verdict.DOUBTED]
        since = {one.round for one in self.attempts if doubted and one.round > min(doubted) and not enumerated(one)}
        if len(since) < RESERVE_ROUNDS:
            return None
        return StopReason.EXHAUSTED, f"nothing better in {RESERVE_ROUNDS} rounds than a solution that is doubted"

    def _settle(self, wanted: Callable[[Attempt], bool]) -> None:
        """Let doubted solutions count after all: a model has come to the same, or nobody to anything better."""
        for at, attempt in enumerate(self.attempts):
            if attempt.verdict is Verdict.DOUBTED and wanted(attempt):
                self._judge_again(at, replace(attempt, verdict=Verdict.SOLVED))

    def reserve(self) -> Stop | None:
        """The stop with what was kept in reserve, where nothing better was found."""
        if not passing(self.attempts):
            self._settle(lambda _: True)
        return self._solved() if passing(self.attempts) else None

    def result(self, stop: Stop) -> RepairResult:
        """How it ended."""
        found = passing(self.attempts)
        solution = found[0] if found else None
        meter = self.world.meter
        return RepairResult(
            stop=stop[0],
            detail=stop[1],
            attempts=self.attempts,
            baseline=self.examiner.baseline,
            usage=meter.spent,
            seconds=self.world.clock.now() - meter.started,
            solution=solution,
            best=None if solution else best(self.attempts),
            verification=self.runs[solution.number] if solution else None,
            passing=len(found),
        )


def _standing(attempt: Attempt, task: Task, baseline: Baseline) -> Attempt:
    """The attempt, which solves nothing where all the targets that it fixed are known to be flaky by now."""
    fixed = attempt.comparison.fixed
    solves = task.asked.unshown or set(fixed) & set(task.targets)
    if attempt.verdict not in {Verdict.SOLVED, Verdict.DOUBTED} or solves:
        return attempt
    lost = tuple(node_id for node_id in fixed if node_id in baseline.flaky)
    kept = tuple(node_id for node_id in fixed if node_id not in lost)
    reason = f"what it fixed is flaky: {describe.some(lost)}"
    return replace(
        attempt, verdict=Verdict.NOT_FIXED, comparison=replace(attempt.comparison, fixed=kept), reason=reason
    )


def _failed(error: ModelError | WorkspaceError, attempts: tuple[Attempt, ...]) -> Stop:
    """What failed in the middle is a stop, so that what was found before is kept; without attempts nothing was."""
    if isinstance(error, ModelError):
        return StopReason.MODEL_FAILED, str(error)
    if not attempts:
        raise error
    return StopReason.TESTS_FAILED_TO_RUN, str(error)


def _telling(stops: list[Stop]) -> Stop:
    """The stop that says most of why there is no fix: that an arm had no more candidates says least."""
    if stops and stops[-1][0] in FINAL:
        return stops[-1]
    telling = [stop for stop in stops if stop[0] is not StopReason.EXHAUSTED] or stops
    return telling[-1] if telling else (StopReason.EXHAUSTED, "nobody was asked")
