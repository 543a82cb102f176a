"""The mutation search as a proposer: single mutants, screened in batches, the plausible ones offered a few at a time.

Without a model it repairs what one small change repairs. What it finds is low trust: judged by the visible tests alone,
a fifth of first hits on a public set were wrong, so every candidate still goes through the gate and ends in a draft.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from bot.repair import describe
from bot.repair.localisation.evidence import Investigation
from bot.repair.localisation.reading import file_of
from bot.repair.mutation.mutate import Mutant, each_mutant
from bot.repair.ports import Clock, Workspace
from bot.repair.sources.languages import PYTHON
from bot.repair.types import Attempt, Baseline, Origin, Patch, Proposal, Proposed, Selection, Task

RUNG = "mutation"
FIRST_BATCH = 10
"""Small, since the right change is often among the first; later batches double, so that a container costs little."""
UNTIMED_BATCH = 80
MOST_BATCH = 1000
BATCH_SECONDS = 60.0
"""Worth of mutants, at the rate of the batch before: where each takes a container, one call is not to take hours."""
LIMIT = 4000
UNSCREENED = "not screened"
AT_ONCE = 4
"""Candidates of one round: how many of them pass says how little the tests tell them apart."""


@dataclass(slots=True)
class _Searched:
    """What this run has read and screened so far."""

    mutants: Iterator[Mutant]
    waiting: list[Mutant]
    screened: int = 0
    batch: int = 0
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
        clock: Clock | None = None,
    ) -> None:
        """The first `batch` mutants share one container, later ones more; at most `limit` are tried in all.

        Without a clock nothing tells how many fit into one call, and batches stay small.
        """
        self._clock = clock
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
            searched = self._searched[task] = _Searched(self._mutants(task, baseline), [], batch=self._batch)
        offered = {attempt.proposal.patch for attempt in history if attempt.proposal}
        fresh = _unoffered(searched, offered)
        if not fresh and self._waits(searched):
            self._screen(task, searched)
            fresh = _unoffered(searched, offered)
        if not fresh and not self._waits(searched):
            return (Proposed(None, _nothing_left(searched, task), exhausted=True),)
        return tuple(Proposed(_proposal(mutant, searched)) for mutant in fresh[:AT_ONCE])

    def _mutants(self, task: Task, baseline: Baseline) -> Iterator[Mutant]:
        evidence = self._investigation.look(task, baseline)
        return islice(each_mutant(evidence.suspects, evidence.files), self._limit)

    def _waits(self, searched: _Searched) -> bool:
        if not searched.waiting:
            searched.waiting += islice(searched.mutants, 1)
        return bool(searched.waiting)

    def _screen(self, task: Task, searched: _Searched) -> None:
        searched.waiting += islice(searched.mutants, max(0, searched.batch - len(searched.waiting)))
        batch = searched.waiting[: searched.batch]
        patches: tuple[Patch, ...] = tuple(mutant.patch for mutant in batch)
        start = self._clock.now() if self._clock else 0.0
        hints = self._workspace.screen(task.base, patches, Selection(task.targets))
        seconds = self._clock.now() - start if self._clock else 0.0
        searched.plausible += [mutant for mutant, hint in zip(batch, hints, strict=True) if hint.plausible]
        # What a container had no time for comes next; but one that ended it with the first mutant is passed over.
        done = max(1, next((at for at in range(len(hints), 0, -1) if hints[at - 1].detail != UNSCREENED), 0))
        del searched.waiting[:done]
        searched.screened += done
        most = MOST_BATCH if self._clock else UNTIMED_BATCH
        fitting = int(BATCH_SECONDS * done / seconds) if seconds > 0 else most
        searched.batch = max(1, min(max(self._batch, searched.screened), most, fitting))


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
    if not searched.screened and not any(file_of(node_id).endswith(PYTHON) for node_id in task.targets):
        return "mutation search: it knows Python only, and these tests are in another language; configure a model"
    if not searched.screened:
        return "mutation search: there is no function that a failing test leads to and that could be changed"
    tried = describe.count(searched.screened, "single change")
    text = f"mutation search: {tried} screened, {len(searched.plausible)} plausible, none left to offer"
    if len(task.targets) == 1:
        return text
    return (
        f"{text}; one change must turn all {len(task.targets)} red tests green. Naming a test in the issue, or a "
        "narrower test command (`test_command` in .github/regreen.yml, or `--test-command` of the command line), "
        "narrows the search"
    )
