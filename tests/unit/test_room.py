from collections.abc import Iterable

import pytest
from fakes import ScriptedModel
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import BudgetError, ContextOverflowError
from bot.repair.prompting.blocks import block, cut, size
from bot.repair.prompting.room import MAX_SHRINKS, THOUGHT, Asker, Build, Room, asker, estimate, tokens, too_small
from bot.repair.team.capabilities import assumed
from bot.repair.team.facts import Facts, ModelFacts
from bot.repair.team.roles import Models, Role
from bot.repair.types import Completion, CompletionLimits, Message, Usage

SYSTEM = Message("system", "You repair a repository. " * 8)


def facts(context: int = 8192) -> ModelFacts:
    return ModelFacts(context, assumed("x-14b"))


def text_of(whole: str) -> Build:
    def build(limit: int) -> tuple[Message, ...]:
        left = limit - size(SYSTEM.content)
        if left < 300:
            raise too_small(limit // 3)
        return SYSTEM, Message("user", cut(whole, left))

    return build


def overflow(said: str = "too long") -> ContextOverflowError:
    return ContextOverflowError(f"The prompt is longer than the context of 'm': {said}", "Set it.")


@pytest.mark.parametrize(
    ("text", "least"),
    [
        # counted with Qwen2.5-Coder's tokeniser
        (", ".join(str(number * 37 % 1000) for number in range(300)), 1_472),
        ("0123456789abcdef" * 64, 704),
        ("if a[i] != b[j]:\n    c[i][j] += 1\n" * 50, 900),
        ("The total is wrong when a discount applies. " * 50, 451),
        ("错误发生在计算总价的时候" * 50, 250),
    ],
)
def test_no_usual_text_takes_more_tokens_than_are_counted(text: str, least: int) -> None:
    assert tokens(text) >= least


@given(st.text(max_size=30_000), st.integers(1024, 40_000))
def test_a_prompt_never_takes_more_than_its_room(text: str, context: int) -> None:
    room = Room(facts(context))
    prompt = room.fit(text_of(text))
    assert estimate(prompt) <= room.prompt
    assert room.prompt + room.reply <= context


@given(st.sampled_from(["1234567890", "  if x:\n", "日本", "word ", "{}[]"]), st.integers(2048, 16_384))
def test_a_long_text_fills_a_good_part_of_the_room_whatever_it_is_made_of(piece: str, context: int) -> None:
    room = Room(facts(context))
    assert estimate(room.fit(text_of(piece * 20_000))) > 0.4 * room.prompt


def test_a_context_without_room_for_the_fixed_part_is_an_error_before_any_call() -> None:
    model = ScriptedModel([])
    with pytest.raises(ContextOverflowError, match="too little"):
        Asker(model, Room(facts(256))).ask(text_of("x"))
    assert model.prompts == []


def test_an_overflow_is_answered_with_shorter_prompts_and_remembered() -> None:
    model = ScriptedModel([overflow(), overflow(), "done", "again"])
    one = Asker(model, Room(facts()))
    assert one.ask(text_of("word " * 20_000)).text == "done"
    one.ask(text_of("word " * 20_000))
    sizes = [estimate(prompt) for prompt in model.prompts]
    assert sizes[1] <= sizes[0] // 2
    assert sizes[2] <= sizes[1] // 2
    assert sizes[3] == sizes[2]


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 4096 tokens. You requested 9000 tokens.",
        "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it",
        "Prompt contains 9000 tokens, too large for model with 4096 maximum context length",
        "context length is 4096 tokens, 9000 asked for",
        "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000",
    ],
)
def test_a_context_that_the_server_names_is_used_as_it_is(said: str) -> None:
    room = Room(facts())
    model = ScriptedModel([overflow(said), "done"])
    answer = Asker(model, room).ask(text_of("word " * 20_000))
    assert 0.5 * 4096 < estimate(answer.prompt) + room.reply <= 4096


def test_a_server_that_never_has_room_is_asked_a_few_times_only() -> None:
    model = ScriptedModel([overflow() for _ in range(9)])
    with pytest.raises(ContextOverflowError):
        Asker(model, Room(facts(100_000))).ask(text_of("word " * 200_000))
    assert len(model.prompts) == MAX_SHRINKS + 1


