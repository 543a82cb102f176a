"""What a run's log says, in the order in which it happened. Every text is somebody else's: escape it where it is shown.

Times are seconds since the epoch, durations are seconds.
"""

from dataclasses import dataclass, field

from bot.repair.types import Comparison, Reflection, Usage
from sandbox.spec import Recipe


@dataclass(frozen=True, slots=True)
class StepView:
    """One step of the run; `seconds` is `None` while it is under way, or where it never came to its end."""

    name: str
    started_at: float
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class RoleView:
    """What the calls of one role cost."""

    role: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class TrialView:
    """One test run of an attempt; `scope` is targets, suite or confirmation; `output` names an artifact."""

    scope: str
    state: str
    collected: int
    red: int
    seconds: float
    exit_code: int | None = None
    output: str = ""


@dataclass(frozen=True, slots=True)
class JudgeView:
    """What a reviewing model said of an attempt that passed."""

    approve: bool
    reason: str


@dataclass(frozen=True, slots=True)
class AttemptView:
    """One candidate. `verdict` is empty while its tests run; else a `bot.repair.types.Verdict`.

    `explanation` is what its author says of the cause, `prediction` what it says will happen. `observed` is where the
    model's own predictions of values parted from a trace of the attempt before, `condensed` what a model made of long
    output, `advice` what a critic said. `refusal` says why there is no patch, `failure` is one line on the first red
    test. `complete` says whether `comparison` names every test that changed. `added` and `removed` count lines of
    `diff`, which is `cut` where it is long: the whole one is an artifact, as the outputs, the prompt and the reply are;
    `files` names those.
    """

    number: int
    at: float
    round: int = 0
    origin: str = ""
    rung: str = ""
    model: str = ""
    explanation: str = ""
    prediction: str = ""
    detail: str = ""
    refusal: str = ""
    paths: tuple[str, ...] = ()
    diff: str = ""
    cut: bool = False
    added: int = 0
    removed: int = 0
    reply: str = ""
    observed: str = ""
    condensed: str = ""
    advice: str = ""
    trials: tuple[TrialView, ...] = ()
    judge: JudgeView | None = None
    verdict: str = ""
    reason: str = ""
    failure: str = ""
    comparison: Comparison = field(default_factory=Comparison)
    complete: bool = True
    flaky: tuple[str, ...] = ()
    passed: int = 0
    total: int = 0
    reflection: Reflection | None = None
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TestTryView:
    """A test that a model wrote to show an issue: how it was predicted to fail, and how it failed."""

    __test__ = False

    number: int
    path: str
    prediction: str
    counts: bool | None
    reason: str = ""
    failing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EnvironmentView:
    """How the repository is set up and tested, what it asked for and got nowhere, and whom the set-up asked."""

    recipe: Recipe
    commit: str
    reached: tuple[tuple[str, int], ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """Tests of which all attempts made the same; `cells` has a letter for the base and one for each column."""

    cells: str
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatrixView:
    """Tests by attempts: `rows` change or fail somewhere, those with a target first; see `matrix.MEANINGS` for letters.

    `columns` are the numbers of the attempts whose tests ran. `folded` counts the tests that no attempt is known
    to have changed, by all their cells, as a row has them. `targets` are among the rows; `cut` tests are in no row,
    since there are too many.
    """

    columns: tuple[int, ...] = ()
    rows: tuple[MatrixRow, ...] = ()
    folded: tuple[tuple[str, int], ...] = ()
    targets: frozenset[str] = frozenset()
    cut: int = 0

    @property
    def tests(self) -> int:
        """How many there are."""
        return sum(len(row.tests) for row in self.rows) + sum(count for _, count in self.folded) + self.cut


@dataclass(frozen=True, slots=True)
class ArtifactView:
    """Something to download; `name` is what `Reader.artifact` takes."""

    name: str
    about: str


@dataclass(frozen=True, slots=True)
class RunView:
    """Everything that a log says so far. `last` is the number of its last line, -1 for an empty one.

    `stop` and `detail` say why the repair ended, `state` and `headline` how the job did; all are empty until then.
    `targets` are the tests to turn green, of which there are `aims`, though not all are named; `solution` is the number
    of the attempt that did.
    """

    last: int = -1
    steps: tuple[StepView, ...] = ()
    title: str = ""
    targets: tuple[str, ...] = ()
    aims: int = 0
    baseline: tuple[tuple[str, int], ...] = ()
    tries: tuple[TestTryView, ...] = ()
    attempts: tuple[AttemptView, ...] = ()
    matrix: MatrixView = field(default_factory=MatrixView)
    stop: str = ""
    detail: str = ""
    solution: int | None = None
    best: int | None = None
    state: str = ""
    headline: str = ""
    roles: tuple[RoleView, ...] = ()
    models: tuple[tuple[str, str], ...] = ()
    environment: EnvironmentView | None = None
    artifacts: tuple[ArtifactView, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def usage(self) -> Usage:
        """What all roles cost together; until the repair has ended, what the attempts did."""
        return sum((one.usage for one in self.roles or self.attempts), Usage())

    @property
    def ended(self) -> bool:
        """Whether the job has come to its end."""
        return bool(self.state)
