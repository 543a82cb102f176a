"""A dispatcher over fakes, with all that it acts through."""

from dataclasses import dataclass, field

from fakes_app import FakeApp
from fakes_labels import FakeLabels
from fakes_leases import FakeLeases, holding
from fakes_reviews import MemoryReviews
from fakes_store import FakeDepartures, FakeHolds, FakeInbox, FakeRuns, FakeUnsaid

from bot.events import PullRequest
from bot.jobs import Job, JobEngine, JobOutcome, State, job_id
from bot.pipeline.intake.acts import Acting
from bot.pipeline.intake.dispatch import Dispatcher
from bot.pipeline.intake.lookup import Lookup
from bot.pipeline.intake.presence import Presence
from bot.pipeline.intake.queueing import Intake, Wait, at_once
from bot.pipeline.intake.site import Site
from bot.pipeline.intake.stopping import Stopping
from bot.pipeline.ports.github import GitHub
from bot.pipeline.ports.pulls import first_of
from bot.pipeline.ports.store import Runs
from bot.triggers import Operator

OPERATOR = Operator(42, "regreen", "regreen[bot]")


class HeldEngine:
    """A queue in which nothing ends by itself; `busy` cancellations find a step under way."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.jobs: dict[str, Job] = {}
        self.busy = 0

    def enqueue(self, job: Job) -> str:
        self.jobs.setdefault(job_id(job), job)
        return job_id(job)

    def outcome(self, identity: str) -> JobOutcome | None:
        return self.runs.outcome(identity) if identity in self.jobs else None

    def job(self, identity: str) -> Job | None:
        return self.jobs.get(identity)

    def cancel(self, identity: str, outcome: JobOutcome) -> bool:
        if self.runs.ended(identity, outcome).state is not State.CANCELLED:
            return True
        self.busy -= 1
        return self.busy < 0


@dataclass
class FakePulls:
    """`Pulls` in a list."""

    seen: list[PullRequest] = field(default_factory=list)

    def by_number(self, number: int) -> PullRequest | None:
        return next((pull for pull in self.seen if pull.number == number), None)

    def from_branch(self, branch: str) -> PullRequest | None:
        there = (pull for pull in self.seen if pull.is_open and not pull.is_fork)
        return first_of((pull for pull in there if pull.head_branch == branch), OPERATOR.login)


@dataclass
class Around:
    """What surrounds a dispatcher, each part empty; installation 99 is there, on octo/fizz."""

    labels: FakeLabels = field(default_factory=FakeLabels)
    pulls: FakePulls = field(default_factory=FakePulls)
    app: FakeApp = field(default_factory=lambda: FakeApp(installations={99: {"octo/fizz"}}))
    holds: FakeHolds = field(default_factory=FakeHolds)
    departures: FakeDepartures = field(default_factory=FakeDepartures)
    reviews: MemoryReviews = field(default_factory=MemoryReviews)
    unsaid: FakeUnsaid = field(default_factory=FakeUnsaid)
    leases: FakeLeases = field(default_factory=FakeLeases)
    wait: Wait = at_once


def dispatcher(
    inbox: FakeInbox,
    engine: JobEngine,
    runs: FakeRuns,
    github: GitHub,
    around: Around | None = None,
    operator: Operator = OPERATOR,
) -> Dispatcher:
    """A dispatcher for one repository."""
    around = around or Around()

    def site(repository: str, _installation: int) -> Site:
        return Site(repository, github, around.labels, around.pulls)

    presence = Presence(around.departures, around.app)
    stopping = Stopping(engine, site, lambda _job: around.reviews, around.unsaid)
    return Dispatcher(
        inbox,
        Lookup(site, around.holds, presence, operator),
        Intake(engine, runs, site, inbox, around.wait),
        Acting(runs, around.holds, presence, stopping, site),
        holding(around.leases),
    )