def test_a_short_prompt_that_overflows_gets_shorter_still() -> None:
    model = ScriptedModel([overflow(), "done"])
    Asker(model, Room(facts(100_000))).ask(text_of("word " * 2000))
    first, second = (estimate(prompt) for prompt in model.prompts)
    assert second <= first // 2


def cut_off(text: str, prompt: int, completion: int) -> Completion:
    return Completion(text, "length", Usage(prompt, completion), "m")


def test_an_empty_reply_that_ended_with_the_context_is_asked_for_again_with_less() -> None:
    model = ScriptedModel([cut_off("", 4095, 1), "done"])
    room = Room(facts())
    assert Asker(model, room).ask(text_of("word " * 20_000)).text == "done"
    assert estimate(model.prompts[1]) + room.reply <= 4096


def test_a_reply_that_the_context_cut_off_is_kept_and_the_next_prompt_is_shorter() -> None:
    model = ScriptedModel([cut_off("half", 4000, 96), "done"])
    one = Asker(model, Room(facts()))
    assert one.ask(text_of("word " * 20_000)).text == "half"
    one.ask(text_of("word " * 20_000))
    assert estimate(model.prompts[1]) < 4096 < estimate(model.prompts[0])


def test_a_reply_that_ended_at_its_own_limit_says_nothing_of_the_context() -> None:
    room = Room(facts())
    before = room.prompt
    Asker(ScriptedModel([cut_off("half a function", 4000, room.reply)]), room).ask(text_of("x"))
    assert room.prompt == before


class Thinker(ScriptedModel):
    """Thinks for so many tokens before its first word, and answers if any are left."""

    def __init__(self, thought: int) -> None:
        super().__init__([])
        self.thought = thought
        self.limits: list[int] = []

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        self.prompts.append(messages)
        self.limits.append(limits.max_tokens)
        done = limits.max_tokens > self.thought
        used = Usage(estimate(messages), min(limits.max_tokens, self.thought + 10), 0.01)
        return Completion("done" if done else "", "stop" if done else "length", used, self.name)


@pytest.mark.parametrize(("thought", "calls"), [(0, 1), (1_900, 2), (7_000, 3)])
def test_a_model_that_thought_until_nothing_was_left_for_its_answer_gets_more(thought: int, calls: int) -> None:
    model = Thinker(thought)
    one = Asker(model, Room(facts(64_000)))
    answer = one.ask(text_of("word " * 20_000), reply=200)
    assert (answer.text, len(model.prompts)) == ("done", calls)
    assert answer.completion.usage.dollars == pytest.approx(0.01 * calls)
    assert one.ask(text_of("x"), reply=200).text == "done"
    assert len(model.prompts) == calls + 1


def test_thought_takes_the_prompts_place_where_the_context_has_no_other() -> None:
    model = Thinker(3_000)
    assert Asker(model, Room(facts(8192))).ask(text_of("word " * 20_000)).text == "done"
    taken = [estimate(prompt) + limit for prompt, limit in zip(model.prompts, model.limits, strict=True)]
    assert max(taken) <= 8192


@pytest.mark.parametrize("context", [2048, 8192, 128_000])
def test_thought_without_end_ends_without_an_answer(context: int) -> None:
    model = Thinker(1_000_000)
    assert Asker(model, Room(facts(context))).ask(text_of("word " * 20_000)).text == ""
    assert len(model.prompts) <= len(THOUGHT)
    assert model.limits == sorted(set(model.limits))


def test_other_errors_are_not_asked_again() -> None:
    with pytest.raises(BudgetError):
        Asker(ScriptedModel([BudgetError("no room", "allow more")]), Room(facts())).ask(text_of("x"))


def test_a_role_without_a_model_asks_nobody() -> None:
    assert asker(Models(), Facts(), Role.CRITIC) is None
    found = asker(Models(critic=ScriptedModel([])), Facts(critic=ModelFacts(temperature=0.5)), Role.CRITIC)
    assert found is not None
    assert found.temperature == 0.5


def lines(text: str) -> Iterable[str]:
    return text.split("\n")


@given(st.text(alphabet="`ab\n \u00e9", max_size=400), st.integers(0, 300))
def test_a_block_stays_within_its_bytes_and_cannot_be_closed_from_inside(text: str, limit: int) -> None:
    made = block("Said:", text, limit)
    assert size(made) <= max(limit, 0)
    if made:
        label, fence, *held, last = lines(made)
        assert (label, last) == ("Said:", fence)
        assert all(fence not in line for line in held)
