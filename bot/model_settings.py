"""The settings of models: where each role's answers, what its tokens cost, and what the table is overridden with."""

from typing import Annotated, Literal

from pydantic import AliasChoices, BaseModel, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode

ROLES = ("coder", "tester", "critic", "reviewer", "condenser")
OWN = "Base URL of its server; empty: the one of the main model."
KEY = "Key of its server; empty: the main one, as long as it has no base URL of its own."
WARMTH = "Temperature of its first answer; empty: 0."
SHARE = "Part of a run's tokens that it may spend."


class Price(BaseModel, frozen=True):
    """Dollars for a million tokens."""

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)


class Deviations(BaseModel, frozen=True, extra="forbid"):
    """What is decided for one model; what is left out follows from its class."""

    model_class: Literal["small", "mid", "frontier"] | None = None
    context_tokens: int | None = Field(None, ge=1024)
    first_rung: Literal["search_replace", "function", "file"] | None = None
    prompt_tokens: int | None = Field(None, ge=600)
    reply_tokens: int | None = Field(None, ge=100)
    samples: int | None = Field(None, ge=0, le=16)
    refine: bool | None = None
    patience: int | None = Field(None, ge=1, le=100)
    search: bool | None = None
    lessons: bool | None = None
    self_debug: bool | None = None
    reflect: bool | None = None


