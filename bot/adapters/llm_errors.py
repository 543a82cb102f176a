"""The SDK's exceptions → `ModelError` with a cause and a remedy; the key is taken out of whatever a server echoes."""

import re
from urllib.parse import urlsplit, urlunsplit

import openai
from pydantic import SecretStr

from bot.errors import ContextOverflowError, ModelError

DETAIL_LENGTH = 300
MAX_TOLD = 2000
OVERFLOW = re.compile(
    # OpenAI, vLLM, SGLang, llama.cpp, Ollama, LM Studio, node-llama-cpp, TGI, Mistral and what is modelled on them
    r"context_length|context[ _](?:length|window|size|limit)|maximum context|available context|context shift"
    r"|exceed_context_size|too many tokens|prompt is too long|input is too long|inputs?`? (?:length|token)"
    r"|max_new_tokens` must be|reduce the length|request too large|too large for model"
    r"|tokens to keep from the initial prompt|max_(?:completion_)?tokens\b.{0,40}too large",
    re.IGNORECASE,
)
"""How servers say that a prompt, or a prompt with its reply, does not fit."""
TOO_LARGE = 413
NOT_OF_SIZE = frozenset({401, 403, 404})
REASK = "Ask again later; the run can be started anew by removing and adding the label."


def translate(error: openai.OpenAIError, model: str, base_url: str, key: SecretStr) -> ModelError:
    """What happened to a call to `model` at `base_url`, in words."""
    where = f"at {_address(base_url)}" if base_url else "at the default server"
    detail = _detail(error, key)
    match error:
        case openai.APITimeoutError():
            return ModelError(
                f"The model server {where} was too slow, also after the retries",
                "Raise REGREEN_MODEL_TIMEOUT, or use a faster model.",
            )
        case openai.APIConnectionError():
            return ModelError(
                f"The model server {where} cannot be reached ({_reason(error, key)})",
                "Start it, or correct OPENAI_BASE_URL.",
            )
        case openai.APIStatusError():
            return _for_status(error, detail, model, where)
    return ModelError(f"The model server {where} gave an answer that is not understood: {detail}", REASK)


def _for_status(error: openai.APIStatusError, detail: str, model: str, where: str) -> ModelError:
    status = error.status_code
    if overflows(error):
        return ContextOverflowError(
            f"The prompt is longer than the context of {model!r}: {detail}",
            "Set REGREEN_MODEL_CONTEXT to what the server really offers.",
        )
    if status in {401, 403}:
        return ModelError(f"The model server {where} refused the key ({status})", "Correct OPENAI_API_KEY.")
    if status == 404:  # noqa: PLR2004 - HTTP's own number is its clearest name
        return ModelError(
            f"The model server {where} knows no model {model!r} or no such address: {detail}",
            "Correct REGREEN_MODEL, or OPENAI_BASE_URL (it usually ends in /v1).",
        )
    if status == 429:  # noqa: PLR2004 - likewise
        return ModelError(f"The model server {where} says that there were too many requests: {detail}", REASK)
    if status >= 500:  # noqa: PLR2004 - likewise
        return ModelError(f"The model server {where} failed with {status}, also after the retries: {detail}", REASK)
    return ModelError(
        f"The model server {where} refused the request ({status}): {detail}", "Check the model's settings."
    )


def overflows(error: openai.APIStatusError) -> bool:
    """Whether a server refused a prompt, or a prompt with its reply, for its size."""
    named = _body(error)
    told = " ".join(str(named.get(key, ""))[:MAX_TOLD] for key in ("message", "code", "type")) if named else str(error)
    status = error.status_code
    return status == TOO_LARGE or (status not in NOT_OF_SIZE and bool(OVERFLOW.search(told)))


def _detail(error: openai.OpenAIError, key: SecretStr) -> str:
    return _clean(str(_body(error).get("message") or error), key)


def _body(error: openai.OpenAIError) -> dict[str, object]:
    """The error's own object, where the server sent one."""
    body = error.body if isinstance(error, openai.APIError) else None
    return body if isinstance(body, dict) else {}


def _reason(error: openai.APIConnectionError, key: SecretStr) -> str:
    return _clean(str(error.__cause__ or error), key)


def _address(base_url: str) -> str:
    """What strangers may read of it: no user, no password, no parameters."""
    parts = urlsplit(base_url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _clean(text: str, key: SecretStr) -> str:
    secret = key.get_secret_value()
    if secret:
        text = text.replace(secret, "[redacted]")
    return " ".join(text.split())[:DETAIL_LENGTH]
