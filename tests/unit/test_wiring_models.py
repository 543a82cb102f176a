from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from bot.errors import ConfigurationError
from bot.model_settings import Deviations
from bot.repair.editing.edits import Rung
from bot.repair.team.capabilities import TABLE, Class
from bot.repair.team.roles import Role
from bot.settings import Settings, load
from bot.wiring.models import build_models

MAIN = {"model": "qwen2.5-coder-1.5b-instruct", "openai_base_url": "http://127.0.0.1:9/v1", "free_models": ("*",)}


def settings(**changes: Any) -> Settings:
    return Settings(**(MAIN | changes))


def played(found: Settings) -> dict[str, str]:
    models, _ = build_models(found)
    return {role.value: model.name for role in Role if (model := models.of(role))}


def test_without_a_main_model_no_role_is_played() -> None:
    assert played(Settings(model="", openai_base_url="", openai_api_key=SecretStr(""), model_critic="c")) == {}


def test_the_main_model_plays_what_pays_for_its_class() -> None:
    assert played(settings()) == dict.fromkeys(("coder", "tester"), MAIN["model"])
    assert set(played(settings(model="gpt-4.1"))) == {"coder", "tester", "reviewer"}


def test_the_operator_decides_what_the_main_model_plays_else() -> None:
    assert set(played(settings(roles=("critic", "reviewer")))) == {"coder", "critic", "reviewer"}
    assert set(played(settings(model="gpt-4.1", roles=("none",)))) == {"coder"}


def test_a_role_with_a_model_of_its_own_has_it_with_its_own_sizes() -> None:
    found = settings(model_critic="gpt-4.1", temperature_critic=0.5, token_share_critic=0.2)
    assert played(found)["critic"] == "gpt-4.1"
    facts = build_models(found)[1]
    assert (facts.critic.temperature, facts.critic.share, facts.critic.context_tokens) == (0.5, 0.2, 128_000)
    assert (facts.coder.first_rung, facts.critic.first_rung) == (Rung.FUNCTION, Rung.SEARCH_REPLACE)


def test_each_role_needs_a_price_of_its_own() -> None:
    found = settings(free_models=(MAIN["model"],), model_reviewer="unpriced")
    with pytest.raises(ConfigurationError, match="unpriced"):
        build_models(found)


def test_the_main_key_is_never_sent_to_another_server() -> None:
    found = settings(
        openai_api_key=SecretStr("main-key"),
        model_critic="a",
        openai_base_url_critic="http://127.0.0.1:9/v1",
        model_tester="c",
    )
    models, _ = build_models(found)
    critic, tester = models.critic, models.tester
    assert critic._server.api_key.get_secret_value() == ""  # type: ignore[union-attr]  # an OpenAIModel
    assert tester._server.api_key.get_secret_value() == "main-key"  # type: ignore[union-attr]  # likewise


def test_every_key_is_redacted() -> None:
    found = settings(openai_api_key_critic=SecretStr("critic-key"))
    assert "critic-key" in {secret.get_secret_value() for secret in found.secrets}


def test_roles_are_a_list_of_known_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGREEN_ROLES", "critic, reviewer")
    assert load().roles == ("critic", "reviewer")
    monkeypatch.setenv("REGREEN_ROLES", "")
    assert load().roles is None
    monkeypatch.setenv("REGREEN_ROLES", "boss")
    with pytest.raises(ConfigurationError, match="REGREEN_ROLES: each is one of"):
        load()


def test_models_that_a_policy_may_name_are_built_with_sizes_and_prices_of_their_own() -> None:
    models, facts = build_models(settings(offered_models=(MAIN["model"], "gpt-4.1")))
    assert set(models.offered) == set(facts.offered) == {"gpt-4.1"}
    assert models.names == {MAIN["model"], "gpt-4.1"}
    assert facts.offered["gpt-4.1"].context_tokens > facts.coder.context_tokens


def test_an_offered_model_without_a_price_is_refused_at_the_start() -> None:
    with pytest.raises(ConfigurationError):
        build_models(settings(free_models=(MAIN["model"],), offered_models=("gpt-4.1",)))


def test_what_is_decided_for_a_model_by_its_name_holds_in_every_role() -> None:
    decided = {
        "big": Deviations(samples=7),
        "judge": Deviations(model_class="frontier", context_tokens=4096, prompt_tokens=900),
        "other": Deviations(first_rung="file"),
    }
    found = settings(
        model="big", samples=1, patience=9, model_class="small", model_critic="judge", offered_models=("other",),
        free_models=("*",), capabilities=decided,
    )  # fmt: skip
    _, facts = build_models(found)
    main, critic, other = facts.coder.can, facts.critic, facts.offered["other"].can
    assert main == replace(TABLE[Class.SMALL], samples=7, patience=9)
    assert (critic.can, critic.context_tokens) == (replace(TABLE[Class.FRONTIER], prompt_tokens=900), 4096)
    assert other == replace(TABLE[Class.MID], first_rung=Rung.FILE)


@pytest.mark.parametrize("wrong", ['{"m": {"tokens": 1}}', '{"m": {"samples": 99}}', '{"m": 1}'])
def test_what_nobody_can_decide_for_a_model_is_refused(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("REGREEN_CAPABILITIES", wrong)
    with pytest.raises(ConfigurationError, match="REGREEN_CAPABILITIES"):
        load()
