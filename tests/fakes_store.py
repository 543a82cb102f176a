"""In-memory stand-ins for the store's ports, and values that several tests start from."""

from dataclasses import dataclass, field, replace

from bot.adapters.store.inbox import PRESS_SECONDS
from bot.errors import StoreError
from bot.events import Delivery
from bot.events.glance import glance
from bot.jobs import FixCheck, FixIssue, Job, JobOutcome, begins_pull_request, subject
from bot.pipeline.ports.store import LONGEST_DELAY, Run, Unshown


@dataclass
class FakeTime:
    """Seconds that move only when told to; serves as `now` and as the `Clock` port."""

    seconds: float = 1_000.0

    def __call__(self) -> float:
        return self.seconds

    def now(self) -> float:
        return self.seconds


@dataclass
class FakeInbox:
    """`Inbox` in a dictionary; `broken` makes accepting fail, `undecided` deciding."""

    now: FakeTime = field(default_factory=FakeTime)
    deliveries: dict[str, Delivery] = field(default_factory=dict)
    decisions: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    due: dict[str, float] = field(default_factory=dict)
    came: dict[str, float] = field(default_factory=dict)
    calm: set[str] = field(default_factory=set)
    postponed: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    awaits: dict[str, str] = field(default_factory=dict)
    cuts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    broken: bool = False
    undecided: bool = False
    began: float | None = None

    def accept(self, delivery: Delivery) -> bool:
        if self.broken:
            raise StoreError("The database failed", "Repair it.")
        since = self.now() - PRESS_SECONDS if glance(delivery).is_press else 0.0
        known = {(there.event, there.body) for key, there in self.deliveries.items() if self.came[key] >= since}
        if delivery.delivery_id in self.deliveries or (delivery.event, delivery.body) in known:
            return False
        self.deliveries[delivery.delivery_id] = replace(delivery, received=self.now())
        self.came[delivery.delivery_id] = self.now()
        self.began = self.now() if self.began is None else self.began
        return True

    def unseen(self, delivery_ids: tuple[str, ...]) -> frozenset[str]:
        return frozenset(delivery_ids) - self.deliveries.keys()

    def since(self) -> float | None:
        return self.began

    def lanes(self, limit: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys(glance(one).lane for one in self._due()))[:limit]

    def pending(self, limit: int, lane: str | None = None) -> tuple[Delivery, ...]:
        return tuple(one for one in self._due() if lane in {None, glance(one).lane})[:limit]

    def _due(self) -> list[Delivery]:
        waits = [key for key, due in self.due.items() if self.now() < due <= self.now() + LONGEST_DELAY]
        return [one for key, one in self.deliveries.items() if key not in self.decisions and key not in waits]

    def urgent(self, limit: int, seconds: float) -> tuple[Delivery, ...]:
        late = [key for key, came in self.came.items() if came <= self.now() - seconds and key not in self.calm]
        open_ones = [self.deliveries[key] for key in late if key not in self.decisions]
        found = tuple(one for one in open_ones if glance(one).may_stop)[:limit]
        self.calm |= {one.delivery_id for one in found}
        return found

    def note_cut(self, delivery_id: str, runs: tuple[str, ...]) -> bool:
        self.cuts[delivery_id] = runs
        return delivery_id not in self.decisions

    def cut(self, delivery_id: str) -> tuple[str, ...]:
        return self.cuts.get(delivery_id, ())

    def awaiting(self, identity: str) -> str:
        return next(
            (key for key in self.deliveries if self.awaits.get(key) == identity and key not in self.decisions), ""
        )

    def decide(self, delivery_id: str, decision: str, identity: str | None) -> None:
        if self.undecided:
            raise StoreError("The database failed", "Repair it.")
        self.decisions.setdefault(delivery_id, (decision, identity))

    def postpone(self, delivery_id: str, reason: str, seconds: float, most: float = 0.0, awaits: str = "") -> None:
        if delivery_id in self.decisions or delivery_id not in self.deliveries:
            return
        tries = self.postponed.setdefault(delivery_id, [])
        wait = min(seconds * 2.0 ** min(len(tries), 20), max(most, seconds), LONGEST_DELAY)
        tries.append((reason, wait))
        self.due[delivery_id], self.awaits[delivery_id] = self.now() + wait, awaits


