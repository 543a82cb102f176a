"""What a person decided for `regreen setup`, and why GitHub could not work with it: said before anything is opened."""

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from bot.adapters.github.manifest import ORGANIZATION
from bot.errors import ConfigurationError
from bot.settings import GITHUB, Settings
from sandbox.network import addresses

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOST = re.compile(rf"{_LABEL}(\.{_LABEL})+")
_CHANNEL = re.compile(r"/[A-Za-z0-9_-]{1,100}")
_OWN_NETWORK = (".localhost", ".local", ".internal", ".lan", ".home.arpa", ".localdomain")
"""Endings that no public name has."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The App's name, whose it is (empty: their own), and where its webhooks go.

    `public_url` is this server's, `smee_url` a channel to develop with: one of them.
    """

    name: str
    organization: str = ""
    public_url: str = ""
    smee_url: str = ""
    port: int = 0
    replace: bool = False

    @property
    def hook(self) -> str:
        """Where GitHub sends the webhooks."""
        return self.smee_url or f"{self.public_url.rstrip('/')}/webhook"


def require(plan: Plan, settings: Settings) -> None:
    """Raise `ConfigurationError` for the first thing in a plan that GitHub, or a channel, could not work with."""
    if bool(plan.public_url) == bool(plan.smee_url):
        raise ConfigurationError(
            "Where webhooks go is not known",
            "Give --url with this server's public address, or --smee with a channel from smee.io to develop.",
        )
    if plan.public_url:
        _require_public(plan.public_url, reached_by_all=_is_cloud(settings.github_url))
    else:
        _require_channel(plan.smee_url, settings.smee_site)
    if plan.organization and not ORGANIZATION.fullmatch(plan.organization):
        raise ConfigurationError(
            "--organization is no login at GitHub",
            "Give it as its page's address has it, such as acme: up to 39 letters, digits and hyphens.",
        )


def _require_public(url: str, *, reached_by_all: bool) -> None:
    parts = _bare(url)
    host = (parts.hostname or "").rstrip(".") if parts else ""
    if parts is None or parts.scheme != "https" or not host:
        raise ConfigurationError(
            "--url is no https address of a server",
            "Give it as https://regreen.example, without a password or a query: GitHub posts to its /webhook.",
        )
    literal = addresses.is_literal(host)
    good = addresses.refusal(host, private=not reached_by_all) is None if literal else _HOST.fullmatch(host)
    local = reached_by_all and not literal and f".{host}".lower().endswith(_OWN_NETWORK)
    if not good or local:
        raise ConfigurationError(
            f"GitHub cannot reach the host of --url ({host[:100]!a})",
            "Give the public name of the proxy before `regreen serve`; to develop without one, give --smee new.",
        )


def _require_channel(url: str, site: str) -> None:
    parts, own = _bare(url), urlsplit(site)
    if parts is None or (parts.scheme, parts.netloc) != (own.scheme, own.netloc) or not _CHANNEL.fullmatch(parts.path):
        raise ConfigurationError(
            f"--smee is no channel of {site}",
            f"Give `new`, or a channel's address such as {site}/AbCdEf123; REGREEN_SMEE_SITE names another site.",
        )


def _bare(url: str) -> SplitResult | None:
    """An address without a password, a query, a fragment or what does not print; `None` for anything else."""
    try:
        parts = urlsplit(url)
        beside = parts.query or parts.fragment or "@" in parts.netloc or parts.port == 0
    except ValueError:
        return None
    return None if beside or not url.isascii() or not url.isprintable() or " " in url else parts


def _is_cloud(github_url: str) -> bool:
    """Whether GitHub is on the internet; a GitHub Enterprise Server may share a network with this one."""
    return github_url == GITHUB or (urlsplit(github_url).hostname or "").endswith(".ghe.com")
