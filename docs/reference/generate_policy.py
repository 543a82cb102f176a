"""Prints docs/reference/policy.md from `bot.policy`; `make docs` writes it, a test holds it true."""  # noqa: INP001 - a script beside the pages

import json
import sys
from collections.abc import Iterator
from typing import Any

from bot.policy.schema import schema

HEAD = """# Every key of the policy file

`.github/regreen.yml`, on the default branch. This page is written by `make docs` from `bot/policy/model.py`, where each
key is validated; [the schema](../policy.schema.json) says the same to editors, and [the guide](../guides/policy.md) how
the file is used. Every key may be left out; one without a default keeps what the operator set.

| key | value | default | what it decides |
|---|---|---|---|
"""


def rows(node: dict[str, Any], definitions: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """One table row a key, in the order of the model; keys of a mapping with keys of its own follow it, dotted."""
    for key, field in node["properties"].items():
        inner = definitions.get(str(field.get("$ref", "")).rpartition("/")[2])
        if inner is not None:
            yield from rows(inner, definitions, f"{prefix}{key}.")
            continue
        default = field.get("default")
        shown = "" if default in (None, [], {}, "") else f"`{json.dumps(default).strip(chr(34))}`"
        said = field.get("description", "").replace("|", "\\|")
        yield f"| `{prefix}{key}` | {value(field)} | {shown} | {said} |"


def value(field: dict[str, Any]) -> str:
    """What may be written, in words."""
    choices = [value(one) for one in field.get("anyOf", ())] or [f"`{one}`" for one in field.get("enum", ())]
    if choices:
        return (" or " if "anyOf" in field else ", ").join(dict.fromkeys(choices))
    match field.get("type"):
        case "boolean":
            return "`true`, `false`"
        case "integer" | "number":
            least = f"above {field['exclusiveMinimum']:g}," if "exclusiveMinimum" in field else f"{field['minimum']:g}"
            return f"{least} to {field['maximum']:,}"
        case "array":
            return f"a list of up to {field['maxItems']}: {value(field['items'])}"
        case "object":
            names = ", ".join(f"`{one}`" for one in field["propertyNames"]["enum"])
            return f"a mapping of {names} to text"
        case _:
            return f"text of up to {field['maxLength']:,} characters" if "maxLength" in field else "text"


document = json.loads(schema())
sys.stdout.write(HEAD + "\n".join(rows(document, document.get("$defs", {}))) + "\n")
