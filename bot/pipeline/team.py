"""Who works on a repair: the models of all roles, each within the run's budget, or the mutation search."""

from bot.pipeline.ports.job import LoopPorts
from bot.repair.localisation.evidence import Investigation
from bot.repair.meter import Meter, MeteredModel
from bot.repair.mutation.search import MutationProposer
from bot.repair.ports import Model, Reflector
from bot.repair.prompting.chat import ChatProposer
from bot.repair.prompting.room import Asker, asker
from bot.repair.prompting.sampling import Sampling
from bot.repair.proposers import Arm
from bot.repair.team.condenser import Condenser
from bot.repair.team.counsel import Counsel
from bot.repair.team.critic import Critic
from bot.repair.team.facts import Facts
from bot.repair.team.reflect import ModelReflector, StatedReflector
from bot.repair.team.reviewer import Reviewer
from bot.repair.team.roles import Models, Role
from bot.repair.team.selfdebug import SelfDebugger

SEARCH_SHARE = 0.25
"""Of iterations and seconds, before the model is asked; the search has what the model leaves once that is stuck."""


def metered(models: Models, facts: Facts, meter: Meter) -> Models:
    """The same models, each call of theirs within the run's budget and its role's share."""

    def meter_one(role: Role, model: Model) -> Model:
        bound = facts.of(role)
        return MeteredModel(model, meter, bound.dollars, role, bound.share)

    return models.each(meter_one)


def proposers(
    ports: LoopPorts, facts: Facts, protected: tuple[str, ...] = (), *, search: bool = True
) -> tuple[tuple[Arm, ...], Reflector]:
    """A model's proposals and lessons where one is configured, else the mutation search and stated facts.

    None of them looks for the fault in what the gitignore patterns `protected` cover. Without `search`, since no test
    would tell it anything, there is nobody but a model.
    """
    coder, can = asker(ports.models, facts, Role.CODER), facts.coder.can
    investigation = Investigation(ports.workspace, ports.journal, protected)
    mutants = MutationProposer(ports.workspace, investigation=investigation, clock=ports.clock)
    if coder is None:
        return (Arm(mutants),) if search else (), StatedReflector()
    advice = counsel(ports, facts, coder)
    sampling = Sampling(can.samples, can.refine, coder.temperature)
    proposer = ChatProposer(
        coder,
        ports.workspace,
        ports.journal,
        first_rung=can.first_rung,
        sampling=sampling,
        lessons=can.lessons,
        counsel=advice,
        investigation=investigation,
    )
    searching = search and can.search
    arms = (Arm(mutants, SEARCH_SHARE), Arm(proposer), Arm(mutants)) if searching else (Arm(proposer),)
    return arms, ModelReflector(coder.aloud(ports.journal, "lesson")) if can.reflect else StatedReflector()


def reviewers(ports: LoopPorts, facts: Facts) -> tuple[Reviewer | None, Reviewer | None]:
    """Who may veto what passes, and who is asked about what no model has thought up: the critic, else the coder."""
    roles = (Role.REVIEWER, Role.CRITIC, Role.CODER)
    own, critic, coder = (_aloud(ports, asker(ports.models, facts, role), "review") for role in roles)
    doubter = critic or coder
    return Reviewer(own) if own else None, Reviewer(doubter) if doubter else None


def counsel(ports: LoopPorts, facts: Facts, coder: Asker) -> Counsel:
    """Those who advise the coder, as far as they are configured or pay for its class."""
    critic = _aloud(ports, asker(ports.models, facts, Role.CRITIC), "advice")
    condenser = _aloud(ports, asker(ports.models, facts, Role.CONDENSER), "digest")
    debugs = facts.coder.can.self_debug
    return Counsel(
        ports.journal,
        critic=Critic(critic) if critic else None,
        debugger=SelfDebugger(coder.aloud(ports.journal, "values"), ports.workspace) if debugs else None,
        condenser=Condenser(condenser) if condenser else None,
    )


def _aloud(ports: LoopPorts, one: Asker | None, purpose: str) -> Asker | None:
    return one and one.aloud(ports.journal, purpose)
