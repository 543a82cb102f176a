"""A whole job on a repository of one's own making, tested in real containers; GitHub is the fake."""

from collections.abc import Mapping
from dataclasses import dataclass

from fakes import FakeClock, MemoryJournal
from fakes_checks import FakeChecks
from fakes_fix import ScriptedSources
from fakes_github import FakeGitHub
from fakes_ledger import MemoryLedger
from fakes_reviews import MemoryReviews
from fakes_threads import FakeBranches, FakeThreads

from bot.jobs import FixIssue, JobOutcome
from bot.pipeline.fix import fix
from bot.pipeline.ports.github import IssueFacts
from bot.pipeline.ports.job import Environments, FixSettings, Ports
from bot.repair.ports import Workspace
from bot.repair.team.roles import Models
from bot.repair.types import BudgetLimits
from sandbox.spec import File, Tree

REPOSITORY = "regreen-tests/bad"
REQUIREMENTS: Mapping[str, str] = {"requirements.txt": ""}
"""The same for every repository here, so that they share one environment."""


class FakeTrees:
    """`Trees` over what the fake GitHub holds."""

    def __init__(self, github: FakeGitHub) -> None:
        self._github = github

    def tree(self, repository: str, commit: str) -> Tree:
        assert repository == REPOSITORY
        return self._github.commits[commit].tree


def hosting(files: Mapping[str, str]) -> FakeGitHub:
    """A GitHub whose one repository has these files, and an open issue 7."""
    github = FakeGitHub(files={path: File(text.encode()) for path, text in files.items()})
    github.issues[7] = IssueFacts(is_open=True, labels=("regreen",))
    return github


@dataclass(frozen=True)
class Ended:
    """What a job left behind."""

    outcome: JobOutcome
    comments: list[str]
    journal: MemoryJournal


def run_job(github: FakeGitHub, environments: Environments, workspace: Workspace) -> Ended:
    """Run the job of issue 7 to its end; without a model."""
    job = FixIssue("d1", 5, REPOSITORY, "main", 7, "It is broken", "It fails.", "mona")
    journal = MemoryJournal()
    ports = Ports(
        github=github,
        sources=ScriptedSources(),
        environments=environments,
        workspace=workspace,
        models=Models(),
        clock=FakeClock(),
        journal=journal,
        reviews=MemoryReviews(),
        checks=FakeChecks(),
        ledger=MemoryLedger(),
        threads=FakeThreads(),
        branches=FakeBranches(),
    )
    outcome = fix(job, ports, FixSettings(BudgetLimits(), draft=False))
    return Ended(outcome, [comment.body for comment in github.comments[7]], journal)
