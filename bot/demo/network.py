"""What stands between this machine and its package registries: a certificate of one's own, a private address."""

from collections.abc import Mapping
from pathlib import Path

from sandbox.mirrors import private_hosts, registry_hosts

__all__ = ["ca_bundle", "private_hosts", "registry_hosts"]

BUNDLE_VARIABLES = ("REGREEN_CA_BUNDLE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT")
BUNDLE_FILES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")


def ca_bundle(environ: Mapping[str, str]) -> Path | None:
    """The bundle that this machine's own clients trust: what a variable names, else the distribution's."""
    named = [environ[variable] for variable in BUNDLE_VARIABLES if environ.get(variable)]
    return next((Path(path) for path in (*named, *BUNDLE_FILES) if Path(path).is_file()), None)
