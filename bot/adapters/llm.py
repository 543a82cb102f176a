"""`Model` over any server that speaks Chat Completions: plain text in, plain text out, no tools, no streaming."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import openai
from openai.types.chat import ChatCompletion
from pydantic import BaseModel, Field, SecretStr, ValidationError

from bot.adapters.llm_client import client
from bot.adapters.llm_context import served_context
from bot.adapters.llm_errors import overflows, translate
from bot.errors import ConfigurationError, ModelError
from bot.repair.types import Completion, CompletionLimits, Message, Usage

ANY_MODEL = "*"
CHARACTERS_PER_TOKEN = 3
"""Low for English and code, so that an estimate errs towards too much."""
TOKENS_PER_MESSAGE = 4
ESTIMATE_IS_WITHIN = 4
"""An estimate is at most this many times too large: what a server reports below that, it has not counted."""
TEMPLATE_TOKENS = 1_000
"""What a chat template may add to a prompt, and to a limit on the reply, before a report is disbelieved."""
NO_KEY = "none"
"""The SDK refuses an empty key; servers without authentication ignore it."""
OLD_LIMIT = "max_tokens"
NEW_LIMIT = "max_completion_tokens"
OPTIONAL = ("temperature", "seed")
THINKING = ("<think>", "</think>")
CUT = frozenset({"length", "max_tokens", "model_length", "MAX_TOKENS"})
"""How servers say that a reply was cut off."""


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """Dollars for a million tokens."""

    prompt: float
    completion: float


FREE = TokenPrice(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class ModelServer:
    """Where a model answers and how long it may take; an empty `base_url` is the SDK's default server.

    `timeout` is seconds for one attempt, and there are `retries` more after 429, 5xx and timeouts.
    """

    base_url: str
    api_key: SecretStr
    timeout: float = 300.0
    retries: int = 2


@dataclass(frozen=True, slots=True)
class Prices:
    """What models cost. A model in neither is refused: spend that nobody can count is no budget."""

    priced: Mapping[str, TokenPrice] = field(default_factory=lambda: MappingProxyType({}))
    free: tuple[str, ...] = ()

    def of(self, model: str) -> TokenPrice:
        """The model's price. Raises `ConfigurationError` when it is neither priced nor free."""
        if model in self.priced:
            return self.priced[model]
        if model in self.free or ANY_MODEL in self.free:
            return FREE
        raise ConfigurationError(
            f"The price of the model {model!r} is unknown, so no budget could hold",
            "Unknown models must be priced or explicitly free: "
            f'set REGREEN_PRICES to {{"{model}": {{"prompt": …, "completion": …}}}} in dollars for a million tokens, '
            "or name it in REGREEN_FREE_MODELS (* for every model of the server).",
        )


class _Text(BaseModel, from_attributes=True):
    content: str | None = None


class _Choice(BaseModel, from_attributes=True):
    message: _Text
    finish_reason: str | None = None


class _Named(BaseModel):
    id: str


class _Models(BaseModel):
    """What of a list of models is used."""

    data: list[_Named]


class _Counts(BaseModel, from_attributes=True):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int | None = None

    @property
    def whole(self) -> "_Counts":
        """With what was thought in the completion: some servers count that in the total alone, and charge for it."""
        thought = (self.total_tokens or 0) - self.prompt_tokens
        return _Counts(prompt_tokens=self.prompt_tokens, completion_tokens=max(self.completion_tokens, thought))


class _Answer(BaseModel, from_attributes=True):
    """What of a chat completion is used; the SDK itself does not validate."""

    choices: list[_Choice] = Field(min_length=1)
    usage: object = None


@dataclass(frozen=True, slots=True)
class _Range:
    least: int
    likely: int
    most: int

    def nearest(self, value: int) -> int:
        return self.likely if value < self.least else min(value, self.most)


@dataclass(frozen=True, slots=True)
class _Believable:
    """What the tokens of one call can have been; too much is cut, too little has not been counted."""

    prompt: _Range
    completion: _Range


