"""Checks requests and responses against GitHub's official OpenAPI description, cut by `cut_openapi`."""

import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, cast
from urllib.parse import unquote

import jsonschema_rs

METHODS = ("get", "post", "put", "patch", "delete")
SPANNING = frozenset({"ref", "path", "basehead", "branch"})  # GitHub lets these parameters contain slashes
BAD_REQUEST = 400
MOST_PROBLEMS = 5
LONGEST_MESSAGE = 300


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: `name` is GitHub's operationId."""

    name: str
    method: str
    pattern: re.Pattern[str]
    parameters: tuple[Mapping[str, Any], ...]
    body: Mapping[str, Any] | None
    responses: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Match:
    """The operation that a request means, with its path parameters unquoted."""

    operation: Operation
    parameters: Mapping[str, str]


class Description:
    """The loaded description. Validators are compiled when first needed and kept."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        """Index the operations of an OpenAPI 3.0 document."""
        self._document = document
        self._schemas = {"components": _json_schema({"schemas": document["components"]["schemas"]})}
        self._validators: dict[tuple[str, str], Any] = {}
        found = [self._operation(p, i, m) for p, i in document["paths"].items() for m in METHODS if m in i]
        # A literal path beats a parameter, and a parameter that spans slashes comes last.
        self._operations = [operation for _, operation in sorted(found, key=lambda pair: pair[0])]

    @property
    def version(self) -> str:
        """The version of the package that the description was cut from."""
        return str(self._document["info"]["version"])

    def example(self, name: str) -> dict[str, Any]:
        """A fresh copy of one of GitHub's own example responses."""
        value = self._document["components"]["examples"][name]["value"]
        return cast("dict[str, Any]", json.loads(json.dumps(value)))

    def find(self, method: str, path: str) -> Match | None:
        """The operation for a method and a still quoted path, `None` where GitHub has none that we use."""
        for operation in self._operations:
            if operation.method == method.lower() and (found := operation.pattern.fullmatch(path)):
                return Match(operation, {name: unquote(value or "") for name, value in found.groupdict().items()})
        return None

    def request_problems(self, operation: Operation, query: Mapping[str, str], body: Any) -> list[str]:
        """What the description holds against a request; `body` is the decoded JSON, `None` without one."""
        return [*self._query_problems(operation, query), *self._body_problems(operation, body)][:MOST_PROBLEMS]

    def response_problems(self, operation: Operation, status: int, body: Any) -> list[str]:
        """What the description holds against a response. Errors that it does not describe pass."""
        described = operation.responses.get(str(status), operation.responses.get("default"))
        if described is None:
            return [] if status >= BAD_REQUEST else [f"{operation.name} does not describe status {status}"]
        schema = self._resolve(described).get("content", {}).get("application/json", {}).get("schema")
        if schema is None:
            if body is None or status >= BAD_REQUEST:  # GitHub words its errors also where the description shows none
                return []
            return [f"{operation.name} {status} has no JSON body"]
        return self._problems((operation.name, str(status)), schema, body)

    def _query_problems(self, operation: Operation, query: Mapping[str, str]) -> list[str]:
        known = {p["name"]: p for p in operation.parameters if p["in"] == "query"}
        problems = [f"query parameter {name!r} is unknown to {operation.name}" for name in query if name not in known]
        for name, parameter in known.items():
            if name in query:
                schema = self._resolve(parameter["schema"])
                key = (operation.name, f"query {name}")
                problems += [f"query {name}: {p}" for p in self._problems(key, schema, _typed(schema, query[name]))]
            elif parameter.get("required"):
                problems.append(f"query parameter {name!r} is missing")
        return problems

    def _body_problems(self, operation: Operation, body: Any) -> list[str]:
        if operation.body is None:
            return [] if body in (None, {}, "") else [f"{operation.name} takes no body"]
        if body is None:
            return ["a body is required"] if operation.body.get("required") else []
        schema = operation.body["content"].get("application/json", {}).get("schema")
        if schema is None:
            return []
        closed = _closed(schema, self._resolve)
        return [f"body {problem}" for problem in self._problems((operation.name, "body"), closed, body)]

    def _problems(self, key: tuple[str, str], schema: Mapping[str, Any], value: Any) -> list[str]:
        if key not in self._validators:
            whole = self._schemas | _json_schema(schema)
            self._validators[key] = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
        errors = self._validators[key].iter_errors(value)
        return [f"{'/'.join(map(str, e.instance_path))}: {_short(e.message)}" for e in errors][:MOST_PROBLEMS]

    def _operation(self, template: str, item: Mapping[str, Any], method: str) -> tuple[tuple[bool, int], Operation]:
        names = re.findall(r"\{([^}]+)\}", template)
        raw = item[method]
        parameters = tuple(self._resolve(p) for p in [*raw.get("parameters", []), *item.get("parameters", [])])
        body = self._resolve(raw["requestBody"]) if "requestBody" in raw else None
        operation = Operation(raw["operationId"], method, _pattern(template), parameters, body, raw["responses"])
        literal = len(re.sub(r"\{[^}]+\}", "", template))
        return (bool(SPANNING & set(names)), -literal), operation

    def _resolve(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in node:
            found: Any = self._document
            for key in node["$ref"][2:].split("/"):
                found = found[key]
            node = found
        return node


@cache
def load() -> Description:
    """The packaged description, read (0.1 s) and compiled once for the whole process."""
    packed = resources.files("bot.demo").joinpath("openapi.json.gz").read_bytes()
    return Description(json.loads(gzip.decompress(packed)))


def _short(message: str) -> str:
    """The validator quotes the whole value first and says what is wrong with it last."""
    return message if len(message) <= LONGEST_MESSAGE else f"{message[:80]} … {message[-160:]}"


def _pattern(template: str) -> re.Pattern[str]:
    if template.endswith("/contents/{path}"):
        # The root directory is asked for with and without the slash, and PyGithub sends paths with a leading one.
        template = template.removesuffix("/{path}")
        return re.compile(_expression(template) + r"(?:/+(?P<path>.*?))?/?")
    return re.compile(_expression(template))


def _expression(template: str) -> str:
    parts = re.split(r"\{([^}]+)\}", template)
    named = (f"(?P<{name.replace('-', '_')}>{'.+' if name in SPANNING else '[^/]+'})" for name in parts[1::2])
    literals = [re.escape(part) for part in parts[::2]]
    return literals[0] + "".join(name + literal for name, literal in zip(named, literals[1:], strict=True))


def _typed(schema: Mapping[str, Any], value: str) -> Any:
    if schema.get("type") == "integer" and value.lstrip("-").isdecimal():
        return int(value)
    if schema.get("type") == "boolean":
        return {"true": True, "false": False}.get(value, value)
    return value.split(",") if schema.get("type") == "array" else value


def _closed(schema: Mapping[str, Any], resolve: Any) -> Mapping[str, Any]:
    """The schema with unknown properties refused, which GitHub ignores in silence: a misspelt key is our mistake."""
    schema = dict(resolve(schema))
    if "properties" in schema:
        schema["properties"] = {name: _closed(value, resolve) for name, value in schema["properties"].items()}
        schema.setdefault("additionalProperties", False)
    if "items" in schema:
        schema["items"] = _closed(schema["items"], resolve)
    return schema


def _json_schema(node: Any) -> Any:
    """OpenAPI 3.0 → JSON Schema 2020-12: `nullable` becomes a type."""
    if isinstance(node, list):
        return [_json_schema(value) for value in node]
    if not isinstance(node, dict):
        return node
    result = {key: _json_schema(value) for key, value in node.items()}
    if result.get("nullable") is True:
        del result["nullable"]
        return {"anyOf": [{"type": "null"}, result]}
    return result
