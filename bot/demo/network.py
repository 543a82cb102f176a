"""What stands between this machine and its package registries: a certificate of one's own, a private address."""

import ipaddress
import socket
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from sandbox.registries import Registries
from sandbox.toolchains import TOOLCHAINS

BUNDLE_VARIABLES = ("REGREEN_CA_BUNDLE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT")
BUNDLE_FILES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")

Resolve = Callable[[str], Iterable[str]]


def ca_bundle(environ: Mapping[str, str]) -> Path | None:
    """The bundle that this machine's own clients trust: what a variable names, else the distribution's."""
    named = [environ[variable] for variable in BUNDLE_VARIABLES if environ.get(variable)]
    return next((Path(path) for path in (*named, *BUNDLE_FILES) if Path(path).is_file()), None)


def registry_hosts(registries: Registries | None = None) -> tuple[str, ...]:
    """The hosts that package clients install from, as those of this machine are configured."""
    registries = registries or Registries()
    return tuple(sorted({origin.host for toolchain in TOOLCHAINS for origin in registries(toolchain).origins}))


def resolve(host: str) -> tuple[str, ...]:
    """Every address of a host, none when it does not resolve."""
    try:
        return tuple(str(entry[4][0]) for entry in socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM))
    except OSError:
        return ()


def private_hosts(hosts: Iterable[str], resolver: Resolve = resolve) -> tuple[str, ...]:
    """Those that resolve to an address which is not public: behind a mirror or a proxy that inspects HTTPS."""
    return tuple(host for host in hosts if any(not ipaddress.ip_address(found).is_global for found in resolver(host)))
