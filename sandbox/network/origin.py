"""Where the install phase may go: a scheme, a host and a port."""

from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

HTTPS_PORT = 443


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """Where the install phase may go: a lower-case host name and a port, through TLS unless `tls` is false."""

    host: str
    port: int = HTTPS_PORT
    tls: bool = True

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `host`, `host:port` or an http(s) URL. Raises `ValueError` for anything else."""
        parts = urlsplit(text if "://" in text else f"https://{text}")
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            message = f"{parts.scheme or 'an empty text'} names no http(s) origin"
            raise ValueError(message)
        tls = parts.scheme == "https"
        return cls(parts.hostname.rstrip("."), parts.port or (HTTPS_PORT if tls else 80), tls)
