"""How servers say that a prompt is too long, and what else of a request they refuse."""

from pathlib import Path

import pytest
from model_server import ModelServer as ScriptedServer
from model_server import Reply
from pydantic import SecretStr

from bot.adapters.llm import ModelServer, OpenAIModel, Prices
from bot.errors import ContextOverflowError, ModelError
from bot.repair.types import CompletionLimits, Message

CHAT = (Message("user", "fix it"),)
OVERFLOWS = {
    "OpenAI": "This model's maximum context length is 4097 tokens. However, your messages resulted in 5123 tokens.",
    "OpenAI, reply": "max_tokens is too large: 9000. This model supports at most 4096 completion tokens.",
    "vLLM": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the "
    "messages, 500 in the completion). Please reduce the length of the messages or completion.",
    "vLLM, reply": "'max_tokens' or 'max_completion_tokens' is too large: 1500. This model's maximum context length is "
    "2048 tokens and your request has 900 input tokens (1500 > 2048 - 900).",
    "llama.cpp": "the request exceeds the available context size. try increasing the context size or enable context "
    "shift",
    "llama.cpp, newer": "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
    "Ollama": "the input length exceeds the context length",
    "LM Studio": "The number of tokens to keep from the initial prompt is greater than the context length.",
    "SGLang": "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
    "TGI": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3000 `inputs` tokens",
    "Mistral": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    "node-llama-cpp": "context length is 8192 tokens, 9000 asked for",
    "long prompt": "prompt is too long: 210000 tokens > 200000 maximum",
    "rate of tokens": "Request too large for m in o on tokens per min (TPM): Limit 30000, Requested 40000.",
}


def model(server: ScriptedServer) -> OpenAIModel:
    return OpenAIModel(ModelServer(server.base_url, SecretStr("k" * 20), 5.0, 0), "m", Prices(free=("*",)))


def caught(tmp_path: Path, *script: Reply) -> ModelError:
    with ScriptedServer(script, tmp_path / "log") as server:
        with pytest.raises(ModelError) as error:
            model(server).complete(CHAT, CompletionLimits(64))
        assert len(server.chats) == len(script)
    return error.value


@pytest.mark.parametrize("message", OVERFLOWS.values(), ids=OVERFLOWS)
def test_an_overflow_is_told_from_other_failures_and_is_not_repeated(tmp_path: Path, message: str) -> None:
    error = caught(tmp_path, {"status": 400, "message": message})
    assert isinstance(error, ContextOverflowError)
    assert "REGREEN_MODEL_CONTEXT" in error.remedy


@pytest.mark.parametrize("status", [413, 422, 429, 500])
def test_an_overflow_comes_with_whatever_status(tmp_path: Path, status: int) -> None:
    assert isinstance(caught(tmp_path, {"status": status, "message": OVERFLOWS["TGI"]}), ContextOverflowError)


@pytest.mark.parametrize(
    ("status", "message"),
    [(400, "messages must alternate"), (429, "slow down"), (500, "out of memory"), (401, "context length of the key")],
)
def test_other_failures_are_no_overflow(tmp_path: Path, status: int, message: str) -> None:
    assert not isinstance(caught(tmp_path, {"status": status, "message": message}), ContextOverflowError)


@pytest.mark.parametrize("reason", ["length", "max_tokens", "model_length"])
def test_every_name_of_a_cut_reply_is_the_same_to_the_loop(tmp_path: Path, reason: str) -> None:
    with ScriptedServer([{"text": "a", "finish_reason": reason}], tmp_path / "log") as server:
        assert model(server).complete(CHAT, CompletionLimits(64)).finish_reason == "length"


def test_a_seed_is_sent_where_a_sample_of_its_own_is_asked_for(tmp_path: Path) -> None:
    with ScriptedServer([{"text": "a"}, {"text": "b"}], tmp_path / "log") as server:
        model(server).complete(CHAT, CompletionLimits(64, seed=7))
        model(server).complete(CHAT, CompletionLimits(64))
        assert [chat["body"].get("seed") for chat in server.chats] == [7, None]


def test_what_a_server_does_not_take_is_left_out_from_then_on(tmp_path: Path) -> None:
    script = (
        {"status": 400, "message": "Unsupported value: 'temperature' does not support 0.2 with this model."},
        {"status": 422, "message": "Extra inputs are not permitted: seed"},
        {"text": "a"},
        {"text": "b"},
    )
    with ScriptedServer(script, tmp_path / "log") as server:
        made = model(server)
        for _ in range(2):
            made.complete(CHAT, CompletionLimits(64, 0.2, seed=1))
        sent = [{"temperature", "seed"} & {*chat["body"]} for chat in server.chats]
    assert sent == [{"temperature", "seed"}, {"seed"}, set(), set()]
