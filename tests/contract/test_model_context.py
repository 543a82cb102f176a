"""What servers say of their context, over real HTTP."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from model_server import ModelServer as ScriptedServer
from model_server import Reply
from pydantic import SecretStr

from bot.adapters.llm import ModelServer, OpenAIModel, Prices
from bot.settings import Settings
from bot.wiring.models import build_models


def told(tmp_path: Path, *models: Reply, pages: Mapping[str, Reply] | None = None) -> int | None:
    with ScriptedServer([], tmp_path / "log", models, pages) as server:
        named = OpenAIModel(ModelServer(server.base_url, SecretStr("k" * 20), 5.0, 0), "m", Prices(free=("*",)))
        return named.served_context()


LISTS: dict[str, tuple[Reply, int | None]] = {
    "vLLM": ({"id": "m", "max_model_len": 16384}, 16384),
    "LM Studio": ({"id": "m", "max_context_length": 131072, "loaded_context_length": 4096}, 4096),
    "OpenRouter": ({"id": "m", "context_length": 65536}, 65536),
    "Groq": ({"id": "m", "context_window": 8192}, 8192),
    "llama.cpp": ({"id": "m", "meta": {"n_ctx": 2048, "n_ctx_train": 32768}}, 2048),
    "llama.cpp, weights only": ({"id": "m", "meta": {"n_ctx_train": 32768}}, 32768),
    "nothing": ({"id": "m"}, None),
    "too small": ({"id": "m", "max_model_len": 8}, None),
    "too large": ({"id": "m", "max_model_len": 10**12}, None),
    "no number": ({"id": "m", "max_model_len": "16k", "meta": []}, None),
    "a truth value": ({"id": "m", "max_model_len": True}, None),
}


@pytest.mark.parametrize(("entry", "expected"), LISTS.values(), ids=LISTS)
def test_the_list_of_models_says_it_in_each_servers_way(tmp_path: Path, entry: Reply, expected: int | None) -> None:
    assert told(tmp_path, entry) == expected


def test_among_several_models_the_named_one_counts_and_no_other(tmp_path: Path) -> None:
    others = ({"id": "a", "max_model_len": 1024}, {"id": "b", "max_model_len": 2048})
    assert told(tmp_path, *others, {"id": "m", "max_model_len": 4096}) == 4096
    assert told(tmp_path, *others) is None


def test_what_llama_cpp_was_started_with_comes_before_what_its_weights_can(tmp_path: Path) -> None:
    pages = {"/props": {"default_generation_settings": {"n_ctx": 4096}}}
    assert told(tmp_path, {"id": "m", "meta": {"n_ctx_train": 32768}}, pages=pages) == 4096


def test_what_ollama_has_loaded_is_asked_of_its_own_page(tmp_path: Path) -> None:
    pages = {"/api/ps": {"models": [{"name": "m", "context_length": 4096}]}}
    assert told(tmp_path, {"id": "m", "owned_by": "library"}, pages=pages) == 4096


def test_a_server_that_does_not_answer_says_nothing() -> None:
    server = ModelServer("http://127.0.0.1:9/v1", SecretStr("k" * 20), 5.0, 0)
    assert OpenAIModel(server, "m", Prices(free=("*",))).served_context() is None


@pytest.mark.parametrize(("decided", "expected"), [(None, 4096), (2048, 2048), (32_768, 4096)])
def test_a_setting_can_only_lower_what_the_server_says(tmp_path: Path, decided: int | None, expected: int) -> None:
    with ScriptedServer([], tmp_path / "log", ({"id": "m", "max_model_len": 4096},)) as server:
        found = Settings(openai_base_url=server.base_url, model="m", free_models=("*",), model_context=decided)
        assert build_models(found)[1].coder.context_tokens == expected


def test_where_the_server_says_nothing_the_setting_stands_and_then_the_models_class(tmp_path: Path) -> None:
    with ScriptedServer([], tmp_path / "log", ("m",)) as server:
        found = Settings(openai_base_url=server.base_url, model="gpt-4.1", free_models=("*",))
        assert build_models(found)[1].coder.context_tokens == 128_000
        small = found.model_copy(update={"model_context": 2048})
        assert build_models(small)[1].coder.context_tokens == 2048
