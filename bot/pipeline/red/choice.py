"""Which of the tests that failed at CI a repair aims at: those that fail here, and are this commit's own fault.

All of it is settled by running tests, before any model is asked anything.
"""

from dataclasses import dataclass, field, replace

from bot.jobs import FixCheck
from bot.pipeline import targets
from bot.pipeline.ports.checks import Against
from bot.pipeline.ports.github import FailedJob
from bot.pipeline.ports.job import Ports
from bot.pipeline.red.elsewhere import Elsewhere, Seen, UntestableError, repeated
from bot.pipeline.red.findings import Findings
from bot.repair.measuring.flake import Flake
from bot.repair.types import Base, Baseline
from sandbox.spec import Given

MOST_REPEATED = 50


@dataclass(slots=True)
class RedCheck:
    """One red check. `findings` says what came out once `choose` was called; `against` is `None` off pull requests.

    `update` says that the branch is ours, and that the policy lets its base be merged where that is all it takes.
    """

    job: FixCheck
    ports: Ports
    base: Base
    given: Given
    failed: tuple[FailedJob, ...]
    against: Against | None = None
    update: bool = False
    findings: Findings = field(default_factory=Findings)

    def choose(self, baseline: Baseline) -> tuple[str, ...]:
        """The ids to turn green: none where nothing shows here, or nothing of it is this commit's fault."""
        chosen = targets.for_check(baseline.failing_ids, self.logs, _others(baseline))
        found = self._whose(chosen) if chosen else self._unseen(baseline)
        self.findings = replace(found, jobs=tuple(job.name for job in self.failed))
        self.ports.journal.append(
            "red_check",
            {
                "jobs": list(self.findings.jobs),
                "own": list(found.own),
                "inherited": list(found.inherited),
                "stale": list(found.stale),
                "merged": list(found.merged),
                "repeated": [flake.evidence for flake in found.repeated],
                "unlike": found.unlike,
            },
        )
        return found.own

    @property
    def logs(self) -> tuple[str, ...]:
        """The failed jobs' logs."""
        return tuple(job.log for job in self.failed)

    def _whose(self, ids: tuple[str, ...]) -> Findings:
        """Sort ids that fail here by whether they fail on the base too: where the branch began, and where it is now."""
        if self.against is None:
            return Findings(own=ids)
        where = self.against.distance
        try:
            began = self._elsewhere.seen(where.parted, ids)
            old = tuple(node_id for node_id in ids if _always_fails(began[node_id]))
            if not old or not where.behind:
                return Findings(own=_without(ids, old), inherited=old)
            now = self._elsewhere.seen(self.against.pull.base_sha, old)
        except UntestableError as error:
            return Findings(own=ids, unlike=str(error))
        stale = tuple(node_id for node_id in old if now[node_id].passed and not now[node_id].failed)
        return Findings(own=_without(ids, old), inherited=_without(old, stale), stale=stale)

    def _unseen(self, baseline: Baseline) -> Findings:
        """None of what failed at CI fails here: perhaps now and then, perhaps on the base, perhaps once merged."""
        known = frozenset((*baseline.passing, *baseline.flaky))
        named = tuple(one for one, _ in targets.fates(baseline, self.logs) if one in known)[:MOST_REPEATED]
        if not named:
            return Findings()
        try:
            again = repeated(self.ports, self.base, named)
        except UntestableError as error:
            return Findings(unlike=str(error))
        flakes = tuple(_flake(node_id, again[node_id], baseline) for node_id in named)
        shaky = {flake.node_id for flake in flakes if flake.failed}
        return replace(self._once_merged(tuple(one for one in named if one not in shaky)), repeated=flakes)

    def _once_merged(self, ids: tuple[str, ...]) -> Findings:
        """CI tests a pull request merged into its base: what passes here may fail there, or in both together."""
        if self.against is None or not self.against.distance.behind or not ids:
            return Findings()
        pull = self.against.pull
        try:
            now = self._elsewhere.seen(pull.base_sha, ids)
            inherited = tuple(node_id for node_id in ids if _always_fails(now[node_id]))
            rest = _without(ids, inherited)
            both = self._elsewhere.seen(pull.merge_sha, rest) if pull.merge_sha and rest else {}
        except UntestableError as error:
            return Findings(unlike=str(error))
        return Findings(inherited=inherited, merged=tuple(one for one in rest if one in both and both[one].failed))

    @property
    def _elsewhere(self) -> Elsewhere:
        return Elsewhere(self.ports, self.job.repository, self.given)


def _always_fails(seen: Seen) -> bool:
    return bool(seen.failed) and not seen.passed


def _without(ids: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    left = frozenset(others)
    return tuple(node_id for node_id in ids if node_id not in left)


def _others(baseline: Baseline) -> tuple[str, ...]:
    return (*baseline.passing, *baseline.flaky, *baseline.skipped)


def _flake(node_id: str, seen: Seen, baseline: Baseline) -> Flake:
    known = next((flake.evidence for flake in baseline.flakes if flake.node_id == node_id), "")
    first = known or f"passed in {baseline.runs} of {baseline.runs} runs of the suite"
    runs = seen.passed + seen.failed
    return Flake(node_id, seen.passed, seen.failed, f"{first}; repeated alone, failed in {seen.failed} of {runs} runs")
