"""The settings of the pages: who may come in from elsewhere, and which repositories they show to nobody else."""

import re
from typing import Annotated

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode

MIN_TOKEN_LENGTH = 16
_GLOB = re.compile(r"[A-Za-z0-9._*?-]+/[A-Za-z0-9._*?-]+")


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

    @field_validator("hidden_repositories", mode="before")
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
