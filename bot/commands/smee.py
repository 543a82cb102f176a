"""`regreen smee`: webhooks from a channel to the server on this machine."""

import time
from collections.abc import Callable

from bot.adapters.smee import forward
from bot.errors import ConfigurationError
from bot.settings import Settings

PAUSE_SECONDS = 2.0


def smee(settings: Settings, say: Callable[[str], None]) -> None:
    """Hand webhooks on until a signal ends it. Raises `ConfigurationError` when the channel cannot be read."""
    if not settings.smee_url:
        raise ConfigurationError(
            "No channel is set", "Set REGREEN_SMEE_URL, or register the App with `regreen setup --smee new`."
        )
    target = f"http://{settings.host}:{settings.port}/webhook"
    say(f"{settings.smee_url} → {target}")
    while True:
        forward(settings.smee_url, target, say)
        time.sleep(PAUSE_SECONDS)
