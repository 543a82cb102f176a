"""The settings of what is kept: in which database, whose password is a secret."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings

POSTGRES = ("postgresql", "postgres", "postgresql+psycopg")
"""How an address of Postgres may begin; whatever it says, psycopg 3 speaks to it."""
DRIVER = "postgresql+psycopg"
_HOSTS = re.compile(r"[A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\]")
_SECRET_WORDS = frozenset({"password", "sslpassword"})


class StorageSettings(BaseSettings):
    """The part of the settings that is about storage."""

    database_url: SecretStr = Field(
        SecretStr(""),
        description="The Postgres that servers and workers share, such as postgresql://regreen:password@db/regreen; "
        "empty: SQLite in the data directory.",
    )
    keep_days: float = Field(
        90.0,
        ge=0,
        le=36_500,
        description="Days for which runs that have ended are kept, with their logs and large results; 0: for ever.",
    )
    keep_body_days: float = Field(
        7.0,
        ge=0,
        le=36_500,
        description="Days for which what GitHub sent is kept after it was decided; its digest stays. 0: for ever.",
    )

    @field_validator("database_url")
    @classmethod
    def _postgres(cls, value: SecretStr) -> SecretStr:
        text = value.get_secret_value().strip()
        if text and not _is_postgres(text):
            # Read differently by two libraries, a part of the password would count as the host, and errors show hosts.
            message = (
                "it is an address such as postgresql://user:password@host:5432/database, with what is neither a letter "
                "nor a digit in user and password written as %-escapes"
            )
            raise ValueError(message)
        return SecretStr(text)

    @property
    def on_postgres(self) -> bool:
        """Whether what is kept lies in Postgres, where other machines see it."""
        return bool(self.database_url.get_secret_value())

    @property
    def postgres_url(self) -> str:
        """The address for SQLAlchemy, password and all; empty on SQLite. Never shown, nor an argument of a process."""
        text = self.database_url.get_secret_value()
        return f"{DRIVER}{text[text.index('://') :]}" if text else ""

    @property
    def storage_secrets(self) -> tuple[SecretStr, ...]:
        """The password in each form in which it may come up, for redaction."""
        text = self.database_url.get_secret_value()
        return tuple(SecretStr(form) for form in dict.fromkeys(_passwords(text))) if text else ()


def _is_postgres(text: str) -> bool:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    who, at, where = parts.netloc.rpartition("@")
    host = where.removesuffix(f":{port}") if port is not None else where
    plain = text.isascii() and text.isprintable() and " " not in text and "#" not in text
    named = bool(parts.path.strip("/")) and "/" not in parts.path[1:]
    known = parts.scheme in POSTGRES and text.startswith(f"{parts.scheme}://")
    return known and plain and named and "@" not in who and bool(who or not at) and bool(_HOSTS.fullmatch(host))


def _passwords(text: str) -> Iterator[str]:
    parts = urlsplit(text)
    written = (parts.password, *(value for word, value in parse_qsl(parts.query) if word in _SECRET_WORDS))
    for password in filter(None, written):
        yield password
        yield unquote(password)
