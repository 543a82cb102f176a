"""`regreen policy FILE`: what is wrong with a policy file, before it is pushed."""

from pathlib import Path

from bot.commands import Shown
from bot.errors import ConfigurationError
from bot.policy import Fault, examine
from bot.policy.schema import schema


def check(path: Path) -> Shown:
    """Every fault as `file:line: key: message`, as compilers say theirs; no setting and no GitHub is asked.

    Raises `ConfigurationError` for a file that cannot be read.
    """
    try:
        found = examine(path.read_bytes())
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}", "Name the policy file.") from None
    faults = found if isinstance(found, tuple) else ()
    lines = [f"{path}:{fault.line}: {_said(fault)}" for fault in faults] or [f"{path} is understood."]
    listed = [{"line": one.line, "end_line": one.end_line, "key": one.key, "message": one.message} for one in faults]
    return Shown(good=not faults, document={"good": not faults, "faults": listed}, lines=lines)


def printed() -> str:
    """The JSON Schema, for editors."""
    return schema()


def _said(fault: Fault) -> str:
    return f"{fault.key}: {fault.message}" if fault.key else fault.message
