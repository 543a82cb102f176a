"""The SDK's exceptions → `ModelError` with a cause and a remedy; the key is taken out of whatever a server echoes."""

from urllib.parse import urlsplit, urlunsplit

import openai
from pydantic import SecretStr

from bot.errors import ModelError

DETAIL_LENGTH = 300
CONTEXT_PHRASES = (
    "context_length",
    "context length",
    "context window",
    "context size",
    "maximum context",
    "too many tokens",
)
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
    if any(phrase in detail.lower() for phrase in CONTEXT_PHRASES):
        return ModelError(
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


def _detail(error: openai.OpenAIError, key: SecretStr) -> str:
    body = error.body if isinstance(error, openai.APIError) else None
    message = body.get("message") if isinstance(body, dict) else None
    return _clean(str(message or error), key)


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
