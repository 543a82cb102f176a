"""A whole job whose GitHub is the stand-in, through the real adapter; the repository's tests are scripted."""

from pathlib import Path
from typing import TYPE_CHECKING

from fakes import FakeClock, MemoryJournal
from fakes_checks import FakeChecks
from fakes_fix import FILES, RECIPE, ScriptedSources, grading
from fakes_ledger import MemoryLedger
from fakes_reviews import MemoryReviews
from fakes_threads import FakeBranches, FakeThreads
from fakes_workspace import ScriptedWorkspace
from github_worlds import BOT, StandInWorld

from bot.adapters.git import MirrorSources
from bot.jobs import FixCheck, FixIssue, Job, JobOutcome
from bot.pipeline.fix import fix
from bot.pipeline.ports.github import FailedJob
from bot.pipeline.ports.job import FixSettings, Ports, Sources
from bot.repair.team.roles import Models
from bot.repair.types import Base, BudgetLimits
from sandbox.spec import Egress, File, Given

if TYPE_CHECKING:
    from collections.abc import Callable


class Meanwhile:
    """`Environments` that are ready at once; `act` is what the world does at that moment, in the middle of the job."""

    def __init__(self) -> None:
        self.act: Callable[[], object] = lambda: None

    def prepare(self, repository: str, commit: str, given: Given) -> Base:
        del given
        self.act()
        return Base(repository, commit, RECIPE)

    def egress(self) -> tuple[Egress, ...]:
        return ()


class SiteStage:
    """One repository on the stand-in with one fault, one issue and one red check on `main`."""

    def __init__(self, world: StandInWorld) -> None:
        self.world = world
        self.sources: Sources = ScriptedSources()
        self.meanwhile = Meanwhile()
        self.journal = MemoryJournal()
        self.head = world.push("main", {path: File(data) for path, data in FILES.items()})
        self.number = world.open_issue("regreen")
        self.issue = FixIssue(
            "d1", world.installation, world.full_name, "main", self.number, "Fifty should pass", "It fails.", "mona"
        )

    def check(self, branch: str = "main") -> FixCheck:
        """A red check on the head of a branch."""
        head = self.world.github.branch_head(branch) or ""
        log = "FAILED tests/test_grades.py::test_fifty - AssertionError"
        suite = self.world.suite(head, (FailedJob("tests", "failure", log),))
        return FixCheck("d2", self.world.installation, self.world.full_name, branch, head, suite, "mona")

    def mirrors(self, directory: Path) -> MirrorSources:
        """Real fetching from the stand-in, with the App's token."""
        world = self.world
        return MirrorSources(
            directory,
            lambda repository: f"{world.stand_in.base_url}/{repository}.git",
            lambda repository: world.tokens.token(world.installation, repository, (("contents", "read"),)),
        )

    def run(self, job: Job | None = None) -> JobOutcome:
        """Run the job to its end."""
        ports = Ports(
            github=self.world.github,
            sources=self.sources,
            environments=self.meanwhile,
            workspace=ScriptedWorkspace(FILES, grading),
            models=Models(),
            clock=FakeClock(),
            journal=self.journal,
            reviews=MemoryReviews(),
            checks=FakeChecks(),
            ledger=MemoryLedger(),
            threads=FakeThreads(),
            branches=FakeBranches(),
        )
        return fix(job or self.issue, ports, FixSettings(BudgetLimits(), draft=False))

    @property
    def comments(self) -> list[str]:
        """What the App wrote below the issue."""
        return [comment.body for comment in self.world.comments(self.number) if comment.author == BOT]

    @property
    def summaries(self) -> list[str]:
        """What the App's check runs say on the commit that was red."""
        runs = [run for run in self.world.repository.runs.values() if run.head_sha == self.head]
        return [str(run.output.get("summary")) for run in runs if run.app is self.world.state.app]

    def made(self) -> tuple[int, int, int]:
        """How many of our branches, of their commits over `main`, and of pull requests there are."""
        git = self.world.repository.git
        ours = [sha for name, sha in git.refs().items() if name.startswith("refs/heads/regreen/")]
        commits = {sha for sha in ours if git.commit(sha).parents == (self.head,)}
        return len(ours), len(commits), len(self.world.pulls())
