"""`regreen policy FILE`: what is wrong with a policy file, before it is pushed."""

from pathlib import Path

from bot.commands import Shown
from bot.errors import ConfigurationError
from bot.policy import PATH, Fault, advice, examine
from bot.policy.schema import schema


def check(path: Path) -> Shown:
    """Every fault as `file:line: key: message`, as compilers say theirs; no setting and no GitHub is asked.

    `path` is the file, or the repository that has it. Raises `ConfigurationError` for a file that cannot be read.
    """
    if path.is_dir():
        path /= PATH
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}", _remedy(path)) from None
    found, warnings = examine(data), advice(data)
    faults = found if isinstance(found, tuple) else ()
    lines = [f"{path}:{fault.line}: {_said(fault)}" for fault in faults] or [f"{path} is understood."]
    lines += [f"{path}:{one.line}: warning: {_said(one)}" for one in warnings]
    if path.suffix == ".yaml":
        lines.append(f"{path}:1: warning: Regreen reads {PATH} alone: rename this file.")
    document = {"good": not faults, "faults": _listed(faults), "warnings": _listed(warnings)}
    return Shown(good=not faults, document=document, lines=lines)


def printed() -> str:
    """The JSON Schema, for editors."""
    return schema()


def _said(fault: Fault) -> str:
    return f"{fault.key}: {fault.message}" if fault.key else fault.message


def _listed(faults: tuple[Fault, ...]) -> list[dict[str, object]]:
    return [{"line": one.line, "end_line": one.end_line, "key": one.key, "message": one.message} for one in faults]


def _remedy(path: Path) -> str:
    """Which file is meant: another spelling of its name is not read by a run either."""
    other = path.with_suffix(".yaml")
    if path.suffix == ".yml" and other.is_file():
        return f"There is {other}, which Regreen does not read: rename it to {path.name}."
    return f"Name the policy file, or the repository that has it as {PATH}."
