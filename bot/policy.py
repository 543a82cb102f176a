"""`.github/regreen.yml` → `RepoPolicy`: what a repository's maintainers decide. They can only tighten the operator's.

The file is read from the default branch, so that whoever changes it could push there anyway.
"""

import shlex
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from bot.errors import ConfigurationError
from sandbox.spec import Given

PATH = ".github/regreen.yml"
MAX_SIZE = 64 * 1024
MAX_DEPTH = 16
MAX_STARS = 3
MAX_PORT = 65535

_LOCAL_NAMES = (".localhost", ".local", ".internal", ".home.arpa", ".test", ".invalid")

_Glob = Annotated[str, StringConstraints(min_length=1, max_length=200)]
_Host = Annotated[str, StringConstraints(min_length=1, max_length=253, pattern=r"^[A-Za-z0-9.-]+(:\d{1,5})?$")]
_Argument = Annotated[str, StringConstraints(min_length=1, max_length=1_000, pattern=r"^[^\x00]*$")]


class _Values(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)


class BudgetPolicy(_Values):
    """What one run may spend here; each value can lower the operator's, never raise it. Unset keeps the operator's."""

    iterations: int | None = Field(None, ge=1, le=100, description="Rounds of one run, each of one candidate or a few.")
    tokens: int | None = Field(None, ge=0, le=1_000_000_000, description="Model tokens of one run, both directions.")
    dollars: float | None = Field(None, ge=0, le=100_000, allow_inf_nan=False, description="Dollars of one run.")
    minutes: float | None = Field(None, gt=0, le=10_000, allow_inf_nan=False, description="Wall clock of one run.")


