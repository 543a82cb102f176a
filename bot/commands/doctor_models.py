"""The doctor's look at the models: which are named, whether their servers answer and serve them, what they cost."""

from collections.abc import Iterator

from bot.adapters.llm import ModelServer
from bot.adapters.llm_reach import served
from bot.commands.checks import Check, State, judged
from bot.errors import ConfigurationError, ModelError
from bot.model_settings import ROLES
from bot.settings import Settings
from bot.wiring.models import prices, server_of


def named(settings: Settings) -> Iterator[Check]:
    """What the settings name; asks no network."""
    model = settings.model or settings.openai_base_url if settings.wants_model else ""
    seen = model or ("the key's own" if settings.wants_model else "not set: the mutation search proposes")
    yield Check("model", State.HOLDS if settings.wants_model else State.OPEN, seen)
    own = [f"{role}: {name}" for role in ROLES[1:] if (name := _own_model(settings, role))]
    if own and settings.wants_model:
        yield Check("roles with a model of their own", State.HOLDS, ", ".join(own))
    elif own:
        remedy = "Set REGREEN_MODEL and OPENAI_BASE_URL or OPENAI_API_KEY: a role helps a coder."
        yield Check("roles with a model of their own", State.BROKEN, ", ".join(own), remedy)


def models(settings: Settings) -> Iterator[Check]:
    """Whether each server answers, serves what is named, and whether that has a price."""
    if not settings.wants_model:
        return
    yield from _reached(settings, "coder", server_of(settings, "coder"), settings.model)
    for role in ROLES[1:]:
        if _own_model(settings, role):
            yield from _reached(settings, role, server_of(settings, role), getattr(settings, f"model_{role}"))


def _reached(settings: Settings, role: str, server: ModelServer, name: str) -> Iterator[Check]:
    try:
        listed = served(server)
    except ModelError as error:
        yield Check(f"model server: {role}", State.BROKEN, error.cause, error.remedy)
        return
    chosen = name or (listed[0] if listed else "")
    if not chosen:
        yield Check(f"model server: {role}", State.BROKEN, "lists no model", "Load one, or name one in REGREEN_MODEL.")
        return
    if chosen in listed:
        yield Check(f"model server: {role}", State.HOLDS, f"serves {chosen}")
    else:
        # some servers answer to names that they do not list
        yield Check(f"model server: {role}", State.OPEN, f"answers, and does not list {chosen}")
    try:
        price = prices(settings).of(chosen)
        yield Check(f"price: {role}", State.HOLDS, f"${price.prompt:g} and ${price.completion:g} for a million tokens")
    except ConfigurationError as error:
        yield judged(f"price: {role}", error.cause, error.remedy)


def _own_model(settings: Settings, role: str) -> str:
    """What a role's own model is called, empty where it has none; a server's address may hold a password."""
    server = getattr(settings, f"openai_base_url_{role}")
    return str(getattr(settings, f"model_{role}")) or ("the first of its own server" if server else "")
