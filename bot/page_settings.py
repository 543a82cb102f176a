"""The settings of the pages: who may come in from elsewhere, and which repositories they show to nobody else."""

import re
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated

from pydantic import BeforeValidator, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode

MIN_TOKEN_LENGTH = 16
_GLOB = re.compile(r"[A-Za-z0-9._*?-]+/[A-Za-z0-9._*?-]+")

Network = IPv4Network | IPv6Network


def _network(said: object) -> Network:
    try:
        found = ip_network(str(said))
    except ValueError:
        message = "each is an address, or a network such as 10.0.0.0/8 or fd00::/8 without bits of a host"
        raise ValueError(message) from None
    if not found.prefixlen:
        message = "0.0.0.0/0 and ::/0 are everybody: whoever comes could say to be anybody"
        raise ValueError(message)
    return found


class PageSettings(BaseSettings):
    """The part of the settings that is about pages."""

    operator_token: SecretStr = Field(
        SecretStr(""),
        description="With it operators sign in to the pages, cancel and retry runs, and read the server's /metrics "
        "from elsewhere; at least 16 characters. Empty: pages are shown on this machine only, read-only.",
    )
    hidden_repositories: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Repositories that only operators who signed in see on pages: owner/name, * and ? allowed."
    )

    trusted_proxies: Annotated[tuple[Annotated[Network, BeforeValidator(_network)], ...], NoDecode] = Field(
        (),
        description="Reverse proxies, as addresses or networks, whose X-Forwarded-For, X-Forwarded-Proto and Forwarded "
        "are believed; what comes from them never counts as sent on this machine. Empty: proxies on this machine are "
        "believed.",
    )

    @field_validator("hidden_repositories", "trusted_proxies", mode="before")
    @classmethod
    def _parts(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("hidden_repositories")
    @classmethod
    def _globs(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(_GLOB.fullmatch(glob) for glob in value):
            message = "each is owner/name, where * stands for any letters and ? for one"
            raise ValueError(message)
        return value

    @field_validator("operator_token")
    @classmethod
    def _long(cls, value: SecretStr) -> SecretStr:
        token = value.get_secret_value().strip()
        if token and len(token) < MIN_TOKEN_LENGTH:
            message = f"the operator's token needs at least {MIN_TOKEN_LENGTH} characters"
            raise ValueError(message)
        return SecretStr(token)
