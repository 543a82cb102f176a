"""Whether a model server answers, and what it serves: for a person who sets it up."""

import openai
from pydantic import BaseModel, Field

from bot.adapters.llm import NO_KEY, ModelServer
from bot.adapters.llm_client import client
from bot.adapters.llm_errors import translate
from bot.errors import ModelError

SECONDS = 10.0
MOST = 10_000


class _Named(BaseModel):
    id: str = Field(max_length=500)


class _Models(BaseModel):
    data: list[_Named]


def served(server: ModelServer) -> tuple[str, ...]:
    """The models that the server lists, within ten seconds. Raises `ModelError` when it does not answer or refuses."""
    key = server.api_key.get_secret_value() or NO_KEY
    asking = client(server.base_url, key, SECONDS, 0)
    try:
        answer = asking.get("/models", cast_to=object, options={"headers": {"Connection": "close"}})
        return tuple(one.id for one in _Models.model_validate(answer).data[:MOST])
    except openai.OpenAIError as error:
        raise translate(error, "", server.base_url, server.api_key) from None
    except (ValueError, RecursionError):
        # pydantic's error, or the SDK's own for a body that is no JSON
        raise ModelError(
            "The model server gave a list of models that is none", "Check OPENAI_BASE_URL (it usually ends in /v1)."
        ) from None
    finally:
        asking.close()
