"""A model as a proposer: localise, ask, read the answers as patches. Refusals go back and cost."""

from dataclasses import dataclass, replace
from functools import partial

from bot.errors import EditError, ModelError
from bot.repair.counsel import Counsel
from bot.repair.edits import WHOLE_FILE_LINES, Applied, Rung, apply, mentioned_paths
from bot.repair.languages import PYTHON
from bot.repair.localise import Suspect, localise
from bot.repair.ports import Journal, Workspace
from bot.repair.prompts import Briefing, build
from bot.repair.protection import Protection, protect
from bot.repair.reading import gather
from bot.repair.room import Asker
from bot.repair.sampling import Sampling
from bot.repair.stops import rounds
from bot.repair.types import (
    Attempt,
    Baseline,
    Completion,
    CompletionLimits,
    Message,
    Origin,
    Proposal,
    Proposed,
    SourceFile,
    Task,
    Verdict,
)
from sandbox.spec import TestResult

LADDER = (Rung.SEARCH_REPLACE, Rung.FUNCTION, Rung.FILE)
MAX_NAMED = 10
MAX_REFUSAL = 1500
MAX_LOGGED = 20


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What the base tree says of a task: read and localised once for each run."""

    known: tuple[str, ...]
    failing: tuple[TestResult, ...]
    files: dict[str, SourceFile]
    suspects: tuple[Suspect, ...]
    protection: Protection

    @property
    def sources(self) -> tuple[SourceFile, ...]:
        """What was read and may be edited."""
        return tuple(file for path, file in self.files.items() if self.protection.is_source(path))


class ChatProposer:
    """Build one for each run: reading the tree is a few steps, taken once, and a replay takes the same ones again."""

    def __init__(
        self,
        asker: Asker,
        workspace: Workspace,
        journal: Journal,
        *,
        first_rung: Rung = Rung.SEARCH_REPLACE,
        sampling: Sampling | None = None,
        counsel: Counsel | None = None,
    ) -> None:
        """`first_rung` is the format asked for at first; small models do better from `FUNCTION` on.

        `sampling` is how often it is asked in which round, `counsel` adds to each prompt what a critic says and what a
        trace showed.
        """
        self._asker = asker
        self._workspace = workspace
        self._journal = journal
        self._first_rung = first_rung
        self._sampling = sampling or Sampling(first=asker.temperature)
        self._counsel = counsel
        self._evidence: dict[Task, _Evidence] = {}

    @property
    def name(self) -> str:
        """The model's name."""
        return self._asker.model.name

    def propose(self, task: Task, baseline: Baseline, history: tuple[Attempt, ...]) -> tuple[Proposed, ...]:
        """One model call or several; a reply that is no patch is a refusal that says why.

        Raises `ModelError`, `BudgetError` and `WorkspaceError` before the first reply; after it the round is shorter.
        """
        evidence = self._look(task, baseline)
        plan = self._sampling.plan(history)
        past = plan.ordered(history)
        rung = _possible(rung_for(past, self._first_rung), evidence)
        briefing = Briefing(task, evidence.failing, evidence.suspects, evidence.files, past, rung)
        briefing = replace(briefing, from_base=plan.parent is None)
        if self._counsel is not None:
            briefing = self._counsel.enrich(briefing)
        answers: list[Proposed] = []
        for draw in plan.draws:
            try:
                answer = self._asker.ask(partial(build, briefing), temperature=draw.temperature, seed=draw.seed)
            except ModelError:
                if answers:
                    break
                raise
            self._note(answer.completion, answer.limits, rung)
            proposed = self._read(task, evidence, answer.completion, answer.prompt)
            answers.append(replace(proposed, greedy=plan.greedy))
        return tuple(answers)

    def _look(self, task: Task, baseline: Baseline) -> _Evidence:
        if task not in self._evidence:
            targets = set(task.targets)
            failing = tuple(result for result in baseline.failing if result.node_id in targets)
            known = self._workspace.paths(task.base)
            protection = protect(self._workspace, task.base, known, baseline)
            files = gather(self._workspace, task.base, known, failing, protection)
            suspects = localise(failing, baseline.passing, files, protection)
            self._evidence[task] = _Evidence(known, failing, files, suspects, protection)
            self._journal.append(
                "localised",
                {
                    "files": sorted(files),
                    "suspects": [
                        [found.path, found.qualified_name, round(found.score, 4), found.source]
                        for found in suspects[:MAX_LOGGED]
                    ],
                },
            )
        return self._evidence[task]

    def _note(self, completion: Completion, limits: CompletionLimits, rung: Rung) -> None:
        self._journal.append(
            "completion",
            {
                "model": completion.model,
                "finish_reason": completion.finish_reason,
                "temperature": limits.temperature,
                "seed": limits.seed,
                "asked_for": rung.value,
                "prompt_tokens": completion.usage.prompt_tokens,
                "completion_tokens": completion.usage.completion_tokens,
            },
        )

    def _read(self, task: Task, evidence: _Evidence, completion: Completion, prompt: tuple[Message, ...]) -> Proposed:
        text, usage = completion.text, completion.usage
        try:
            applied = self._apply(task, evidence, completion)
        except EditError as error:
            return Proposed(None, str(error)[:MAX_REFUSAL], usage=usage, prompt=prompt, reply=text)
        detail = _rank(applied, evidence)
        proposal = Proposal(applied.patch, Origin.MODEL, applied.explanation, applied.rung.value, detail)
        return Proposed(proposal, usage=usage, prompt=prompt, reply=text)

    def _apply(self, task: Task, evidence: _Evidence, completion: Completion) -> Applied:
        """Apply the reply to the files that were shown and to further ones that it names."""
        known = frozenset(evidence.known)
        named = mentioned_paths(completion.text, known)
        missing = tuple(path for path in named if path in known and path not in evidence.files)[:MAX_NAMED]
        further = self._workspace.read(task.base, missing) if missing else ()
        files = {file.path: file.data for file in (*evidence.files.values(), *further)}
        default = evidence.sources[0].path if len(evidence.sources) == 1 else ""
        editable = {path: data for path, data in files.items() if evidence.protection.is_source(path) or path in named}
        return apply(
            completion.text,
            completion.finish_reason,
            editable,
            default_path=default,
            known=known,
            creatable=evidence.protection.is_source,
        )


