"""Which model plays which role: the operator offers, the policy chooses among that, and nothing beyond it."""

import pytest
from fakes import ScriptedModel
from fakes_fix import FILES, Stage

from bot.jobs import State
from bot.pipeline.governance.cast import bound, cast
from bot.policy import PATH, Fault, RepoPolicy, examine
from bot.repair.team.facts import Facts, ModelFacts
from bot.repair.team.roles import Models
from sandbox.spec import File

MAIN, OTHER, CRITIC = (ScriptedModel([], name) for name in ("main", "other", "critic"))
MODELS = Models(coder=MAIN, critic=CRITIC, offered={"other": OTHER})


def test_without_a_word_of_the_policy_everybody_keeps_the_role() -> None:
    assert cast(MODELS, RepoPolicy()) == Models(coder=MAIN, critic=CRITIC)


def test_the_policy_names_an_offered_model_for_a_role() -> None:
    assert cast(MODELS, RepoPolicy(models={"coder": "other"})).coder is OTHER


def test_a_model_for_a_role_that_nobody_plays_is_asked_too() -> None:
    assert cast(MODELS, RepoPolicy(models={"reviewer": "other"})).reviewer is OTHER


@pytest.mark.parametrize(("roles", "left"), [((), Models()), (("coder",), Models(coder=MAIN))])
def test_roles_that_the_policy_does_not_list_are_off(roles: tuple[str, ...], left: Models) -> None:
    policy = RepoPolicy.model_validate({"roles": roles, "models": {"critic": "other"}})
    assert cast(MODELS, policy) == left


def test_a_models_own_sizes_and_prices_bind_it_with_the_roles_temperature_and_share() -> None:
    facts = Facts(
        coder=ModelFacts(temperature=0.3, share=0.5, prompt_price=1.0),
        offered={"other": ModelFacts(context_tokens=99_000, prompt_price=7.0)},
    )
    coder = bound(facts, RepoPolicy(models={"coder": "other"})).coder
    assert (coder.context_tokens, coder.prompt_price, coder.temperature, coder.share) == (99_000, 7.0, 0.3, 0.5)
    assert bound(facts, RepoPolicy()).coder is facts.coder


def test_a_model_that_nobody_offers_is_a_fault_on_its_line() -> None:
    found = examine(b"draft: true\nmodels:\n  coder: gpt-99\n  critic: main\n", {"main", "other"})
    assert found == (Fault(3, 3, "models.coder", "the operator offers no such model; there are: main, other"),)


def test_a_run_with_a_model_that_is_not_offered_is_refused_before_any_spend() -> None:
    stage = Stage(model=ScriptedModel([]))
    files = {path: File(data) for path, data in FILES.items()}
    stage.github.add_commit("main", "policy", {**files, PATH: File(b"models: {coder: gpt-99}\n")})
    assert stage.run().state is State.REFUSED
    assert "no such model" in stage.comment
