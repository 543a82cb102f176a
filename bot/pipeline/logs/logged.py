"""`mend` with a log from which all of its decisions can be made again."""

from dataclasses import replace

from bot.codec import canonical, codec_for, digest
from bot.errors import LogError, RegreenError
from bot.pipeline.aim import Choose
from bot.pipeline.logs.recording import RunStep
from bot.pipeline.logs.witness import CLOSED, Opening, Plan, Witness, choosing, opened, players, stepping, writing
from bot.pipeline.mend import Mended, Terms, mend
from bot.pipeline.ports.job import LoopPorts
from bot.pipeline.steps import Steps
from bot.repair.types import Base, Baseline, RepairResult

_Found = tuple[Baseline, RepairResult | None]


def mend_logged(  # noqa: PLR0913 - mend's own six, and for a replay where its calls are answered from
    base: Base,
    about: tuple[str, str],
    choose: Choose,
    ports: LoopPorts,
    steps: Steps,
    terms: Terms,
    *,
    answers: RunStep | None = None,
) -> Mended:
    """`mend`, with what it starts from, every call and how it ended in the log. Raises what `mend` does, `LogError`."""
    journal, wished = ports.journal, terms.writing
    plan = Plan(wished.name, wished.approved, wished.review) if wished else None
    opening = Opening(base, about, terms.budget, terms.protected, terms.facts, players(ports), plan, terms.spots)
    opening = opened(journal, opening)
    run_step = answers or Witness(journal)
    terms = replace(
        terms,
        budget=opening.budget,
        protected=opening.protected,
        facts=opening.facts,
        spots=opening.spots,
        writing=writing(opening.plan, wished, run_step) if opening.plan and wished else None,
    )
    chosen = choosing("targets", choose, run_step)
    try:
        mended = mend(opening.base, opening.about, chosen, stepping(ports, run_step), steps, terms)
    except LogError:
        raise
    except RegreenError as error:
        journal.append(CLOSED, {"error": type(error).__name__, "cause": error.cause, "remedy": error.remedy})
        raise
    plain = codec_for(_Found).encode((mended.baseline, mended.result))
    journal.append(CLOSED, {"result": digest(canonical(plain))})
    return mended
