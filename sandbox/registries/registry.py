"""What a package client is configured to use."""

from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from sandbox.network.origin import Origin


@dataclass(frozen=True, slots=True)
class Registry:
    """`origins` are what a client must reach, `environment` the variables that point a client in a container there."""

    origins: frozenset[Origin] = frozenset()
    environment: tuple[tuple[str, str], ...] = ()


def reachable(url: str) -> bool:
    """Whether this is the address of a server, and no local directory."""
    parts = urlsplit(url)
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def public(url: str) -> str:
    """The address without the credentials in it."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
