"""What admission is about, and what comes of it."""

from dataclasses import dataclass
from enum import StrEnum

from bot.jobs import Job
from bot.pipeline.governance.policyfile import House
from bot.pipeline.ports.checks import Against, Checks
from bot.pipeline.ports.github import GitHub, RepositoryFacts
from bot.pipeline.texts import Why
from bot.policy import RepoPolicy


class Way(StrEnum):
    """How a fix reaches people: a pull request of its own, a commit on one of our branches, or words alone."""

    PULL_REQUEST = "pull_request"
    PUSH = "push"
    SUGGEST = "suggest"


@dataclass(frozen=True, slots=True)
class Admission:
    """What a job works on: base branch and commit, and the branch that its fix goes to, in which way.

    `against` is the pull request whose head is worked on, `None` for none. Of a fork, its branch is none of ours.
    """

    base_branch: str
    base_commit: str
    fix_branch: str
    way: Way = Way.PULL_REQUEST
    against: Against | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a job does not start, and what would change that."""

    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Case:
    """One job, the repository as it is now, and what its maintainers decided."""

    job: Job
    github: GitHub
    house: House
    checks: Checks

    @property
    def facts(self) -> RepositoryFacts:
        """The repository's facts."""
        return self.house.facts

    @property
    def policy(self) -> RepoPolicy:
        """The policy."""
        return self.house.policy

    def refused(self, why: Why, **values: object) -> Refusal:
        """The refusal in the policy's language; values from outside have to be escaped."""
        return Refusal(*why.say(self.policy.language, **values))
