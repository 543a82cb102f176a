"""What stands between this machine and its package registry: a certificate of one's own, a private address."""

import ipaddress
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

BUNDLE_VARIABLES = ("REGREEN_CA_BUNDLE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT")
BUNDLE_FILES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")

Resolve = Callable[[str], Iterable[str]]

# pip knows its registry's hosts: nothing here has to name them, and a mirror that is configured counts instead.
_ASK_PIP = """
from pip._internal.configuration import Configuration
from pip._internal.models.index import PyPI
configuration = Configuration(isolated=False)
configuration.load()
own = [value for key, value in configuration.items() if key.rpartition(".")[2] in ("index-url", "extra-index-url")]
main = [value for key, value in configuration.items() if key.rpartition(".")[2] == "index-url"]
print(" ".join(own + ([] if main else [PyPI.url, "https://" + PyPI.file_storage_domain])))
"""


def ca_bundle(environ: Mapping[str, str]) -> Path | None:
    """The bundle that this machine's own clients trust: what a variable names, else the distribution's."""
    named = [environ[variable] for variable in BUNDLE_VARIABLES if environ.get(variable)]
    return next((Path(path) for path in (*named, *BUNDLE_FILES) if Path(path).is_file()), None)


def registry_hosts() -> tuple[str, ...]:
    """The hosts that pip installs from here; none when pip does not say."""
    done = subprocess.run(  # noqa: S603 - our own interpreter with literal code
        [sys.executable, "-P", "-c", _ASK_PIP], capture_output=True, text=True, timeout=30, check=False
    )
    urls = done.stdout.split() if done.returncode == 0 else []
    return tuple(dict.fromkeys(host for url in urls if (host := urlsplit(url).hostname)))


def resolve(host: str) -> tuple[str, ...]:
    """Every address of a host, none when it does not resolve."""
    try:
        return tuple(str(entry[4][0]) for entry in socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM))
    except OSError:
        return ()


def private_hosts(hosts: Iterable[str], resolver: Resolve = resolve) -> tuple[str, ...]:
    """Those that resolve to an address which is not public: behind a mirror or a proxy that inspects HTTPS."""
    return tuple(host for host in hosts if any(not ipaddress.ip_address(found).is_global for found in resolver(host)))
