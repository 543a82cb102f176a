"""The JSON Schema of the policy file, for editors that check a file while it is written."""

import json
from typing import Any

from bot.policy.model import RepoPolicy

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> str:
    """The schema as it is published, with a newline at its end."""
    made = RepoPolicy.model_json_schema(mode="validation")
    whole = {"$schema": DIALECT, "title": "Regreen's policy file, .github/regreen.yml"}
    whole |= {key: value for key, value in made.items() if key != "title"}
    return json.dumps(_plain(whole), indent=2) + "\n"


def _plain(node: Any) -> Any:
    """Without what says nothing to who writes a file: titles made of names, and `null`, which is to leave a key out."""
    if isinstance(node, list):
        return [_plain(one) for one in node]
    if not isinstance(node, dict):
        return node
    said = {key: _plain(value) for key, value in node.items() if not _idle(key, value)}
    choices = [one for one in said.get("anyOf", ()) if one != {"type": "null"}]
    if len(choices) == 1:
        said = choices[0] | {key: value for key, value in said.items() if key != "anyOf"}
    return said


def _idle(key: str, value: object) -> bool:
    return (key == "title" and isinstance(value, str) and not value.startswith("Regreen")) or (
        key == "default" and value is None
    )
