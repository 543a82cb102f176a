"""`Model` over HTTP, against a scripted server that really listens."""

import subprocess
import sys
from pathlib import Path

import pytest
from model_server import ModelServer as ScriptedServer
from model_server import Reply
from pydantic import SecretStr

from bot.adapters.llm import ModelServer, OpenAIModel, Prices, TokenPrice
from bot.errors import ConfigurationError, ModelError
from bot.repair.types import Completion, CompletionLimits, Message

KEY = "sk-made-up-0123456789"
CHAT = (Message("system", "be brief"), Message("user", "fix it"))
FREE = Prices(free=("*",))


def model(url: str, name: str = "m", *, prices: Prices = FREE, timeout: float = 5.0, retries: int = 0) -> OpenAIModel:
    return OpenAIModel(ModelServer(url, SecretStr(KEY), timeout, retries), name, prices)


def answer(tmp_path: Path, *script: Reply, retries: int = 0, timeout: float = 5.0) -> tuple[Completion, ScriptedServer]:
    with ScriptedServer(script, tmp_path / "log") as server:
        made = model(server.base_url, retries=retries, timeout=timeout)
        return made.complete(CHAT, CompletionLimits(64, 0.2)), server


def failure(tmp_path: Path, *script: Reply, retries: int = 0, timeout: float = 5.0) -> ModelError:
    with pytest.raises(ModelError) as caught:
        answer(tmp_path, *script, retries=retries, timeout=timeout)
    assert KEY not in str(caught.value)
    return caught.value


def test_sends_messages_and_limits_and_returns_text_with_the_servers_usage(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 11, "completion_tokens": 7}
    completion, server = answer(tmp_path, {"text": "done", "usage": usage})
    body = server.chats[0]["body"]
    assert (completion.text, completion.finish_reason, completion.model) == ("done", "stop", "m")
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (11, 7)
    assert not completion.usage.estimated
    assert body["messages"] == [{"role": "system", "content": "be brief"}, {"role": "user", "content": "fix it"}]
    assert (body["max_tokens"], body["temperature"]) == (64, 0.2)
    assert server.chats[0]["headers"]["authorization"] == f"Bearer {KEY}"


def test_usage_that_the_server_leaves_out_is_estimated_and_marked(tmp_path: Path) -> None:
    completion, _ = answer(tmp_path, {"text": "x" * 300, "usage": None})
    assert completion.usage.estimated
    assert completion.usage.completion_tokens >= 100
    assert completion.usage.prompt_tokens > 0


def test_thought_that_a_server_counts_in_the_total_alone_is_charged_as_completion(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 21, "completion_tokens": 2, "total_tokens": 81}
    completion, _ = answer(tmp_path, {"text": "done", "usage": usage})
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (21, 60)
    assert not completion.usage.estimated


def test_dollars_follow_the_price_table(tmp_path: Path) -> None:
    prices = Prices({"m": TokenPrice(2_000.0, 8_000.0)})
    script = [{"text": "x", "usage": {"prompt_tokens": 500, "completion_tokens": 250}}]
    with ScriptedServer(script, tmp_path / "log") as server:
        completion = model(server.base_url, prices=prices).complete(CHAT, CompletionLimits())
    assert completion.usage.dollars == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("prompt", "completion"),
    [
        ("-1", "-1"),
        ("0", "0"),
        ("1" + "0" * 30, "1" + "0" * 30),
        ("1" + "0" * 400, "1" + "0" * 400),
        ("1", "1"),
        ("1e400", "NaN"),
        ("null", '"many"'),
    ],
)
def test_usage_that_cannot_be_is_bounded_by_what_was_sent_and_marked(
    tmp_path: Path, prompt: str, completion: str
) -> None:
    text, chat = "y" * 30_000, (Message("user", "x" * 30_000),)
    choices = f'[{{"index": 0, "message": {{"role": "assistant", "content": "{text}"}}}}]'
    usage = f'{{"prompt_tokens": {prompt}, "completion_tokens": {completion}}}'
    raw = f'{{"choices": {choices}, "usage": {usage}}}'
    prices = Prices({"m": TokenPrice(1.0, 1.0)})
    with ScriptedServer([{"raw": raw, "media_type": "application/json"}], tmp_path / "log") as server:
        used = model(server.base_url, prices=prices).complete(chat, CompletionLimits(64)).usage
    assert used.estimated
    assert 30_000 / 12 <= used.prompt_tokens <= 2 * 30_000
    assert 30_000 / 12 <= used.completion_tokens <= 2 * 30_000
    assert used.dollars == pytest.approx((used.prompt_tokens + used.completion_tokens) / 1e6)


