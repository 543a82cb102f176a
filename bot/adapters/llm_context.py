"""How long a context a model server says that it has; what it says is a claim, and is checked before it counts."""

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit, urlunsplit

import openai

LEAST, MOST = 512, 10_000_000
SECONDS = 5.0
SERVED = ("max_model_len", "loaded_context_length", "max_context_length", "context_length", "context_window", "n_ctx")
"""vLLM and SGLang; LM Studio; Mistral; OpenRouter and Ollama's list of what is loaded; Groq; llama.cpp."""
NAMES = ("id", "name", "model")
TRAINED = "n_ctx_train"
"""What llama.cpp says of the weights: a server may have been started with less, and says that elsewhere."""


def served_context(client: openai.OpenAI, model: str) -> int | None:
    """Tokens of prompt and reply together, `None` where the server does not say, or says nothing to believe.

    Asks for the list of models; where that names no length that is served, llama.cpp's and Ollama's own pages beside
    `/v1`. Whatever goes wrong is no answer, within some seconds.
    """
    listed = _entry(_get(client, "/models").get("data"), model)
    told = _served(listed)
    if told is not None:
        return told
    root = _root(str(client.base_url))
    slots = _object(_get(client, f"{root}/props").get("default_generation_settings"))
    lengths = (
        _length(slots.get("n_ctx")),
        _served(_entry(_get(client, f"{root}/api/ps").get("models"), model)),
        _length(_object(listed.get("meta")).get(TRAINED)),
    )
    return next((length for length in lengths if length is not None), None)


def _get(client: openai.OpenAI, path: str) -> Mapping[str, object]:
    try:
        # one question at a start is no reason to keep a connection
        options: openai.RequestOptions = {"timeout": SECONDS, "max_retries": 0, "headers": {"Connection": "close"}}
        return _object(client.get(path, cast_to=object, options=options))
    except (openai.OpenAIError, ValueError, RecursionError):
        return {}


def _entry(listed: object, model: str) -> Mapping[str, object]:
    """The model's entry in a list, or the only one."""
    entries = [_object(entry) for entry in listed] if isinstance(listed, list) else []
    named = [entry for entry in entries if model in [entry.get(name) for name in NAMES]]
    return next(iter(named), entries[0] if len(entries) == 1 else {})


def _served(entry: Mapping[str, object]) -> int | None:
    """The smallest length that an entry gives."""
    return min(_lengths(entry), default=None)


def _lengths(entry: Mapping[str, object]) -> Iterator[int]:
    for part in (entry, _object(entry.get("meta"))):
        for name in SERVED:
            length = _length(part.get(name))
            if length is not None:
                yield length


def _length(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and LEAST <= value <= MOST else None


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _root(base_url: str) -> str:
    """The server's own address, without the path of its Chat Completions."""
    parts = urlsplit(base_url)
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/").removesuffix("/v1"), "", ""))