def rung_for(history: tuple[Attempt, ...], first: Rung) -> Rung:
    """One rung up for each round without a reply that could be applied."""
    unusable = sum(all(attempt.verdict is Verdict.NOT_APPLIED for attempt in one) for one in rounds(history))
    return LADDER[min(LADDER.index(first) + unusable, len(LADDER) - 1)]


def _possible(rung: Rung, evidence: _Evidence) -> Rung:
    """A whole file where there is nothing yet to quote; no whole file where the first one is too long for it."""
    if evidence.sources and not any(file.data.strip() for file in evidence.sources):
        return Rung.FILE
    path = evidence.suspects[0].path if evidence.suspects else ""
    too_long = path in evidence.files and evidence.files[path].data.count(b"\n") >= WHOLE_FILE_LINES
    if path and not path.endswith(PYTHON):
        # Functions are told apart in Python only.
        return Rung.SEARCH_REPLACE if rung is Rung.SEARCH_REPLACE or too_long else Rung.FILE
    return Rung.FUNCTION if rung is Rung.FILE and too_long else rung


def _rank(applied: Applied, evidence: _Evidence) -> str:
    """Where localisation had ranked what was really edited: by file, since a patch holds whole files."""
    order = list(dict.fromkeys(suspect.path for suspect in evidence.suspects))
    ranks = [f"{path}: {order.index(path) + 1} of {len(order)}" for path in applied.patch.paths if path in order]
    return f"rank of the edited files among the suspects: {', '.join(ranks) or 'none'}"
