"""The file's bytes → `RepoPolicy`, or every fault with the lines that it stands on."""

import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import yaml
from pydantic import ValidationError

from bot.errors import ConfigurationError
from bot.policy.advice import advised
from bot.policy.model import PATH, RepoPolicy, RoleName
from bot.policy.saying import said

MAX_SIZE = 64 * 1024
MAX_DEPTH = 16
MAX_FAULTS = 50
MAX_SAID = 5
MAX_KEY = 80
KEPT = frozenset({"dry_run", "enabled", "language"})
"""Keys that bind whoever writes, even that the file has a fault."""
_KEPT_LINE = re.compile(rf"^(?:{'|'.join(sorted(KEPT))}):[ \t]+[A-Za-z\"']{{1,20}}[ \t]*(?:#.*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with the file: lines counted from 1, both included; `key` is dotted, or empty."""

    line: int
    end_line: int
    key: str
    message: str

    def __str__(self) -> str:
        """One line without the path."""
        return f"line {self.line}: {self.key}: {self.message}" if self.key else f"line {self.line}: {self.message}"


class _Span(NamedTuple):
    first: int
    last: int


class _FaultyError(Exception):
    """Carries the fault that ends the reading."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.fault = Fault(line, line, "", message)


def parse(data: bytes | None) -> RepoPolicy:
    """The policy that the file's bytes hold, all defaults where there is no file.

    Raises `ConfigurationError` naming each key and its line. Aliases are refused, as is anything above `MAX_SIZE`.
    """
    read = examine(data)
    if isinstance(read, RepoPolicy):
        return read
    listed = "; ".join(str(fault) for fault in read[:MAX_SAID])
    raise ConfigurationError(f"{PATH} cannot be used: {listed}", f"Correct {PATH} on the default branch.")


def examine(data: bytes | None, offered: Collection[str] | None = None) -> RepoPolicy | tuple[Fault, ...]:
    """The policy, or everything that is wrong with the file, at most 50 faults in the order of their lines.

    `offered` are the models that the operator has; without them, no model's name is wrong.
    """
    if data is None:
        return RepoPolicy()
    try:
        values, spans = _loaded(_text(data))
    except _FaultyError as error:
        return (error.fault,)
    try:
        policy = RepoPolicy.model_validate(values)
    except ValidationError as error:
        faults = _explained(error, spans)
        models = values.get("models")
        more = _unoffered(models, spans, offered) if isinstance(models, dict) else ()
        told = {fault.key for fault in faults}
        return _in_order((*faults, *(fault for fault in more if fault.key not in told)))
    return _unoffered(policy.models, spans, offered) or policy


def advice(data: bytes | None) -> tuple[Fault, ...]:
    """What to see to in a file that `examine` finds no fault in, with its lines; nothing for any other."""
    read = examine(data)
    if data is None or not isinstance(read, RepoPolicy):
        return ()
    spans = _loaded(_text(data))[1]
    return tuple(Fault(*spans.get(key, _Span(1, 1)), key, message) for key, message in advised(read))


def kept(data: bytes | None) -> RepoPolicy:
    """What holds of a file that has faults: `KEPT`, as far as each of them can be read and is none itself."""
    try:
        values, _ = _loaded(_text(data or b""))
    except _FaultyError:
        values = _by_line((data or b"")[:MAX_SIZE].decode("utf-8-sig", "replace"))
    policy = RepoPolicy()
    for key in KEPT & values.keys():
        with suppress(ValidationError):
            policy = policy.model_copy(update={key: getattr(RepoPolicy.model_validate({key: values[key]}), key)})
    return policy


def _by_line(text: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for found in _KEPT_LINE.finditer(text):
        with suppress(_FaultyError):
            values |= _loaded(found[0])[0]
    return values


def _text(data: bytes) -> str:
    if len(data) > MAX_SIZE:
        raise _FaultyError(f"the file has {len(data)} bytes, more than {MAX_SIZE}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _FaultyError("the file is not UTF-8 text", data.count(b"\n", 0, error.start) + 1) from None
    _refuse_traps(text)
    return text


def _refuse_traps(text: str) -> None:
    """Aliases multiply, nesting recurses: both are refused on the token stream, before anything is built."""
    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise _FaultyError("aliases are not allowed", _line(event.start_mark))
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise _FaultyError("nested too deeply", _line(event.start_mark))
    except yaml.YAMLError as error:
        _syntax(error)
    except RecursionError:
        raise _FaultyError("nested too deeply") from None


def _line(mark: Any) -> int:
    return mark.line + 1 if mark else 1


def _syntax(error: yaml.YAMLError) -> NoReturn:
    problem = getattr(error, "problem", None) or "unreadable"
    raise _FaultyError(f"this is not YAML: {problem}", _line(getattr(error, "problem_mark", None))) from None


def _loaded(text: str) -> tuple[dict[str, Any], dict[str, _Span]]:
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return {}, {}
        spans = _spans(node)
        values = loader.construct_document(node)
    except yaml.YAMLError as error:
        _syntax(error)
    except (ValueError, OverflowError, TypeError, AttributeError, KeyError) as error:
        # The safe constructors let these through for such scalars as 2026-13-45 and for odd explicit tags.
        raise _FaultyError(f"a value cannot be read ({type(error).__name__})") from None
    finally:
        loader.dispose()
    if values is None:
        return {}, {}
    if not isinstance(values, dict):
        raise _FaultyError("the file is not a mapping of keys to values")
    return values, spans


def _spans(node: yaml.Node, prefix: str = "") -> dict[str, _Span]:
    """Dotted key, or index → the lines of the key and its value."""
    spans: dict[str, _Span] = {}
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            spans[f"{prefix}{index}"] = _span(item, item)
            spans |= _spans(item, f"{prefix}{index}.")
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            name = f"{prefix}{key.value}" if isinstance(key, yaml.ScalarNode) else prefix
            if name in spans:
                raise _FaultyError(f"the key {name[:MAX_KEY]!r} stands twice", _line(key.start_mark))
            spans[name] = _span(key, value)
            spans |= _spans(value, f"{name}.")
    return spans


def _span(first: yaml.Node, last: yaml.Node) -> _Span:
    start = _line(first.start_mark)
    # a block's end mark stands at the beginning of what follows it
    end = _line(last.end_mark) - (isinstance(last, yaml.CollectionNode) and last.end_mark.column == 0)
    return _Span(start, max(start, end))


def _unoffered(
    models: Mapping[RoleName, str], spans: dict[str, _Span], offered: Collection[str] | None
) -> tuple[Fault, ...]:
    if offered is None:
        return ()
    keys = [
        f"models.{role}"[:MAX_KEY] for role, name in models.items() if isinstance(name, str) and name not in offered
    ]
    known = ", ".join(sorted(offered)[:MAX_SAID]) or "none"
    message = f"the operator offers no such model; there are: {known}"
    return tuple(Fault(*spans.get(key, _Span(1, 1)), key, message) for key in keys)


def _explained(error: ValidationError, spans: dict[str, _Span]) -> tuple[Fault, ...]:
    faults = []
    for item in error.errors(include_url=False)[:MAX_FAULTS]:
        path = [str(part) for part in item["loc"] if part != "[key]"]
        places = (spans.get(".".join(path[:length])) for length in range(len(path), 0, -1))
        span = next((place for place in places if place), _Span(1, 1))
        words = said(item["type"], path, item["msg"], item["input"], item.get("ctx", {}))
        faults.append(Fault(span.first, span.last, ".".join(path)[:MAX_KEY], words))
    return _in_order(faults)


def _in_order(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    return tuple(sorted(faults, key=lambda fault: fault.line))[:MAX_FAULTS]
