"""The mutation search as a proposer: single mutants, screened in batches, the plausible ones offered a few at a time.

Without a model it repairs what one small change repairs. What it finds is low trust: judged by the visible tests alone,
a fifth of first hits on a public set were wrong, so every candidate still goes through the gate and ends in a draft.
"""

from dataclasses import dataclass, field

from bot.repair import describe
from bot.repair.evidence import Investigation
from bot.repair.languages import PYTHON
from bot.repair.mutate import Mutant, mutants
from bot.repair.ports import Workspace
from bot.repair.reading import file_of
from bot.repair.types import Attempt, Baseline, Origin, Patch, Proposal, Proposed, Selection, Task

RUNG = "mutation"
FIRST_BATCH = 10
"""Small, since the right change is often among the first; later batches double, so that a container costs little."""
MOST_BATCH = 80
LIMIT = 400
AT_ONCE = 4
"""Candidates of one round: how many of them pass says how little the tests tell them apart."""


@dataclass(slots=True)
class _Searched:
    """What this run has read and screened so far."""

    mutants: tuple[Mutant, ...]
    screened: int = 0
    plausible: list[Mutant] = field(default_factory=list)


class MutationProposer:
    """Build one for each run: reading and screening are steps, taken once, and a replay takes the same ones again."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        investigation: Investigation | None = None,
        batch: int = FIRST_BATCH,
        limit: int = LIMIT,
    ) -> None:
        """The first `batch` mutants share one container, later ones more; at most `limit` are tried in all."""
        self._workspace = workspace
        self._investigation = investigation or Investigation(workspace)
        self._batch = batch
        self._limit = limit
        self._searched: dict[Task, _Searched] = {}

    @property
    def name(self) -> str:
        """What reports call it."""
        return "mutation search"

    def propose(self, task: Task, baseline: Baseline, history: tuple[Attempt, ...]) -> tuple[Proposed, ...]:
        """The next mutants under which the targets passed in the shared container; none after a batch without any.

        Raises `WorkspaceError`.
        """
        searched = self._searched.get(task)
        if searched is None:
            searched = self._searched[task] = _Searched(self._mutants(task, baseline))
        offered = {attempt.proposal.patch for attempt in history if attempt.proposal}
        fresh = _unoffered(searched, offered)
        if not fresh and searched.screened < len(searched.mutants):
            self._screen(task, searched)
            fresh = _unoffered(searched, offered)
        if not fresh and searched.screened >= len(searched.mutants):
            return (Proposed(None, _nothing_left(searched, task), exhausted=True),)
        return tuple(Proposed(_proposal(mutant, searched)) for mutant in fresh[:AT_ONCE])

    def _mutants(self, task: Task, baseline: Baseline) -> tuple[Mutant, ...]:
        evidence = self._investigation.look(task, baseline)
        return mutants(evidence.suspects, evidence.files, self._limit)

    def _screen(self, task: Task, searched: _Searched) -> None:
        size = min(max(self._batch, searched.screened), MOST_BATCH)
        batch = searched.mutants[searched.screened : searched.screened + size]
        patches: tuple[Patch, ...] = tuple(mutant.patch for mutant in batch)
        hints = self._workspace.screen(task.base, patches, Selection(task.targets))
        searched.plausible += [mutant for mutant, hint in zip(batch, hints, strict=True) if hint.plausible]
        searched.screened += len(batch)


def _unoffered(searched: _Searched, offered: set[Patch]) -> list[Mutant]:
    return [mutant for mutant in searched.plausible if mutant.patch not in offered]


def _proposal(mutant: Mutant, searched: _Searched) -> Proposal:
    explanation = (
        f"{mutant.explanation[0].upper()}{mutant.explanation[1:]}. Found by trying single changes one after another "
        "until the failing tests passed, not by understanding the fault; the tests are the only evidence for it."
    )
    plausible = len(searched.plausible)
    verb = "is" if plausible == 1 else "are"
    detail = f"{plausible} of {describe.count(searched.screened, 'screened change')} {verb} plausible"
    return Proposal(mutant.patch, Origin.MUTATION, explanation, RUNG, detail)


def _nothing_left(searched: _Searched, task: Task) -> str:
    if not searched.mutants and not any(file_of(node_id).endswith(PYTHON) for node_id in task.targets):
        return "mutation search: it knows Python only, and these tests are in another language; configure a model"
    if not searched.mutants:
        return "mutation search: there is no function that a failing test leads to and that could be changed"
    tried = describe.count(searched.screened, "single change")
    text = f"mutation search: {tried} screened, {len(searched.plausible)} plausible, none left to offer"
    if len(task.targets) == 1:
        return text
    return (
        f"{text}; one change must turn all {len(task.targets)} red tests green. Naming a test in the issue, or a "
        "narrower --test-command, narrows the search"
    )