def _believable(prompt: str, messages: int, limit: int, reply: str) -> _Believable:
    asked, answered = estimate(prompt) + TOKENS_PER_MESSAGE * (messages - 1), estimate(reply)
    # no tokenizer makes more tokens than there are bytes; replies may have been thought about in hidden tokens
    most = len(prompt.encode("utf-8", "surrogatepass")) + TEMPLATE_TOKENS
    longest = max(limit, answered) + TEMPLATE_TOKENS
    return _Believable(
        _Range(max(asked // ESTIMATE_IS_WITHIN, 1), asked, most),
        _Range(len(reply) // (CHARACTERS_PER_TOKEN * ESTIMATE_IS_WITHIN), answered, longest),
    )


class OpenAIModel:
    """One model of one server. Constructing it sends nothing unless `name` is empty: then the server is asked."""

    def __init__(self, server: ModelServer, name: str, prices: Prices) -> None:
        """Find out name and price.

        Raises `ConfigurationError` for an unpriced model, `ModelError` when the server does not say its models.
        """
        self._server = server
        key = server.api_key.get_secret_value() or NO_KEY
        self._client = client(server.base_url, key, server.timeout, server.retries)
        self._name = name or self._first_model()
        self._price = prices.of(self._name)
        self._limit_parameter = OLD_LIMIT
        self._left_out: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The model's name, as prices and reports know it."""
        return self._name

    def served_context(self) -> int | None:
        """The length of context that the server says, in tokens of prompt and reply; `None` where it does not."""
        return served_context(self._client, self._name)

    @property
    def price(self) -> TokenPrice:
        """What it costs, for reservations before a call."""
        return self._price

    def close(self) -> None:
        """Let go of the connections to the server."""
        self._client.close()

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        """Answer a chat, see `bot.repair.ports.Model`. Raises `ModelError`."""
        try:
            answer = _Answer.model_validate(self._ask(messages, limits))
        except openai.OpenAIError as error:
            raise translate(error, self._name, self._server.base_url, self._server.api_key) from None
        except (ValueError, RecursionError):
            # pydantic's error, or the SDK's own when a body is no JSON at all, or JSON that is nested without end
            raise ModelError(
                "The model server gave an answer that is no chat completion",
                "Check that OPENAI_BASE_URL leads to a Chat Completions server (it usually ends in /v1).",
            ) from None
        choice = answer.choices[0]
        text = choice.message.content or ""
        prompt = "".join(message.content for message in messages)
        usage = self._usage(answer.usage, _believable(prompt, len(messages), limits.max_tokens, text))
        reason = "length" if choice.finish_reason in CUT else choice.finish_reason or "stop"
        return Completion(spoken(text), reason, usage, self._name)

    def _ask(self, messages: tuple[Message, ...], limits: CompletionLimits) -> ChatCompletion:
        """Ask, leaving out one after another what this server refuses; what it refused once is not sent again."""
        while True:
            try:
                return self._create(messages, limits)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if overflows(error) or not self._adapt(str(error)):
                    raise

    def _adapt(self, refusal: str) -> bool:
        """Whether there is another way to ask; each is tried once.

        Newer vendor models know one name of the reply's limit only, most local servers the other only; some take no
        temperature but their own, some no seed.
        """
        if self._limit_parameter in refusal and self._limit_parameter == OLD_LIMIT:
            self._limit_parameter = NEW_LIMIT
            return True
        refused = next((name for name in OPTIONAL if name in refusal and name not in self._left_out), None)
        if refused is not None:
            self._left_out |= {refused}
        return refused is not None

    def _create(self, messages: tuple[Message, ...], limits: CompletionLimits) -> ChatCompletion:
        chat: list[Any] = [{"role": message.role, "content": message.content} for message in messages]
        options: dict[str, Any] = {self._limit_parameter: limits.max_tokens}
        given = {"temperature": limits.temperature, "seed": limits.seed}
        options |= {name: value for name, value in given.items() if value is not None and name not in self._left_out}
        answer: ChatCompletion = self._client.chat.completions.create(model=self._name, messages=chat, **options)
        return answer

    def _usage(self, reported: object, believable: "_Believable") -> Usage:
        try:
            counts = _Counts.model_validate(reported).whole
        except ValidationError:
            counts = _Counts(prompt_tokens=believable.prompt.likely, completion_tokens=believable.completion.likely)
            estimated = True
        else:
            told = counts
            counts = _Counts(
                prompt_tokens=believable.prompt.nearest(told.prompt_tokens),
                completion_tokens=believable.completion.nearest(told.completion_tokens),
            )
            estimated = counts != told
        price = self._price
        dollars = (counts.prompt_tokens * price.prompt + counts.completion_tokens * price.completion) / 1e6
        return Usage(counts.prompt_tokens, counts.completion_tokens, dollars, estimated)

    def _first_model(self) -> str:
        try:
            models = _Models.model_validate(self._client.get("/models", cast_to=object)).data
        except openai.OpenAIError as error:
            raise translate(error, "", self._server.base_url, self._server.api_key) from None
        except (ValueError, RecursionError):
            raise ModelError(
                "The model server gave a list of models that is none",
                "Name a model in REGREEN_MODEL, or check OPENAI_BASE_URL (it usually ends in /v1).",
            ) from None
        if models:
            return models[0].id
        raise ModelError("The model server lists no model", "Load a model there, or name one in REGREEN_MODEL.")


def spoken(text: str) -> str:
    """A reply without what the model thought first, where its server leaves that in; nothing of one that only thought.

    Some chat templates open the thinking themselves, so that a reply begins in the middle of it.
    """
    opened = text.lstrip().startswith(THINKING[0])
    before, closed, after = text.partition(THINKING[1])
    if not closed:
        return "" if opened else text
    return after.lstrip("\n") if opened or THINKING[0] not in before else text


def estimate(*texts: str) -> int:
    """Tokens of these texts, roughly, erring towards too many; for servers that report none, or none to believe."""
    return sum(math.ceil(len(text) / CHARACTERS_PER_TOKEN) + TOKENS_PER_MESSAGE for text in texts)
