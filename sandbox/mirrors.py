"""Which package registries this machine's names lead to: the public ones, or a mirror or proxy at a private address."""

import socket
from collections.abc import Callable, Iterable

from sandbox.environments.toolchains import TOOLCHAINS
from sandbox.network.addresses import PRIVATE, refusal
from sandbox.registries import Registries

Resolve = Callable[[str], Iterable[str]]


def registry_hosts(registries: Registries | None = None) -> tuple[str, ...]:
    """The hosts that package clients install from, as those of this machine are configured."""
    registries = registries or Registries()
    return tuple(sorted({origin.host for toolchain in TOOLCHAINS for origin in registries(toolchain).origins}))


def resolve(host: str) -> tuple[str, ...]:
    """Every address of a host, none when it does not resolve."""
    try:
        return tuple(str(entry[4][0]) for entry in socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM))
    except (OSError, UnicodeError):
        return ()


def private_hosts(hosts: Iterable[str], resolver: Resolve = resolve) -> tuple[str, ...]:
    """Those with an address that the egress proxy lets through only where the operator lists the host."""
    return tuple(host for host in hosts if any(refusal(found, private=False) == PRIVATE for found in resolver(host)))
