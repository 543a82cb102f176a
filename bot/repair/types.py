"""The loop's values: what a repair starts from, what each attempt was, how it ended. Frozen, portable as JSON."""

from dataclasses import dataclass
from enum import StrEnum

from bot.repair.asked import NOTHING, Asked
from bot.repair.measuring.flake import Flake
from bot.repair.measuring.odds import SLOW_SUITE_SECONDS
from sandbox.spec import Recipe, TestResult, TestRun


@dataclass(frozen=True, slots=True)
class Base:
    """What patches apply to, in terms that another machine can rebuild: a commit and a recipe, never an image."""

    repository: str
    commit: str
    recipe: Recipe


@dataclass(frozen=True, slots=True)
class FileChange:
    """The whole new content of one file, as bytes; `None` deletes it. The file's mode is kept."""

    path: str
    content: bytes | None


@dataclass(frozen=True, slots=True)
class Patch:
    """A set of file changes with unique paths, sorted by path; all of them or nothing."""

    changes: tuple[FileChange, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths that this patch touches."""
        return tuple(change.path for change in self.changes)


@dataclass(frozen=True, slots=True)
class Selection:
    """Tests to run: these node ids, the whole suite for none; with a `seed` in that random order if the runner can."""

    node_ids: tuple[str, ...] = ()
    seed: int | None = None


WHOLE_SUITE = Selection()


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of the base tree, as bytes."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Screening:
    """A hint from a shared container, never a verdict: whether the selected tests passed with this patch."""

    plausible: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call; `estimated` when the server reported none. `dollars` is 0 for a free model."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    dollars: float = 0.0
    estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        """Add up two calls."""
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.dollars + other.dollars,
            self.estimated or other.estimated,
        )

    @property
    def tokens(self) -> int:
        """Prompt and completion together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message; `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class CompletionLimits:
    """What one model call may take. A `seed` asks for a sample of its own, where the server honours it."""

    max_tokens: int = 2048
    temperature: float = 0.0
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer; `finish_reason` is `length` when it was cut off."""

    text: str
    finish_reason: str
    usage: Usage
    model: str


class Origin(StrEnum):
    """Where a patch came from; `MUTATION` is low trust and always published as a draft."""

    MODEL = "model"
    MUTATION = "mutation"
    GIVEN = "given"


@dataclass(frozen=True, slots=True)
class Proposal:
    """One candidate fix with what its author said of it."""

    patch: Patch
    origin: Origin
    explanation: str
    rung: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a proposer came back with: a proposal, or a refusal that says why there is none.

    `exhausted` means that asking again can bring nothing new, `greedy` that it is a model's one likeliest answer;
    `usage` is charged in every case. `prompt` and `reply` are what a model was asked and what it said, for the log.
    """

    proposal: Proposal | None
    refusal: str = ""
    exhausted: bool = False
    usage: Usage = Usage()
    prompt: tuple[Message, ...] = ()
    reply: str = ""
    greedy: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a patch did to the suite, by node id, against the baseline. Flaky ids are in none; but see `Flake.held`."""

    fixed: tuple[str, ...] = ()
    still_failing: tuple[str, ...] = ()
    regressed: tuple[str, ...] = ()
    new_passing: tuple[str, ...] = ()
    new_failing: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Baseline:
    """The suite on the base commit: `failing` and `passing` are stable over every run, `flaky` are not.

    `flakes` says why of each of `flaky`, as far as it is known; `orders` in which order the tests ran, for people.
    """

    runs: int
    failing: tuple[TestResult, ...]
    passing: tuple[str, ...]
    flaky: tuple[str, ...]
    skipped: tuple[str, ...]
    suite_seconds: float
    flakes: tuple[Flake, ...] = ()
    orders: str = ""

    @property
    def failing_ids(self) -> tuple[str, ...]:
        """Node ids that fail every time."""
        return tuple(result.node_id for result in self.failing)


@dataclass(frozen=True, slots=True)
class Task:
    """What a repair is for. `text` is untrusted; `targets` are the ids that must turn green.

    `additions` are new test files, laid over the base tree, under every patch, and published; for `asked` see there.
    """

    base: Base
    title: str
    text: str
    targets: tuple[str, ...]
    additions: Patch = Patch()
    asked: Asked = NOTHING


class Verdict(StrEnum):
    """What became of one attempt."""

    SOLVED = "solved"
    REGRESSED = "regressed"
    NOT_FIXED = "not_fixed"
    PARTIAL = "partial"
    INVALID_RUN = "invalid_run"
    REFUSED = "refused"
    REJECTED = "rejected"
    DOUBTED = "doubted"
    NOT_APPLIED = "not_applied"
    REPEATED = "repeated"


@dataclass(frozen=True, slots=True)
class Reflection:
    """A lesson: from a model, or, with `stated` true, plain facts put together without one."""

    cause: str
    lesson: str
    stated: bool


@dataclass(frozen=True, slots=True)
class Attempt:
    """One candidate, whole: what was proposed, what the tests did, what was learned, what it cost.

    `failure` is one line on the first red target; `red` holds the first red results, targets before regressions.
    `passed` of `total` are of the widest run. `tree` hashes the patch's normalised code, `changed_lines` counts lines
    added and removed. `round` is the iteration that it shares with its siblings, `greedy` as in `Proposed`.
    """

    number: int
    verdict: Verdict
    proposal: Proposal | None
    comparison: Comparison
    reason: str
    failure: str
    reflection: Reflection | None
    usage: Usage
    seconds: float
    passed: int = 0
    total: int = 0
    red: tuple[TestResult, ...] = ()
    tree: str = ""
    changed_lines: int = 0
    round: int = 0
    greedy: bool = False


class StopReason(StrEnum):
    """Why a repair ended; every run has exactly one, and it is always shown."""

    SOLVED = "solved"
    ITERATIONS = "iterations"
    TOKENS = "tokens"
    DOLLARS = "dollars"
    WALL_CLOCK = "wall_clock"
    IDENTICAL_CODE = "identical_code"
    CYCLE = "cycle"
    SAME_FAILURE = "same_failure"
    FORMAT_ERRORS = "format_errors"
    NO_SHRINK = "no_shrink"
    TARGETS_FLAKY = "targets_flaky"
    EXHAUSTED = "exhausted"
    MODEL_FAILED = "model_failed"
    TESTS_FAILED_TO_RUN = "tests_failed_to_run"


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """What one run may spend; a suite slower than `slow_suite_seconds` is repeated less often."""

    iterations: int = 8
    tokens: int = 200_000
    dollars: float = 2.0
    wall_seconds: float = 1800.0
    slow_suite_seconds: float = SLOW_SUITE_SECONDS


@dataclass(frozen=True, slots=True)
class RepairResult:
    """How it ended: `solution` exactly if `stop` is `SOLVED`, else the `best` attempt; `passing` counts solutions."""

    stop: StopReason
    detail: str
    attempts: tuple[Attempt, ...]
    baseline: Baseline
    usage: Usage
    seconds: float
    solution: Attempt | None = None
    best: Attempt | None = None
    verification: TestRun | None = None
    passing: int = 0
