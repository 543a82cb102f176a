"""The pages, from the settings."""

import time

import sqlalchemy as sa

from bot.adapters.store import SqlEndedSessions, SqlWishes
from bot.settings import Settings
from bot.web.access import Access
from bot.web.proxies import Proxies
from bot.web.sessions import Sessions
from bot.web.site import Site
from bot.wiring.reading import build_reader


def build_site(settings: Settings, database: sa.Engine) -> Site:
    """Every page, behind its guard; nobody signs in where there is no token."""
    token = settings.operator_token
    sessions = Sessions(token, time.time, SqlEndedSessions(database)) if token.get_secret_value() else None
    proxies = Proxies(settings.trusted_proxies)
    access = Access(settings.host, settings.public_url, settings.hidden_repositories, sessions, proxies=proxies)
    return Site(access, build_reader(settings, database), SqlWishes(database), settings.github_url)