class ModelSettings(BaseSettings):
    """The part of the settings that is about models. Lists are comma-separated."""

    model: str = Field(
        "",
        validation_alias=AliasChoices("REGREEN_MODEL", "REGREEN_MODEL_CODER"),
        description="The coder's model, the main one; empty asks the server when a base URL or key is set.",
    )
    openai_base_url: str = Field(
        "",
        validation_alias=AliasChoices("REGREEN_OPENAI_BASE_URL", "OPENAI_BASE_URL"),
        description="Base URL of a server that speaks Chat Completions; empty with a key means the vendor's own.",
    )
    openai_api_key: SecretStr = Field(
        SecretStr(""),
        validation_alias=AliasChoices("REGREEN_OPENAI_API_KEY", "OPENAI_API_KEY"),
        description="Key of that server; without key and base URL the mutation search proposes.",
    )
    model_timeout: float = Field(300.0, gt=0, description="Seconds that one attempt at a model call may take.")
    model_context: int | None = Field(
        None,
        ge=1024,
        description="Context in tokens, where a server does not say it or says more; else by model_class.",
    )
    prices: dict[str, Price] = Field(
        default_factory=dict, description="Model name → dollars for a million tokens, as JSON; others need free_models."
    )
    free_models: Annotated[tuple[str, ...], NoDecode] = Field((), description="Models that cost nothing; * for all.")
    offered_models: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Further models of the main server that a repository's policy may name for a role."
    )

    model_tester: str = Field("", description="Model that writes a failing test for an issue without one.")
    model_critic: str = Field("", description="Model that proposes a concrete fix in words, which the coder applies.")
    model_reviewer: str = Field("", description="Model that may veto a fix that is green; it never approves one alone.")
    model_condenser: str = Field("", description="Model that shortens test output which rules cannot; a cheap one.")
    openai_base_url_tester: str = Field("", description=f"The tester. {OWN}")
    openai_base_url_critic: str = Field("", description=f"The critic. {OWN}")
    openai_base_url_reviewer: str = Field("", description=f"The reviewer. {OWN}")
    openai_base_url_condenser: str = Field("", description=f"The condenser. {OWN}")
    openai_api_key_tester: SecretStr = Field(SecretStr(""), description=f"The tester. {KEY}")
    openai_api_key_critic: SecretStr = Field(SecretStr(""), description=f"The critic. {KEY}")
    openai_api_key_reviewer: SecretStr = Field(SecretStr(""), description=f"The reviewer. {KEY}")
    openai_api_key_condenser: SecretStr = Field(SecretStr(""), description=f"The condenser. {KEY}")
    temperature_coder: float = Field(0.0, ge=0, le=2, description=f"The coder. {WARMTH}")
    temperature_tester: float = Field(0.0, ge=0, le=2, description=f"The tester. {WARMTH}")
    temperature_critic: float = Field(0.0, ge=0, le=2, description=f"The critic. {WARMTH}")
    temperature_reviewer: float = Field(0.0, ge=0, le=2, description=f"The reviewer. {WARMTH}")
    temperature_condenser: float = Field(0.0, ge=0, le=2, description=f"The condenser. {WARMTH}")
    token_share_coder: float = Field(1.0, ge=0, le=1, description=f"The coder. {SHARE}")
    token_share_tester: float = Field(0.3, ge=0, le=1, description=f"The tester. {SHARE}")
    token_share_critic: float = Field(0.3, ge=0, le=1, description=f"The critic. {SHARE}")
    token_share_reviewer: float = Field(0.3, ge=0, le=1, description=f"The reviewer. {SHARE}")
    token_share_condenser: float = Field(0.1, ge=0, le=1, description=f"The condenser. {SHARE}")

    model_class: Literal["auto", "small", "mid", "frontier"] = Field(
        "auto", description="How much the main model can do; auto goes by its name. The settings below override parts."
    )
    roles: Annotated[tuple[str, ...] | None, NoDecode] = Field(
        None,
        description="Roles that the main model plays where they have no model of their own (tester, critic, reviewer, "
        "condenser; none); empty: by model_class.",
    )
    first_rung: Literal["search_replace", "function", "file"] | None = Field(
        None,
        description="Edit format asked for at first; empty: by model_class, for a small one function.",
    )
    max_prompt_tokens: int | None = Field(
        None, ge=600, description="Tokens that one prompt may have, within the context; empty: by model_class."
    )
    max_reply_tokens: int | None = Field(
        None, ge=100, description="Tokens that one reply of a model may have; empty: by model_class."
    )
    samples: int | None = Field(
        None, ge=0, le=16, description="Diverse candidates of one round after the greedy one; empty: by model_class."
    )
    refine: bool | None = Field(
        None, description="Go on from a failed attempt, not only sample afresh; empty: by model_class."
    )
    patience: int | None = Field(
        None,
        ge=1,
        le=100,
        description="Rounds of fresh candidates in a row that may come no closer before a run ends; empty: by "
        "model_class.",
    )
    mutation_search: bool | None = Field(
        None,
        description="Try single small changes before the model is asked (without one always); empty: by model_class.",
    )
    lessons: bool | None = Field(
        None, description="Tell fresh candidates what failed ones have shown; empty: by model_class."
    )
    self_debug: bool | None = Field(
        None, description="Have values predicted and compared with a trace; empty: by model_class."
    )
    reflect: bool | None = Field(
        None, description="Ask the model for the lesson of a failed attempt; empty: by model_class."
    )

    capabilities: dict[str, Deviations] = Field(
        default_factory=dict,
        description="Model name → what is decided for it alone, as JSON, for models of other roles too: "
        f"{', '.join(Deviations.model_fields)}. It goes before the settings above, which are the main model's.",
    )

    @field_validator("free_models", "offered_models", "roles", mode="before")
    @classmethod
    def _names(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("roles")
    @classmethod
    def _known_roles(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if value and not {*value} <= {*ROLES, "none"}:
            message = f"each is one of {', '.join(ROLES)}, or it is none"
            raise ValueError(message)
        return value or None

    @property
    def wants_model(self) -> bool:
        """Whether a main model is configured at all; without one the mutation search proposes."""
        return bool(self.model or self.openai_base_url or self.openai_api_key.get_secret_value())

    @property
    def model_secrets(self) -> tuple[SecretStr, ...]:
        """Every key of a model server, for redaction."""
        keys: tuple[SecretStr, ...] = tuple(getattr(self, f"openai_api_key_{role}") for role in ROLES[1:])
        return (self.openai_api_key, *keys)
