import pytest

from bot.repair.editing.edits import Rung
from bot.repair.team.capabilities import TABLE, Capabilities, Class, Overrides, assumed, capabilities, classify
from bot.repair.team.facts import Facts, ModelFacts
from bot.repair.team.roles import Models, Role


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("qwen2.5-coder-1.5b-instruct", Class.SMALL),
        ("Qwen/Qwen2.5-Coder-7B-Instruct-GGUF", Class.SMALL),
        ("qwen2.5-coder:14b", Class.MID),
        ("Qwen3-Coder-30B-A3B-Instruct", Class.MID),
        ("mixtral-8x7b-instruct", Class.MID),
        ("meta-llama/Llama-3.3-70B-Instruct", Class.MID),
        ("Qwen3-Coder-480B-A35B-Instruct", Class.FRONTIER),
        ("gpt-4.1", Class.FRONTIER),
        ("gpt-4.1-mini-2025-04-14", Class.MID),
        ("o3", Class.FRONTIER),
        ("o3-mini", Class.MID),
        ("deepseek-chat", Class.FRONTIER),
        ("deepseek-r1-distill-qwen-1.5b", Class.SMALL),
        ("model-q4b", Class.MID),
        ("something-of-our-own", Class.MID),
        ("", Class.MID),
        ("9" * 5000 + "b", Class.MID),
    ],
)
def test_a_name_tells_the_class_and_an_unknown_one_is_in_the_middle(name: str, expected: Class) -> None:
    assert classify(name) is expected


def test_a_small_model_is_sampled_afresh_and_writes_whole_functions() -> None:
    can = assumed("qwen2.5-coder-1.5b-instruct")
    assert (can.first_rung, can.refine, can.self_debug, can.reflect) == (Rung.FUNCTION, False, False, False)
    assert can.samples > assumed("gpt-4.1").samples


def test_every_value_of_the_table_can_be_overridden_alone() -> None:
    can = capabilities("x-1.5b", Overrides(self_debug=True, samples=0, plays=frozenset({Role.CRITIC})))
    assert (can.self_debug, can.samples, can.plays) == (True, 0, frozenset({Role.CRITIC}))
    assert can.first_rung is TABLE[Class.SMALL].first_rung


def test_the_class_itself_can_be_decided() -> None:
    assert capabilities("x-1.5b", Overrides(kind=Class.FRONTIER)) == TABLE[Class.FRONTIER]


@pytest.mark.parametrize("row", TABLE.values())
def test_no_class_has_a_condenser_or_a_critic_that_nobody_asked_for(row: Capabilities) -> None:
    assert not {Role.CODER, Role.CONDENSER, Role.CRITIC} & row.plays


def test_a_reply_leaves_most_of_a_small_context_to_the_prompt() -> None:
    assert ModelFacts(context_tokens=1024, can=assumed("gpt-4.1")).reply_tokens == 341


def test_roles_are_asked_for_by_name() -> None:
    assert all(Facts().of(role) == ModelFacts() for role in Role)
    assert all(Models().of(role) is None for role in Role)
