"""A model as a proposer: localise, ask, read the answers as patches. Refusals go back and cost."""

from dataclasses import replace
from functools import partial

from bot.errors import EditError, ModelError
from bot.repair.editing.edits import WHOLE_FILE_LINES, Applied, Rung, apply, mentioned_paths
from bot.repair.localisation.evidence import Evidence, Investigation
from bot.repair.localisation.ranking import ranks
from bot.repair.ports import Journal, Workspace
from bot.repair.prompting.prompts import Briefing, build
from bot.repair.prompting.room import Asker
from bot.repair.prompting.sampling import Sampling
from bot.repair.sources.grammar import language_of
from bot.repair.stops import rounds
from bot.repair.team.counsel import Counsel
from bot.repair.types import (
    Attempt,
    Baseline,
    Completion,
    CompletionLimits,
    Message,
    Origin,
    Proposal,
    Proposed,
    Task,
    Verdict,
)

LADDER = (Rung.SEARCH_REPLACE, Rung.FUNCTION, Rung.FILE)
MAX_NAMED = 10
MAX_REFUSAL = 1500
MAX_RANKED = 5


class ChatProposer:
    """Build one for each run: reading the tree is a few steps, taken once, and a replay takes the same ones again."""

    def __init__(  # noqa: PLR0913 (three ports, and what has a default and a name)
        self,
        asker: Asker,
        workspace: Workspace,
        journal: Journal,
        *,
        first_rung: Rung = Rung.SEARCH_REPLACE,
        sampling: Sampling | None = None,
        lessons: bool = True,
        counsel: Counsel | None = None,
        investigation: Investigation | None = None,
    ) -> None:
        """`first_rung` is the format asked for at first; small models do better from `FUNCTION` on.

        `sampling` is how often it is asked in which round; without `lessons` a fresh prompt holds vetoes only.
        `counsel` adds to each prompt what a critic says and what a trace showed. Proposers of one run share an
        `investigation`.
        """
        self._asker = asker
        self._workspace = workspace
        self._journal = journal
        self._first_rung = first_rung
        self._sampling = sampling or Sampling(first=asker.temperature)
        self._lessons = lessons
        self._counsel = counsel
        self._investigation = investigation or Investigation(workspace, journal)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._asker.model.name

    def propose(self, task: Task, baseline: Baseline, history: tuple[Attempt, ...]) -> tuple[Proposed, ...]:
        """One model call or several; a reply that is no patch is a refusal that says why.

        Raises `ModelError`, `BudgetError` and `WorkspaceError` before the first reply; after it the round is shorter.
        """
        evidence = self._investigation.look(task, baseline)
        plan = self._sampling.plan(history)
        past = plan.ordered(history)
        rung = _possible(rung_for(past, self._first_rung), evidence)
        fresh = plan.parent is None
        told = past if self._lessons or not fresh else tuple(one for one in past if one.verdict is Verdict.REJECTED)
        briefing = Briefing(task, evidence.failing, evidence.suspects, evidence.files, told, rung, from_base=fresh)
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

    def _read(self, task: Task, evidence: Evidence, completion: Completion, prompt: tuple[Message, ...]) -> Proposed:
        text, usage = completion.text, completion.usage
        try:
            applied = self._apply(task, evidence, completion)
        except EditError as error:
            return Proposed(None, str(error)[:MAX_REFUSAL], usage=usage, prompt=prompt, reply=text)
        detail = _rank(applied, evidence)
        proposal = Proposal(applied.patch, Origin.MODEL, applied.explanation, applied.rung.value, detail)
        return Proposed(proposal, usage=usage, prompt=prompt, reply=text)

    def _apply(self, task: Task, evidence: Evidence, completion: Completion) -> Applied:
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


def _possible(rung: Rung, evidence: Evidence) -> Rung:
    """A whole file where there is nothing yet to quote; no whole file where the first one is too long for it."""
    if evidence.sources and not any(file.data.strip() for file in evidence.sources):
        return Rung.FILE
    path = evidence.suspects[0].path if evidence.suspects else ""
    too_long = path in evidence.files and evidence.files[path].data.count(b"\n") >= WHOLE_FILE_LINES
    if path and not language_of(path):
        # Functions cannot be told apart where the language is not known.
        return Rung.SEARCH_REPLACE if rung is Rung.SEARCH_REPLACE or too_long else Rung.FILE
    return Rung.FUNCTION if rung is Rung.FILE and too_long else rung


def _rank(applied: Applied, evidence: Evidence) -> str:
    """Where localisation had ranked what was really edited."""
    found = ranks(applied.patch, {path: file.data for path, file in evidence.files.items()}, evidence.suspects)
    said = [f"{one.path} :: {one.qualified_name} {one.rank or 'not'} of {one.total}" for one in found[:MAX_RANKED]]
    return f"rank of the edited functions among the suspects: {', '.join(said) or 'none'}"
