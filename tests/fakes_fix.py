"""A whole job over scripted ports: one small module with one fault, its suite computed from the patched source."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from fakes import FakeClock, MemoryJournal
from fakes_checks import FakeChecks
from fakes_github import FakeGitHub
from fakes_labels import FakeLabels
from fakes_ledger import MemoryLedger
from fakes_reviews import MemoryReviews
from fakes_threads import FakeBranches, FakeThreads
from fakes_workspace import ScriptedWorkspace, Suite

from bot.errors import RegreenError
from bot.jobs import FixCheck, FixIssue, Job, JobOutcome
from bot.pipeline.fix import fix
from bot.pipeline.ports.github import FailedJob, IssueFacts
from bot.pipeline.ports.job import Environments, FixSettings, Ports, Reviews, Unkept
from bot.pipeline.ports.store import LastWords
from bot.repair.ports import Model, Workspace
from bot.repair.team.capabilities import assumed
from bot.repair.team.facts import Facts, ModelFacts
from bot.repair.team.roles import Models
from bot.repair.types import Base, BudgetLimits
from sandbox.spec import Egress, File, Frame, Given, Outcome, Recipe, TestResult

SOURCE = b"def grade(score):\n    if score > 50:\n        return 'pass'\n    return 'fail'\n"
TESTS = b"from grades import grade\n\n\ndef test_fifty():\n    assert grade(50) == 'pass'\n"
FILES = {"grades.py": SOURCE, "tests/test_grades.py": TESTS}
RECIPE = Recipe("python", (), ("python", "-m", "pytest"), "pyproject.toml:1")

MODEL_ALONE = Facts(ModelFacts(can=replace(assumed(""), search=False)))
"""Without the mutation search, which finds this fix before a model says anything."""

FIFTY, ZERO, HIGH = (f"tests/test_grades.py::test_{name}" for name in ("fifty", "zero", "high"))
CASES = {FIFTY: (50, "pass"), ZERO: (0, "fail"), HIGH: (90, "pass")}


def grading(files: Mapping[str, bytes]) -> dict[str, TestResult]:
    """What the three tests would do with this source; the source is our own test data."""
    namespace: dict[str, object] = {}
    exec(files["grades.py"], namespace)  # noqa: S102 - mutants of our own four lines
    grade = namespace["grade"]
    assert callable(grade)
    if files.get("tests/test_grades.py", TESTS) != TESTS:
        # it cannot know what they ask now
        return {node_id: _result(node_id, "whatever", "else") for node_id in CASES}
    return {node_id: _result(node_id, _graded(grade, score), wanted) for node_id, (score, wanted) in CASES.items()}


def _graded(grade: Callable[[int], object], score: int) -> object:
    try:
        return grade(score)
    except Exception as error:  # noqa: BLE001 - a mutant may do anything
        return error


def _result(node_id: str, got: object, wanted: str) -> TestResult:
    if got == wanted:
        return TestResult(node_id, Outcome.PASSED)
    frames = (Frame("tests/test_grades.py", 5, node_id.rsplit("::", 1)[1]),)
    message = f"assert {got!r} == {wanted!r}"
    return TestResult(node_id, Outcome.FAILED, "call", 0.1, "AssertionError", message, frames)


@dataclass
class ScriptedSources:
    """Has every commit, or fails with `error`."""

    error: RegreenError | None = None

    def fetch(self, repository: str, commit: str) -> None:
        del repository, commit
        if self.error:
            raise self.error


@dataclass
class ScriptedEnvironments:
    """Prepares at once, or fails with `error`; `asked` is what that asked of the network."""

    error: RegreenError | None = None
    asked: tuple[Egress, ...] = ()

    def prepare(self, repository: str, commit: str, given: Given) -> Base:
        del given
        if self.error:
            raise self.error
        return Base(repository, commit, RECIPE)

    def egress(self) -> tuple[Egress, ...]:
        return self.asked


def _as_they_are(ports: Ports) -> Ports:
    return ports


@dataclass
class Stage:
    """One repository and everything that a job on it touches; change what a test needs, then `run`."""

    suite: Suite = grading
    model: Model | None = None
    budget: BudgetLimits = field(default_factory=BudgetLimits)
    facts: Facts = field(default_factory=Facts)
    sources: ScriptedSources = field(default_factory=ScriptedSources)
    environments: Environments = field(default_factory=ScriptedEnvironments)
    journal: MemoryJournal = field(default_factory=MemoryJournal)
    workspace: Workspace | None = None
    reviews: Reviews = field(default_factory=MemoryReviews)
    checks: FakeChecks = field(default_factory=FakeChecks)
    labels: FakeLabels = field(default_factory=FakeLabels)
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    public_url: str = ""
    tester: Model | None = None
    critic: Model | None = None
    reviewer: Model | None = None
    last_words: LastWords = field(default_factory=Unkept)
    wrap: Callable[[Ports], Ports] = _as_they_are

    def __post_init__(self) -> None:
        self.github = FakeGitHub(files={path: File(data) for path, data in FILES.items()})
        self.threads, self.branches = FakeThreads(self.github), FakeBranches(self.github)
        self.github.issues[7] = IssueFacts(is_open=True, labels=("regreen",))
        self.issue = FixIssue("d1", 5, "o/r", "main", 7, "Fifty should pass", "It fails.", "mona")
        self.head = self.github.branches["main"]

    def check(self, *logs: str, head: str = "") -> FixCheck:
        """A red check on the branch's head."""
        self.github.jobs[9] = tuple(FailedJob(f"tests {place}", "failure", log) for place, log in enumerate(logs))
        return FixCheck("d2", 5, "o/r", "main", head or self.head, 9, "mona")

    def run(self, job: Job | None = None) -> JobOutcome:
        """Run the job to its end."""
        ports = Ports(
            github=self.github,
            sources=self.sources,
            environments=self.environments,
            workspace=self.workspace or ScriptedWorkspace(FILES, self.suite),
            models=Models(self.model, self.tester, self.critic, self.reviewer),
            clock=FakeClock(),
            journal=self.journal,
            reviews=self.reviews,
            checks=self.checks,
            labels=self.labels,
            ledger=self.ledger,
            threads=self.threads,
            branches=self.branches,
            last_words=self.last_words,
        )
        settings = FixSettings(self.budget, draft=False, facts=self.facts, public_url=self.public_url)
        return fix(job or self.issue, self.wrap(ports), settings)

    @property
    def comment(self) -> str:
        """The one status comment."""
        (only,) = self.github.comments[7]
        return only.body


def passed() -> TestResult:
    """A test that passes whatever the source is."""
    return TestResult(FIFTY, Outcome.PASSED)


def failed() -> TestResult:
    """A test that fails whatever the source is."""
    return _result(FIFTY, "fail", "pass")
