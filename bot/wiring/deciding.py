"""What decides on a delivery without doing anything, for a person who asks what would be decided."""

from collections.abc import Callable

from bot import log
from bot.adapters.github import InstallationTokens, Pace
from bot.adapters.store import connect
from bot.events import Delivery
from bot.pipeline.intake.lookup import Decision
from bot.repair.team.facts import Facts
from bot.repair.team.roles import Models
from bot.settings import Settings
from bot.wiring import database_url, private_key
from bot.wiring.dispatching import build_lookup
from bot.wiring.jobs import Jobs


def decider(settings: Settings) -> Callable[[Delivery], Decision]:
    """Decides as the worker does: it reads from GitHub, and writes nothing anywhere. Raises `ConfigurationError`."""
    key = private_key(settings)
    redact = log.redactor((*settings.secrets, key))
    tokens = InstallationTokens(settings.app_id, key, settings.github_api_url, redact=redact)
    database = connect(database_url(settings))
    jobs = Jobs(settings, tokens, Pace(settings.write_spacing), database, Models(), Facts(), redact)
    return build_lookup(settings, database, tokens, jobs.site, notes=False).decision
