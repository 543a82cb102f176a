"""The model of each role, from the settings."""

from dataclasses import replace
from typing import Any

from bot.adapters.llm import ModelServer, OpenAIModel, Prices, TokenPrice
from bot.model_settings import Deviations
from bot.repair.editing.edits import Rung
from bot.repair.team.capabilities import Capabilities, Class, Overrides, capabilities
from bot.repair.team.facts import Facts, ModelFacts
from bot.repair.team.roles import Models, Role
from bot.settings import Settings

_NOTHING = Deviations()


def build_models(settings: Settings) -> tuple[Models, Facts]:
    """A model for each role that has one or that the main model plays, and what binds its calls.

    Without a main model no role is played. Raises `ConfigurationError` for one without a price, `ModelError`.
    """
    if not settings.wants_model:
        return Models(), Facts()
    main = _main(settings)
    can = _can(settings, main.name, _overrides(settings))
    bound = _facts(settings, Role.CODER, main, can)
    models: dict[str, Any] = {Role.CODER: main}
    facts: dict[str, Any] = {Role.CODER: bound}
    for role in Role:
        own = None if role is Role.CODER else _own(settings, role)
        if own is not None:
            models[role], facts[role] = own, _facts(settings, role, own, _can(settings, own.name))
        elif role in can.plays:
            warmth, share = _of_role(settings, role)
            models[role], facts[role] = main, replace(bound, temperature=warmth, share=share)
    offered = {
        name: OpenAIModel(server_of(settings, Role.CODER), name, prices(settings)) for name in _offered(settings)
    }
    also = {name: _facts(settings, Role.CODER, one, _can(settings, name)) for name, one in offered.items()}
    return Models(**models, offered=offered), Facts(**facts, offered=also)


def _offered(settings: Settings) -> tuple[str, ...]:
    return tuple(name for name in settings.offered_models if name != settings.model)


def server_of(settings: Settings, role: str) -> ModelServer:
    """Where a role's model answers: its own server, or the main one."""
    if role == Role.CODER:
        return ModelServer(settings.openai_base_url, settings.openai_api_key, settings.model_timeout)
    url, key = getattr(settings, f"openai_base_url_{role}"), getattr(settings, f"openai_api_key_{role}")
    if not url and not key.get_secret_value():
        # one server's key is never shown to another
        key = settings.openai_api_key
    return ModelServer(url or settings.openai_base_url, key, settings.model_timeout)


def _main(settings: Settings) -> OpenAIModel:
    return OpenAIModel(server_of(settings, Role.CODER), settings.model, prices(settings))


def _own(settings: Settings, role: Role) -> OpenAIModel | None:
    """The model that was named for this role, or that its own server serves."""
    name, url = getattr(settings, f"model_{role}"), getattr(settings, f"openai_base_url_{role}")
    if not name and not url:
        return None
    return OpenAIModel(server_of(settings, role), name, prices(settings))


def prices(settings: Settings) -> Prices:
    """What the operator says that models cost."""
    priced = {name: TokenPrice(price.prompt, price.completion) for name, price in settings.prices.items()}
    return Prices(priced, settings.free_models)


def _facts(settings: Settings, role: Role, model: OpenAIModel, can: Capabilities) -> ModelFacts:
    warmth, share = _of_role(settings, role)
    own = settings.capabilities.get(model.name, _NOTHING).context_tokens
    told, decided = model.served_context(), own or settings.model_context
    return ModelFacts(
        # the server knows best; a setting can only lower it, and stands in where the server does not say
        context_tokens=min(filter(None, (told, decided)), default=can.context_tokens),
        can=can,
        temperature=warmth,
        share=share,
        prompt_price=model.price.prompt,
        completion_price=model.price.completion,
    )


def _of_role(settings: Settings, role: Role) -> tuple[float, float]:
    """Temperature and share of the budget."""
    return getattr(settings, f"temperature_{role}"), getattr(settings, f"token_share_{role}")


def _can(settings: Settings, name: str, usual: Overrides | None = None) -> Capabilities:
    """What was decided for a model of this name, else what usually is, else the table's."""
    own = settings.capabilities.get(name, _NOTHING)
    decided = {
        "kind": Class(own.model_class) if own.model_class else None,
        "first_rung": Rung(own.first_rung) if own.first_rung else None,
        **own.model_dump(exclude={"model_class", "first_rung", "context_tokens"}),
    }
    kept = {field: value for field, value in decided.items() if value is not None}
    return capabilities(name, replace(usual or Overrides(), **kept))


def _overrides(settings: Settings) -> Overrides:
    """What was decided instead of the table, for the main model."""
    roles = settings.roles
    return Overrides(
        kind=None if settings.model_class == "auto" else Class(settings.model_class),
        first_rung=Rung(settings.first_rung) if settings.first_rung else None,
        prompt_tokens=settings.max_prompt_tokens,
        reply_tokens=settings.max_reply_tokens,
        samples=settings.samples,
        refine=settings.refine,
        patience=settings.patience,
        search=settings.mutation_search,
        lessons=settings.lessons,
        self_debug=settings.self_debug,
        reflect=settings.reflect,
        plays=None if roles is None else frozenset(Role(name) for name in roles if name != "none"),
    )
