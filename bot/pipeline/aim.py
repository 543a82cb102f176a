"""What a repair aims at: tests that are red already, or, for an issue that names none, one that is written for it."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.errors import BudgetError
from bot.pipeline import targets
from bot.pipeline.ports.job import LoopPorts
from bot.repair import describe
from bot.repair.prompting.room import asker
from bot.repair.reproduction.placing import look
from bot.repair.reproduction.reproduce import Reproduction, Shown, reproduce, show
from bot.repair.reproduction.written import WrittenTest
from bot.repair.team.facts import Facts
from bot.repair.team.roles import Role
from bot.repair.team.tester import Tester
from bot.repair.types import Base, Baseline

Choose = Callable[[Baseline], tuple[str, ...]]
"""Baseline → the red ids that the job is about; none when there is nothing to repair."""


@dataclass(frozen=True, slots=True)
class Writing:
    """A test may be written where the choice of targets finds none, or was `approved`, and is then used as it is.

    `name` is the new file's, without what marks it as a test. `bearing` chooses in case no test counts, `otherwise`
    where none can be written at all. With `review`, what was written now is shown first and not yet used.
    """

    name: str
    bearing: Choose
    otherwise: Choose
    approved: WrittenTest | None = None
    review: bool = False


def writing(name: str, issue: str, approved: WrittenTest | None = None, *, review: bool = False) -> Writing:
    """How a test is written for an issue of this title and text."""
    return Writing(
        name,
        bearing=lambda baseline: targets.bearing(baseline.failing, issue),
        otherwise=lambda baseline: targets.for_issue(baseline.failing_ids, issue),
        approved=approved,
        review=review,
    )


@dataclass(frozen=True, slots=True)
class Aim:
    """The ids to turn green. `found` is how writing a test went, `None` where none was to be written."""

    targets: tuple[str, ...]
    found: Reproduction | None = None


def write(base: Base, about: tuple[str, str], baseline: Baseline, how: Writing, ports: LoopPorts, facts: Facts) -> Aim:
    """Use the approved test, or have one written; see `docs/guides/reproduction.md` for what follows from either.

    Raises `WorkspaceError`, and `ModelError` when the tester could not even be asked and nothing else is to be done.
    """
    issue = "\n".join(about)
    if how.approved is not None:
        found = _again(base, baseline, how.approved, ports, issue)
        return Aim(found.targets, found)
    tester = asker(ports.models, facts, Role.TESTER)
    ground = look(ports.workspace, base, baseline, issue, how.name) if tester else None
    if tester is None or ground is None:
        return Aim(how.otherwise(baseline))
    found = reproduce(ports.workspace, ports.journal, baseline, ground, Tester(tester), issue)
    if found.test is not None:
        return Aim(() if how.review else found.targets, found)
    chosen = how.bearing(baseline)
    if not chosen and found.stopped is not None and not found.tried and not isinstance(found.stopped, BudgetError):
        raise found.stopped
    return Aim(chosen, found)


def _again(base: Base, baseline: Baseline, test: WrittenTest, ports: LoopPorts, issue: str) -> Reproduction:
    """Whether an approved test still fails as it did when it was shown: the base may have moved on."""
    taken = {*ports.workspace.paths(base), *(link for link, _ in ports.workspace.links(base))}
    if test.path in taken:
        shown = Shown(f"{test.path} exists by now")
    else:
        shown = show(ports.workspace, base, baseline, test, issue)
    ports.journal.append(
        "approved_test",
        {
            "digest": test.digest,
            "path": test.path,
            "counts": not shown.reason,
            "reason": shown.reason,
            "failing": [describe.failure(result) for result in shown.failing],
        },
    )
    return Reproduction(None, shown, (shown.reason,)) if shown.reason else Reproduction(test, shown)
