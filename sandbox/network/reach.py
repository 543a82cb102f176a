"""What the install phase may reach: the clients' registries, the operator's list, the policy file's hosts."""

from collections.abc import Callable, Iterable

from sandbox.network.origin import Origin
from sandbox.registries.registry import Registry
from sandbox.spec import Egress, Recipe

RegistryFor = Callable[[str], Registry]
"""Toolchain → what its package clients use, as `sandbox.registries.Registries`."""

Report = Callable[[tuple[Egress, ...]], None]
"""Gets what one install asked for, whether it succeeded or not."""

TRUST = (
    "SSL_CERT_FILE",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "NODE_EXTRA_CA_CERTS",
)
"""The variables by which package clients are told of a CA bundle; uv and go read the first. Not npm's own `cafile`: npm
would parse the whole bundle again for each of its connections, which are hundreds."""

_SHOWN = 20


def no_registry(toolchain: str) -> Registry:
    """A `RegistryFor` without any."""
    del toolchain
    return Registry()


def no_report(decisions: tuple[Egress, ...]) -> None:
    """A `Report` to nobody."""
    del decisions


def reach(registry: Registry, operator: Iterable[Origin], recipe: Recipe) -> frozenset[Origin]:
    """Every origin that the proxy opens; a recipe's hosts by HTTPS only. Raises `ValueError` for one that is none."""
    return registry.origins | frozenset(operator) | {Origin.parse(f"https://{host}") for host in recipe.hosts}


def may_be_private(registry: Registry, operator: Iterable[Origin], hosts: Iterable[str]) -> frozenset[Origin]:
    """The origins that may resolve to addresses which are not public: those of `hosts` that no repository named."""
    listed = frozenset(host.lower() for host in hosts)
    return frozenset(origin for origin in (*registry.origins, *operator) if origin.host in listed)


def summary(decisions: Iterable[Egress]) -> str:
    """One line for the worker's log: what was reached, what was refused and why; empty when nothing was asked for."""
    asked = tuple(decisions)
    reached = [f"{one.host}:{one.port} ({one.count})" for one in asked if one.allowed]
    refused = [f"{one.host}:{one.port} ({one.reason})" for one in asked if not one.allowed]
    parts = (("reached", reached), ("REFUSED", refused))
    return "; ".join(f"{what} {_listed(names)}" for what, names in parts if names)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} others" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
