from dataclasses import replace

import pytest
from fakes import FakeClock, MemoryJournal, ScriptedModel
from fakes_workspace import BASE, ScriptedWorkspace

from bot.errors import BudgetError
from bot.pipeline.ports.job import LoopPorts
from bot.pipeline.team import counsel, metered, proposers, reviewers
from bot.repair.meter import Meter
from bot.repair.prompting.chat import ChatProposer
from bot.repair.prompting.room import Asker, Room, asker
from bot.repair.team.capabilities import assumed
from bot.repair.team.facts import Facts, ModelFacts
from bot.repair.team.reflect import ModelReflector, StatedReflector
from bot.repair.team.roles import Models, Role
from bot.repair.types import Baseline, BudgetLimits, CompletionLimits, Message, Task
from sandbox.spec import Outcome, TestResult

SMALL, FRONTIER = (ModelFacts(can=assumed(name)) for name in ("x-1.5b", "gpt-4.1"))


def ports(models: Models) -> LoopPorts:
    workspace = ScriptedWorkspace({"cart.py": b"def total():\n    return 2\n"}, lambda _: {})
    return LoopPorts(workspace=workspace, models=models, clock=FakeClock(), journal=MemoryJournal())


def test_without_a_coder_the_mutation_search_proposes_and_facts_are_stated() -> None:
    arms, reflector = proposers(ports(Models(critic=ScriptedModel([]))), Facts())
    assert [arm.proposer.name for arm in arms] == ["mutation search"]
    assert isinstance(reflector, StatedReflector)


def test_the_search_leaves_alone_what_the_policy_protects() -> None:
    red = Baseline(2, (TestResult("tests/test_cart.py::test_total", Outcome.FAILED),), (), (), (), 1.0)
    task = Task(BASE, "total of the cart", "cart.py", red.failing_ids)

    def offered(protected: tuple[str, ...]) -> set[str]:
        (arm,), _ = proposers(ports(Models()), Facts(), protected)
        answers = arm.proposer.propose(task, red, ())
        return {path for answer in answers if answer.proposal for path in answer.proposal.patch.paths}

    assert (offered(()), offered(("/cart.py",))) == ({"cart.py"}, set())


def test_what_does_not_pay_for_a_small_model_is_off_and_can_be_switched_on() -> None:
    given = ports(Models(coder=ScriptedModel([])))
    coder = asker(given.models, Facts(), Role.CODER)
    assert coder is not None
    assert counsel(given, Facts(coder=SMALL), coder).debugger is None
    assert isinstance(proposers(given, Facts(coder=SMALL))[1], StatedReflector)
    switched = replace(SMALL, can=replace(SMALL.can, self_debug=True, reflect=True))
    assert counsel(given, Facts(coder=switched), coder).debugger is not None
    assert isinstance(proposers(given, Facts(coder=switched))[1], ModelReflector)


def test_a_frontier_model_debugs_and_reflects() -> None:
    given = ports(Models(coder=ScriptedModel([])))
    arms, reflector = proposers(given, Facts(coder=FRONTIER))
    assert any(isinstance(arm.proposer, ChatProposer) for arm in arms)
    assert isinstance(reflector, ModelReflector)
    assert counsel(given, Facts(coder=FRONTIER), Asker(ScriptedModel([]), Room(FRONTIER))).debugger is not None


def test_advisers_are_those_that_have_a_model() -> None:
    given = ports(Models(coder=ScriptedModel([]), critic=ScriptedModel([], "critic"), reviewer=ScriptedModel([], "r")))
    coder = asker(given.models, Facts(), Role.CODER)
    assert coder is not None
    found = counsel(given, Facts(), coder)
    assert (found.critic is None, found.condenser is None) == (False, True)
    reviewer, _ = reviewers(given, Facts())
    assert reviewer is not None
    assert reviewer.name == "r"
    assert reviewers(ports(Models()), Facts()) == (None, None)


def test_every_role_spends_from_one_budget_and_none_more_than_its_share() -> None:
    facts = Facts(critic=replace(SMALL, share=0.1))
    answers = [ScriptedModel(["a"] * 9) for _ in range(2)]
    meter = Meter(BudgetLimits(tokens=3000), FakeClock())
    models = metered(Models(coder=answers[0], critic=answers[1]), facts, meter)
    assert models.coder is not None
    assert models.critic is not None
    said, limits = (Message("user", "fix it"),), CompletionLimits(100)
    models.critic.complete(said, limits)
    models.critic.complete(said, limits)
    with pytest.raises(BudgetError, match="critic"):
        models.critic.complete(said, limits)
    models.coder.complete(said, limits)
    assert (len(answers[0].prompts), len(answers[1].prompts)) == (1, 2)
    assert meter.spent.tokens == 360