@dataclass
class FakeRuns:
    """`Runs` in two dictionaries, each in the order of starts."""

    jobs: dict[str, Job] = field(default_factory=dict)
    outcomes: dict[str, JobOutcome] = field(default_factory=dict)
    workers: dict[str, str] = field(default_factory=dict)
    closed: set[tuple[str, int]] = field(default_factory=set)

    def started(self, identity: str, job: Job) -> str:
        if identity in self.jobs:
            return identity
        for other, there in self.jobs.items():
            same = (there.repository, subject(there)) == (job.repository, subject(job))
            if same and other not in self.outcomes:
                return other
        self.jobs[identity] = job
        return identity

    def begun(self, identity: str, worker: str) -> None:
        self.workers[identity] = worker

    def last_begun(self, repositories: tuple[str, ...]) -> dict[str, float]:
        begun = [identity.partition(":")[0] for identity in self.workers]
        return {name: float(len(begun) - begun[::-1].index(name)) for name in repositories if name in begun}

    def ended(self, identity: str, outcome: JobOutcome) -> JobOutcome:
        return self.outcomes.setdefault(identity, outcome)

    def outcome(self, identity: str) -> JobOutcome | None:
        return self.outcomes.get(identity)

    def pull_closed(self, repository: str, number: int) -> None:
        self.closed.add((repository, number))

    def in_the_way(self, identity: str) -> int | None:
        job = self.jobs.get(identity)
        if job is None or not begins_pull_request(job):
            return None
        for run in self.of_subject(job.repository, subject(job), len(self.jobs)):
            number = run.outcome.pull_request if run.outcome else None
            if number is not None and begins_pull_request(self.jobs[run.identity]):
                return None if (job.repository, number) in self.closed else number
        return None

    def open(self) -> tuple[str, ...]:
        return tuple(identity for identity in self.jobs if identity not in self.outcomes)

    def forget(self, identity: str) -> None:
        if identity not in self.outcomes:
            self.jobs.pop(identity, None)

    def of_subject(self, repository: str, subject: str, limit: int) -> tuple[Run, ...]:
        found = [run for run in self._all() if (run.repository, run.subject) == (repository, subject)]
        return tuple(found[::-1][:limit])

    def active(self, installation_id: int, repositories: tuple[str, ...]) -> tuple[Run, ...]:
        there = [key for key, job in self.jobs.items() if job.installation_id == installation_id]
        runs = [run for run in self._all() if run.identity in there and run.outcome is None]
        return tuple(run for run in runs if not repositories or run.repository in repositories)

    def _all(self) -> list[Run]:
        return [
            Run(key, job.repository, subject(job), job.sender, 0.0, None, self.outcomes.get(key))
            for key, job in self.jobs.items()
        ]


@dataclass
class FakeHolds:
    """`Holds` in a dictionary."""

    subjects: dict[tuple[str, str], tuple[str, float]] = field(default_factory=dict)

    def hold(self, repository: str, subject: str, by: str, at: float) -> None:
        self._say(repository, subject, by, at)

    def release(self, repository: str, subject: str, at: float) -> None:
        self._say(repository, subject, "", at)

    def held(self, repository: str, subject: str) -> str:
        return self.subjects.get((repository, subject), ("", 0.0))[0]

    def _say(self, repository: str, subject: str, by: str, at: float) -> None:
        there, since = self.subjects.get((repository, subject), ("", 0.0))
        if at >= since:
            self.subjects[repository, subject] = (there if by and there else by, at)


@dataclass
class FakeUnsaid:
    """`Unsaid` in a dictionary; what is to wait is due when the clock has moved."""

    now: FakeTime = field(default_factory=FakeTime)
    words: dict[str, Unshown] = field(default_factory=dict)
    not_before: dict[str, float] = field(default_factory=dict)

    def keep(self, identity: str, text: str) -> None:
        self.words.setdefault(identity, Unshown(identity, text, self.now()))

    def due(self, limit: int) -> tuple[Unshown, ...]:
        waits = [key for key, due in self.not_before.items() if self.now() < due <= self.now() + 3_600]
        return tuple([one for one in self.words.values() if one.identity not in waits][:limit])

    def later(self, identity: str) -> None:
        self.not_before[identity] = self.now() + 60

    def done(self, identity: str) -> None:
        self.words.pop(identity, None)


@dataclass
class FakeDepartures:
    """`Departures` in a dictionary."""

    gone: dict[tuple[int, str], str] = field(default_factory=dict)

    def left(self, installation_id: int, repositories: tuple[str, ...], why: str) -> None:
        for repository in repositories or ("",):
            self.gone.setdefault((installation_id, repository), why)

    def returned(self, installation_id: int, repositories: tuple[str, ...]) -> None:
        for key in [key for key in self.gone if key[0] == installation_id]:
            if not repositories or key[1] in {"", *repositories}:
                del self.gone[key]

    def why(self, installation_id: int, repository: str) -> str:
        return self.gone.get((installation_id, ""), "") or self.gone.get((installation_id, repository), "")


def fix_issue(number: int = 7, repository: str = "octo/fizz", delivery: str = "d-1") -> FixIssue:
    return FixIssue(delivery, 99, repository, "main", number, "It is red", "Look", "maintainer")


def approval(number: int = 7, approves: str = "0123456789ab") -> FixIssue:
    return FixIssue("d-3", 99, "octo/fizz", "main", number, "It is red", "Look", "maintainer", 1, approves)


def fix_check(repository: str = "octo/fizz") -> FixCheck:
    return FixCheck("d-2", 99, repository, "main", "a" * 40, 5, "maintainer")