def test_a_model_that_is_neither_priced_nor_free_is_refused_before_any_request(tmp_path: Path) -> None:
    with (
        ScriptedServer([], tmp_path / "log") as server,
        pytest.raises(ConfigurationError, match=r"must be priced or explicitly free.*REGREEN_PRICES"),
    ):
        model(server.base_url, prices=Prices(free=("other",)))
    assert server.chats == []


def test_an_empty_name_takes_the_servers_first_model(tmp_path: Path) -> None:
    with ScriptedServer([], tmp_path / "log", models=("small", "large")) as server:
        assert model(server.base_url, name="").name == "small"


def test_a_server_without_models_is_a_model_error(tmp_path: Path) -> None:
    with ScriptedServer([], tmp_path / "log", models=()) as server, pytest.raises(ModelError, match="lists no model"):
        model(server.base_url, name="")


def test_the_other_name_of_the_token_limit_is_tried_once_when_the_server_refuses_the_first(tmp_path: Path) -> None:
    refusal = {"status": 400, "message": "Unsupported parameter: 'max_tokens'", "parameter": "max_tokens"}
    with ScriptedServer([refusal, {"text": "a"}, {"text": "b"}], tmp_path / "log") as server:
        made = model(server.base_url)
        texts = [made.complete(CHAT, CompletionLimits(9)).text for _ in range(2)]
    sent = [{key for key in chat["body"] if key.startswith("max")} for chat in server.chats]
    assert texts == ["a", "b"]
    assert sent == [{"max_tokens"}, {"max_completion_tokens"}, {"max_completion_tokens"}]


def test_a_truncated_reply_says_so(tmp_path: Path) -> None:
    assert answer(tmp_path, {"text": "def f(", "finish_reason": "length"})[0].finish_reason == "length"


def test_an_empty_reply_is_empty_text(tmp_path: Path) -> None:
    assert answer(tmp_path, {"text": ""})[0].text == ""


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_failure_is_retried(tmp_path: Path, status: int) -> None:
    completion, server = answer(tmp_path, {"status": status}, {"text": "ok"}, retries=2)
    assert completion.text == "ok"
    assert len(server.chats) == 2


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ({"status": 401, "message": f"bad key {KEY}"}, "refused the key"),
        ({"status": 404, "message": "no such model"}, "knows no model 'm'"),
        ({"status": 429, "message": f"slow down, {KEY}"}, "too many requests"),
        ({"status": 500, "message": "boom"}, "failed with 500"),
        ({"status": 400, "message": "maximum context length is 10"}, "longer than the context"),
        ({"status": 422, "message": "no"}, "refused the request"),
        ({"close": True}, "cannot be reached"),
        ({"delay": 1.0, "text": "late"}, "too slow"),
        ({"raw": "<html>proxy</html>"}, "no chat completion"),
        ({"raw": "<html>proxy</html>", "media_type": "application/json"}, "no chat completion"),
        ({"raw": '{"choices": []}', "media_type": "application/json"}, "no chat completion"),
    ],
)
def test_each_failure_names_its_cause_and_never_the_key(tmp_path: Path, reply: Reply, words: str) -> None:
    error = failure(tmp_path, reply, timeout=0.3)
    assert words in error.cause
    assert error.remedy


def test_a_server_that_is_down_is_named(tmp_path: Path) -> None:
    with ScriptedServer([], tmp_path / "log") as server:
        url = server.base_url
    with pytest.raises(ModelError, match="cannot be reached"):
        model(url).complete(CHAT, CompletionLimits())


@pytest.mark.slow
def test_the_scripted_server_as_a_process_goes_on_where_its_log_ends(tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text('[{"text": "one"}, {"text": "two"}]')
    command = [sys.executable, str(Path(__file__).parents[1] / "model_server.py"), "0"]
    texts = []
    for _ in range(2):
        with subprocess.Popen(
            [*command, tmp_path / "script.json", tmp_path / "log"], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout
            url = process.stdout.readline().decode().strip()
            texts.append(model(url).complete(CHAT, CompletionLimits()).text)
            process.kill()
    assert texts == ["one", "two"]


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("<think>\nThe sum is off.\n```python\nwrong\n```\n</think>\n\nCAUSE: it", "CAUSE: it"),
        ("The sum is off.\n</think>\nCAUSE: it", "CAUSE: it"),
        ("<think>\nand so on", ""),
        ("CAUSE: `<think>` is left in\n</think> as well", "CAUSE: `<think>` is left in\n</think> as well"),
        ("CAUSE: it", "CAUSE: it"),
    ],
)
def test_what_a_model_thinks_first_is_no_part_of_its_answer(tmp_path: Path, reply: str, text: str) -> None:
    completion, _ = answer(tmp_path, {"text": reply, "usage": {"prompt_tokens": 30, "completion_tokens": 40}})
    assert (completion.text, completion.usage.completion_tokens) == (text, 40)
