"""The one place that builds the running application from the settings: each module a part of it.

Whoever asks for one part loads no other: a shell that completes a word waits for what is imported here.
"""

import stat

from pydantic import SecretStr

from bot.errors import SET_UP, ConfigurationError
from bot.settings import Settings


def private_key(settings: Settings) -> SecretStr:
    """The App's private key. Raises `ConfigurationError` when it or the App's id is missing, or others may read it."""
    if not settings.app_id:
        remedy = f"{SET_UP}, or set REGREEN_APP_ID to the number on the App's page."
        raise ConfigurationError("The App's id is missing", remedy)
    path = settings.private_key_file
    if path is None or not path.is_file():
        remedy = f"{SET_UP}, or set REGREEN_PRIVATE_KEY_FILE to its PEM file."
        raise ConfigurationError("The App's private key is missing", remedy)
    if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ConfigurationError("Others may read the App's private key", f"Run: chmod 600 {path}")
    try:
        return SecretStr(path.read_text(encoding="ascii"))
    except (OSError, UnicodeDecodeError) as error:
        cause = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ConfigurationError(
            f"The App's private key {path} cannot be read: {cause}", "Let it belong to the user that Regreen runs as."
        ) from None


def database_url(settings: Settings) -> str:
    """The address of the database, for SQLAlchemy: it may hold a password, so it is neither shown nor logged."""
    return settings.postgres_url or f"sqlite:///{settings.data_dir.resolve()}/regreen.sqlite"