class RepoPolicy(_Values):
    """The keys of `.github/regreen.yml`; every one may be left out."""

    enabled: bool = Field(default=True, description="`false` makes the bot do nothing at all in this repository.")
    label: str | None = Field(
        None, min_length=1, max_length=200, description="The label that starts a fix, in place of the operator's."
    )
    ci: bool = Field(default=True, description="Whether a red check suite on the default branch starts a fix.")
    draft: bool = Field(
        default=False,
        description="`true` opens every pull request as a draft; `false` leaves it to the operator and to how far the "
        "fix can be trusted.",
    )
    review_tests: bool = Field(
        default=False,
        description="`true` shows a test that was written for an issue, and waits for `/regreen approve` before a fix.",
    )
    protected: tuple[_Glob, ...] = Field(
        (),
        max_length=200,
        strict=False,
        description="Globs of paths that no fix may touch, beside the built-in ones (tests, workflows, this file).",
    )
    test_command: tuple[_Argument, ...] = Field(
        (),
        max_length=100,
        strict=False,
        description="How to run the whole suite: a list of arguments, or a line that is split as a shell would, "
        "without a shell. Unset: found out from the repository.",
    )
    setup: tuple[tuple[_Argument, ...], ...] = Field(
        (),
        max_length=50,
        strict=False,
        description="What sets the environment up before the network is cut: commands, each as test_command. Replaces "
        "what is found out.",
    )
    junit: str = Field(
        "", max_length=200, description="Glob of the JUnit XML files that test_command writes, where nothing else fits."
    )
    allowed_hosts: tuple[_Host, ...] = Field(
        (),
        max_length=50,
        strict=False,
        description="Hosts that the set-up may reach by HTTPS beside the package registries; public addresses only.",
    )
    budget: BudgetPolicy = Field(BudgetPolicy(), description="What one run may spend.")

    @property
    def given(self) -> Given:
        """What this file decides about set-up and tests, for whoever finds out the rest."""
        return Given(self.test_command, self.setup, self.junit, self.allowed_hosts, PATH)

    @field_validator("protected")
    @classmethod
    def _bounded(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for glob in value:
            if any(segment.count("*") > MAX_STARS for segment in glob.split("/")):
                raise PydanticCustomError("too_many_stars", "a glob has more than 3 stars between two slashes")
        return value

    @field_validator("allowed_hosts")
    @classmethod
    def _public(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for authority in value:
            host, _, port = authority.lower().partition(":")
            if port and not 0 < int(port) <= MAX_PORT:
                raise PydanticCustomError("port", "a port is a number from 1 to 65535")
            last = host.rstrip(".").rpartition(".")[2]
            # What ends in a number is an address to a resolver, in whatever form (127.1, 0x7f.1, 2130706433).
            if last.isdigit() or last.startswith("0x"):
                raise PydanticCustomError("address", "a host is listed by its public name, not by an address")
            if "." not in host.strip(".") or host.rstrip(".").endswith(_LOCAL_NAMES):
                raise PydanticCustomError(
                    "local", "names of this machine or of a local network are the operator's to list"
                )
        return value

    @field_validator("test_command", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(shlex.split(value)) if isinstance(value, str) else value

    @field_validator("setup", mode="before")
    @classmethod
    def _split_each(cls, value: object) -> object:
        return tuple(cls._split(one) for one in value) if isinstance(value, list) else value


def parse(data: bytes | None) -> RepoPolicy:
    """The policy that the file's bytes hold, all defaults where there is no file.

    Raises `ConfigurationError` naming the key and its line. Aliases are refused, as is anything above `MAX_SIZE`.
    """
    if data is None:
        return RepoPolicy()
    if len(data) > MAX_SIZE:
        raise _refusal(f"it has {len(data)} bytes, more than {MAX_SIZE}")
    text = _decoded(data)
    _refuse_traps(text)
    values, lines = _loaded(text)
    try:
        return RepoPolicy.model_validate(values)
    except ValidationError as error:
        raise _refusal(_explained(error, lines)) from None


def _refusal(cause: str) -> ConfigurationError:
    return ConfigurationError(f"{PATH} cannot be used: {cause}", f"Correct {PATH} on the default branch.")


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _refusal("it is not UTF-8 text") from None


def _refuse_traps(text: str) -> None:
    """Aliases multiply, nesting recurses: both are refused on the token stream, before anything is built."""
    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise _refusal(f"line {_line(event.start_mark)}: aliases are not allowed")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise _refusal(f"line {_line(event.start_mark)}: nested too deeply")
    except yaml.YAMLError as error:
        raise _refusal(_syntax(error)) from None
    except RecursionError:
        raise _refusal("nested too deeply") from None


def _line(mark: Any) -> int:
    return mark.line + 1 if mark else 1


def _syntax(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "unreadable"
    return f"line {mark.line + 1}: {problem}" if mark else f"it is not YAML: {problem}"


def _loaded(text: str) -> tuple[dict[str, Any], dict[str, int]]:
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return {}, {}
        lines = _lines(node)
        values = loader.construct_document(node)
    except yaml.YAMLError as error:
        raise _refusal(_syntax(error)) from None
    except (ValueError, OverflowError, TypeError, AttributeError, KeyError) as error:
        # The safe constructors let these through for such scalars as 2026-13-45 and for odd explicit tags.
        raise _refusal(f"a value cannot be read ({type(error).__name__})") from None
    finally:
        loader.dispose()
    if values is None:
        return {}, {}
    if not isinstance(values, dict):
        raise _refusal("line 1: it is not a mapping of keys to values")
    return values, lines


def _lines(node: yaml.Node, prefix: str = "") -> dict[str, int]:
    """Dotted key → line, counted from 1."""
    if not isinstance(node, yaml.MappingNode):
        return {}
    lines: dict[str, int] = {}
    for key, value in node.value:
        name = f"{prefix}{key.value}" if isinstance(key, yaml.ScalarNode) else prefix
        line = key.start_mark.line + 1
        if name in lines:
            raise _refusal(f"line {line}: the key {name[:80]!r} stands twice")
        lines[name] = line
        lines |= _lines(value, f"{name}.")
    return lines


def _explained(error: ValidationError, lines: dict[str, int]) -> str:
    parts = []
    for item in error.errors(include_input=False, include_url=False, include_context=False)[:5]:
        path = [str(part) for part in item["loc"]]
        places = (lines.get(".".join(path[:length])) for length in range(len(path), 0, -1))
        line = next((place for place in places if place), 1)
        known = "there is no such key" if item["type"] == "extra_forbidden" else item["msg"]
        parts.append(f"line {line}: {'.'.join(path)[:80]}: {known}")
    return "; ".join(parts)
