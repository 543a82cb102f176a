"""GitHub's own examples and descriptions of webhooks, as npm packages: fetched once, kept in the user's cache.

Nothing of them is committed. Where there is no npm client or no network, tests that need them are skipped with the
reason; what was fetched is compared with a digest, so that it is what the tests were written for.
"""

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

EXAMPLES = (
    "webhooks-examples",
    "7.6.1",
    "package/api.github.com/index.json",
    "09d8f0c617876ae9dad22e26fea5510bfcaad50ee7e602659f6db25b87b25815",
)
SCHEMAS = (
    "openapi-webhooks",
    "12.1.0",
    "package/generated/api.github.com.json",
    "0a86fcfad6f38c696f2f1967311e61a4009adca58adac52d7df52e003d187b26",
)
ADDRESS = "https://github.example/webhooks"
SECONDS = 120
MAX_MEMBER = 64 * 1024 * 1024


@dataclass(frozen=True)
class Example:
    """One real delivery: the event of its header, and its payload."""

    event: str
    payload: dict[str, Any]

    @property
    def kind(self) -> str:
        action = self.payload.get("action")
        return f"{self.event}.{action}" if action and self.event not in {"push", "status"} else self.event


@cache
def examples() -> tuple[Example, ...]:
    """All of them. Skips the test where they cannot be had."""
    return tuple(Example(group["name"], one) for group in _member(EXAMPLES) for one in group["examples"])


@cache
def description() -> dict[str, Any]:
    """The OpenAPI description of all webhooks. Skips the test where it cannot be had."""
    described: dict[str, Any] = _member(SCHEMAS)
    return described


def schema(kind: str) -> dict[str, Any] | None:
    """The official schema of `event.action`, `None` where there is none."""
    found = description()["webhooks"].get(kind.replace("_", "-").replace(".", "-"))
    return found and dict(found["post"]["requestBody"]["content"]["application/json"]["schema"])


@cache
def validator(kind: str) -> jsonschema_rs.Draft202012Validator | None:
    name = kind.replace("_", "-").replace(".", "-")
    if schema(kind) is None:
        return None
    place = f"{ADDRESS}#/webhooks/{name}/post/requestBody/content/application~1json/schema"
    return jsonschema_rs.Draft202012Validator({"$ref": place}, registry=_registry())


@cache
def _registry() -> jsonschema_rs.Registry:
    # Read once: two megabytes for each of a few hundred validators would take minutes.
    return jsonschema_rs.Registry([(ADDRESS, description())])


def conforms(one: Example) -> bool:
    """Whether an example is as the official schema says; many are older than it."""
    found = validator(one.kind)
    return found is not None and found.is_valid(one.payload)


def _member(package: tuple[str, str, str, str]) -> Any:
    name, version, member, digest = package
    kept = _cache() / f"{name}-{version}.json"
    if not kept.is_file():
        _fetch(f"@octokit/{name}@{version}", member, kept)
    data = kept.read_bytes()
    assert hashlib.sha256(data).hexdigest() == digest, f"{kept} is not what these tests were written for: remove it"
    return json.loads(data)


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    place = (Path(base) if base else Path.home() / ".cache") / "regreen-tests"
    place.mkdir(parents=True, exist_ok=True)
    return place


def _fetch(package: str, member: str, kept: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"{package} cannot be fetched: there is no npm client here")
    with tempfile.TemporaryDirectory() as place:
        command = [npm, "pack", "--silent", "--ignore-scripts", f"--pack-destination={place}", package]
        try:
            subprocess.run(command, cwd=place, capture_output=True, check=True, timeout=SECONDS)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            pytest.skip(f"{package} cannot be fetched: {type(error).__name__}")
        data = _unpacked(next(Path(place).glob("*.tgz")), member)
        written = kept.with_suffix(f".{os.getpid()}")
        written.write_bytes(data)
        written.replace(kept)


def _unpacked(archive: Path, member: str) -> bytes:
    with tarfile.open(archive) as packed, packed.extractfile(member) or _missing(member) as content:
        data: bytes = content.read(MAX_MEMBER)
        return data


def _missing(member: str) -> Any:
    msg = f"the package holds no {member}"
    raise AssertionError(msg)


NAMED = {
    "full_name": "octo/fizz",
    "login": "octocat",
    "type": "User",
    "default_branch": "main",
    "head_branch": "main",
    "ref": "refs/heads/main",
} | dict.fromkeys(("sha", "head_sha", "after", "before"), "a" * 40)
"""What a plain string would not do for: names and commits have a form that the schemas do not state."""
DEEPEST = 14


@dataclass(frozen=True)
class Filler:
    """Makes a payload from a schema: as little as it demands, or all that it knows."""

    least: bool

    def value(self, schema: dict[str, Any], name: str = "", depth: int = 0) -> Any:
        found = _resolved(schema)
        options = [_resolved(one) for one in found.get("oneOf") or found.get("anyOf") or ()]
        kinds = found.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        nullable = "null" in kinds or None in found.get("enum", ()) or any(one.get("type") == "null" for one in options)
        if depth > DEEPEST or (self.least and nullable) or kinds == ["null"]:
            return None
        if "const" in found or "enum" in found:
            return found.get("const", next((one for one in found.get("enum", ()) if one is not None), None))
        kind = next((one for one in kinds if one != "null"), "object" if "properties" in found else "")
        if options or "allOf" in found or kind == "object":
            return self._object(found, [one for one in options if one.get("type") != "null"], name, depth)
        if kind == "array":
            return [] if self.least or "items" not in found else [self.value(found["items"], name, depth + 1)]
        plain: dict[str, Any] = {"integer": 1, "number": 1, "boolean": False, "": None}
        return plain[kind] if kind in plain else _string(found, name)

    def _object(self, found: dict[str, Any], options: list[dict[str, Any]], name: str, depth: int) -> Any:
        parts = [self.value(one, name, depth + 1) for one in (*found.get("allOf", ()), *options[:1])]
        if parts and not all(isinstance(part, dict) for part in parts):
            return parts[0]
        made: dict[str, Any] = {}
        for part in (*parts, dict(self._properties(found, depth))):
            made |= {key: value for key, value in part.items() if value is not None or key not in made}
        return made

    def _properties(self, found: dict[str, Any], depth: int) -> Iterator[tuple[str, Any]]:
        known = found.get("properties", {})
        for key in found.get("required", ()) if self.least else known:
            if key in known:
                yield key, self.value(known[key], key, depth + 1)


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        found: Any = description()
        for step in schema["$ref"].split("/")[1:]:
            found = found[step]
        schema = found
    return schema


def _string(found: dict[str, Any], name: str) -> str:
    formats = {"date-time": "2026-01-01T00:00:00Z", "uri": "https://github.example/x", "email": "a@github.example"}
    return formats.get(found.get("format", ""), NAMED.get(name, "x"))
