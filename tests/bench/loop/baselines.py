"""What the product is compared with: one shot, independent samples, and a chat that only ever grows.

They read the tree, write the first prompt and read replies with the product's own proposer, and run in its sandbox, so
that an arm differs in nothing but how it goes on after a failure. The whole suite decides, once.
"""

from dataclasses import dataclass, field, replace

from bench.loop.found import Found, Stage
from bench.loop.tasks import BenchTask
from bench.subjects import InvalidMeasurementError

from bot.errors import BudgetError, ModelError
from bot.repair.measuring.baseline import measure
from bot.repair.measuring.compare import compare, decide
from bot.repair.meter import Meter, MeteredModel
from bot.repair.ports import Model
from bot.repair.prompting.chat import ChatProposer
from bot.repair.prompting.room import Asker, Room, estimate
from bot.repair.prompting.sampling import WARM
from bot.repair.team.roles import Role
from bot.repair.types import (
    WHOLE_SUITE,
    Baseline,
    Completion,
    CompletionLimits,
    Message,
    Patch,
    Proposed,
    Task,
    Verdict,
)
from sandbox.spec import RunState, TestRun

MOST_RED = 3
MOST_SAID = 1500
MOST_ROUNDS = 500


@dataclass(frozen=True, slots=True)
class Way:
    """How a baseline goes on: at most `most` calls, with or without what was said before.

    The first call is greedy; later ones are warm always, or only after a model that repeated itself.
    """

    most: int = MOST_ROUNDS
    remembers: bool = False

    def temperature(self, number: int, *, repeated: bool) -> float:
        """Of the call with this number, from 0."""
        return WARM if number and (repeated or not self.remembers) else 0.0


ONE_SHOT = Way(most=1)
SAMPLING = Way()
APPEND_HISTORY = Way(remembers=True)


@dataclass
class Talk:
    """`Model` that asks in a baseline's own way, whatever it is asked: same first prompt, and what was said since."""

    model: Model
    way: Way
    context: int
    calls: int = 0
    _said: list[Message] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The model's."""
        return self.model.name

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        """Ask once more. Raises what the model raises."""
        asked = self._fitting(messages, limits.max_tokens)
        warm = self.way.temperature(self.calls, repeated=self._repeated())
        completion = self.model.complete(asked, replace(limits, temperature=warm, seed=self.calls if warm else None))
        self.calls += 1
        self._said.append(Message("assistant", completion.text))
        return completion

    def tell(self, failure: str) -> None:
        """What became of the last reply."""
        self._said.append(Message("user", failure))

    def _repeated(self) -> bool:
        replies = [message.content for message in self._said if message.role == "assistant"]
        return len(replies) > 1 and replies[-1] == replies[-2]

    def _fitting(self, first: tuple[Message, ...], reply: int) -> tuple[Message, ...]:
        """The conversation so far, its oldest rounds left out where the context is too small for all."""
        said = self._said if self.way.remembers else []
        while said and estimate((*first, *said)) + reply > self.context:
            said = said[2:]
        return (*first, *said)


def run(way: Way, task: BenchTask, stage: Stage) -> Found:
    """Ask until the suite is as it should be, or nothing is left to ask with."""
    baseline = measure(stage.ports.workspace, stage.base)
    about = Task(stage.base, task.title, task.text, task.choose(baseline))
    meter = Meter(stage.terms.budget, stage.ports.clock)
    talk = _talk(way, stage, meter)
    proposer = _proposer(talk, stage)
    rounds = _Rounds(about, baseline, stage)
    stop, detail = "iterations", ""
    while talk.calls < way.most:
        try:
            answers = proposer.propose(about, baseline, ())
        except BudgetError as error:
            stop, detail = "tokens", error.cause
            break
        except ModelError as error:
            stop, detail = "model_failed", str(error)
            break
        talk.tell("\n\n".join(rounds.judge(proposed) for proposed in answers))
        if rounds.solution is not None:
            stop = "solved"
            break
    return Found(baseline, rounds.solution, rounds.plausible, stop, detail, meter.spent, talk.calls)


def _talk(way: Way, stage: Stage, meter: Meter) -> Talk:
    facts, model = stage.terms.facts.coder, stage.ports.models.coder
    if model is None:
        raise InvalidMeasurementError("A baseline asks a model, and there is none")
    return Talk(MeteredModel(model, meter, facts.dollars, Role.CODER), way, facts.context_tokens)


def _proposer(talk: Talk, stage: Stage) -> ChatProposer:
    facts = stage.terms.facts.coder
    asked = Asker(talk, Room(facts))
    return ChatProposer(asked, stage.ports.workspace, stage.ports.journal, first_rung=facts.first_rung)


@dataclass
class _Rounds:
    """What was proposed and what the suite said; the same code is not run twice."""

    task: Task
    baseline: Baseline
    stage: Stage
    solution: Patch | None = None
    plausible: Patch | None = None
    _runs: dict[Patch, TestRun] = field(default_factory=dict)

    def judge(self, proposed: Proposed) -> str:
        """Run it, and say what a plain loop would append to its chat."""
        if proposed.proposal is None:
            return f"No edit could be read from that: {proposed.refusal}"
        patch = proposed.proposal.patch
        if patch not in self._runs:
            (self._runs[patch],) = self.stage.ports.workspace.evaluate(self.stage.base, (patch,), WHOLE_SUITE)
        run = self._runs[patch]
        if run.state is RunState.COMPLETE:
            comparison = compare(self.baseline, run)
            if self.plausible is None and set(self.task.targets) <= set(comparison.fixed):
                self.plausible = patch
            if decide(comparison, self.task.targets) is Verdict.SOLVED:
                self.solution = patch
        return _said(run)


def _said(run: TestRun) -> str:
    if run.state is not RunState.COMPLETE:
        text = f"The test run ended as {run.state}."
    else:
        text = "\n\n".join(f"{red.node_id}\n{red.exception}: {red.message}" for red in run.red[:MOST_RED])
    return (
        f"These tests fail with your edit:\n{text[:MOST_SAID]}\n\n"
        "The files are as at the beginning again. Answer with the whole fix in the same format."
    )
