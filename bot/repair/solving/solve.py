"""Code from a description until hidden tests pass: the repair loop over an empty module."""

import hashlib
from dataclasses import asdict, dataclass

from bot.errors import NoTestsError
from bot.repair.integrity.suspect import suspicions
from bot.repair.loop import repair
from bot.repair.measuring.baseline import measure
from bot.repair.ports import Proposer
from bot.repair.proposers import Arm
from bot.repair.rules import Rules, World
from bot.repair.solving import hidden_tests
from bot.repair.solving.hidden_tests import Kind
from bot.repair.solving.solution import SOLUTION, code
from bot.repair.team.reflect import StatedReflector
from bot.repair.types import Attempt, Base, RepairResult, StopReason, Task, Usage
from sandbox.spec import File, Recipe, Tree

REPOSITORY = "local/solve"

_VERDICT_FROM = {
    Kind.UNITTEST: "unittest cases, run by pytest, reported test by test",
    Kind.PYTEST: "pytest, reported test by test",
    Kind.SCRIPT: "a plain script: exit status 0 and its own closing line, both",
}


@dataclass(frozen=True, slots=True)
class SolvePlan:
    """What is solved where: a tree of an empty module and its tests, named by `base` as a commit names a tree."""

    text: str
    kind: Kind
    tests: str
    tree: Tree
    base: Base

    @property
    def recipe(self) -> Recipe:
        """How the tests are set up and run."""
        return self.base.recipe


@dataclass(frozen=True, slots=True)
class SolveReport:
    """How it ended. `code` is the solution, or else the best module; `tests` counts the hidden tests.

    `suspicions` say which failing tests may themselves be wrong; `verdict_from` what the verdict rests on.
    """

    solved: bool
    attempts: int
    passed_by_attempt: tuple[int, ...]
    tests: int
    stop: StopReason
    detail: str
    verdict_from: str
    suspicions: tuple[str, ...]
    code: str
    usage: Usage
    seconds: float
    result: RepairResult

    def as_json(self) -> dict[str, object]:
        """Plain JSON values; attempts with their verdicts and lessons."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in {"result", "usage"}}
        return {
            **fields,
            "stop": self.stop.value,
            "passed_by_attempt": list(self.passed_by_attempt),
            "suspicions": list(self.suspicions),
            **asdict(self.usage),
            "history": [_attempt(attempt) for attempt in self.result.attempts],
        }

    def lines(self) -> list[str]:
        """The same for a terminal, the conclusion last."""
        lines = [
            f"attempt {attempt.number}: {attempt.verdict}, {attempt.passed} of {self.tests} tests passed"
            + ("" if attempt is self.result.solution else f": {attempt.failure or attempt.reason}")
            for attempt in self.result.attempts
        ]
        lines += self.suspicions
        end = f"{'solved' if self.solved else 'not solved'}: {self.stop} ({self.detail})"
        return [*lines, f"verdict from {self.verdict_from}", end]


def plan(task_text: str, tests_source: str) -> SolvePlan:
    """Lay out the tree and its recipe. Raises `CollectionFailedError` or `SetUpError` for tests that cannot be run."""
    hidden = hidden_tests.read(tests_source)
    tree = {SOLUTION: File(b""), hidden.path: File(hidden.source.encode("utf-8", "replace"))}
    commit = hashlib.sha256(f"{hidden.path}\0".encode() + tree[hidden.path].data).hexdigest()
    return SolvePlan(task_text, hidden.kind, tests_source, tree, Base(REPOSITORY, commit, hidden.recipe))


def solve(what: SolvePlan, proposer: Proposer, world: World, rules: Rules) -> SolveReport:
    """Propose modules until the hidden tests pass or a stop is reached. The targets are what an empty module fails.

    `world.workspace` must serve `what.tree` under `what.base`. Raises `NoTestsError` when nothing fails without a
    solution, and whatever else `measure` and `repair` raise.
    """
    baseline = measure(world.workspace, what.base)
    if not baseline.failing:
        raise NoTestsError("No test fails on an empty module", "Give tests that call what the task describes.")
    title = what.text.strip().split("\n", 1)[0]
    task = Task(what.base, title, what.text, baseline.failing_ids)
    result = repair(task, baseline, (Arm(proposer),), StatedReflector(), world, rules)
    shown = result.solution or result.best or _last_module(result)
    return SolveReport(
        solved=result.solution is not None,
        attempts=len(result.attempts),
        passed_by_attempt=tuple(attempt.passed for attempt in result.attempts),
        tests=len({*baseline.failing_ids, *baseline.passing, *baseline.skipped, *baseline.flaky}),
        stop=result.stop,
        detail=result.detail,
        verdict_from=_VERDICT_FROM[what.kind],
        suspicions=_suspicions(what, result),
        code=code(shown),
        usage=result.usage,
        seconds=result.seconds,
        result=result,
    )


def _last_module(result: RepairResult) -> Attempt | None:
    return next((attempt for attempt in reversed(result.attempts) if attempt.proposal), None)


def _suspicions(what: SolvePlan, result: RepairResult) -> tuple[str, ...]:
    """Only against a module that other tests vouch for; a script is one test, so there its last module must do."""
    blamed = result.best or (_last_module(result) if what.kind is Kind.SCRIPT else None)
    if result.solution is not None or blamed is None:
        return ()
    return suspicions(what.tests, code(blamed), blamed.red)


def _attempt(attempt: Attempt) -> dict[str, object]:
    return {
        "number": attempt.number,
        "verdict": attempt.verdict.value,
        "reason": attempt.reason,
        "failure": attempt.failure,
        "passed": attempt.passed,
        "total": attempt.total,
        "explanation": attempt.proposal.explanation if attempt.proposal else "",
        "lesson": asdict(attempt.reflection) if attempt.reflection else None,
        "seconds": attempt.seconds,
    }
