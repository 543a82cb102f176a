"""Prints docs/reference/settings.md from `bot.settings`; `make docs` writes it, a test holds it true."""  # noqa: INP001 - a script beside the page that it writes

import sys
from collections.abc import Iterator
from pathlib import Path

from pydantic import AliasChoices, SecretStr
from pydantic.fields import FieldInfo

from bot.settings import Settings

HEAD = """# Settings

Every setting is an environment variable. Lists are comma-separated. This page is written by `make docs` from
`bot/settings.py`, where each is validated; a wrong one stops the process at its start with the variable's name.

| variable | default | what it decides |
|---|---|---|
"""


def rows() -> Iterator[str]:
    """One table row a setting, in the order of the class."""
    for name, field in Settings.model_fields.items():
        default = shown(field)
        yield f"| {variables(name, field)} | {f'`{default}`' if default else ''} | {field.description or ''} |"


def variables(name: str, field: FieldInfo) -> str:
    """The names under which the environment may give it."""
    alias = field.validation_alias
    names = alias.choices if isinstance(alias, AliasChoices) else [f"REGREEN_{name.upper()}"]
    return " or ".join(f"`{each}`" for each in names)


def shown(field: FieldInfo) -> str:
    """The default as one would write it; nothing for an empty one."""
    value = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(value, SecretStr) or value is None or value in ({}, (), ""):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Path):
        return str(value).replace(str(Path.home()), "~")
    return f"{value:g}" if isinstance(value, float) else str(value)


sys.stdout.write(HEAD + "\n".join(rows()) + "\n")
