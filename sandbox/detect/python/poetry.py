"""Poetry's version constraints in the terms of PEP 440.

Source: https://python-poetry.org/docs/dependency-specification/
"""

from collections.abc import Mapping

from sandbox.detect.python.declared import is_name, is_requirement


def requirement(name: str, value: object) -> str:
    """The requirement specifier of one entry of a poetry table, empty for a key that is no name.

    What pip could not read is left unconstrained.
    """
    if not is_name(name):
        return ""
    if isinstance(value, list):
        return name
    entry = value if isinstance(value, Mapping) else {"version": value}
    extras = entry.get("extras")
    chosen = f"[{','.join(map(str, extras))}]" if isinstance(extras, list) and extras else ""
    version = entry.get("version")
    whole = f"{name}{chosen}{specifiers(version) if isinstance(version, str) else ''}"
    return whole if is_requirement(whole) else name


def specifiers(constraint: str) -> str:
    """`^1.2` → `>=1.2,<2`, `~1.2` → `>=1.2,<1.3`, `1.2` → `==1.2`, `*` → nothing; a union is left out."""
    if "|" in constraint:
        return ""
    return ",".join(filter(None, (_specifier(part.strip()) for part in constraint.split(","))))


def _specifier(part: str) -> str:
    if part in {"", "*"}:
        return ""
    if part[0] == "^" or (part[0] == "~" and not part.startswith("~=")):
        version = part[1:].strip()
        numbers = [int(number) if number.isdecimal() else 0 for number in version.split(".")]
        return f">={version},<{_ceiling(part[0], numbers)}"
    if part[0].isdigit():
        return f"=={part}"
    return part.replace(" ", "")


def _ceiling(operator: str, numbers: list[int]) -> str:
    """The first version outside: the caret raises the leftmost non-zero number, the tilde the second."""
    if operator == "^":
        at = next((index for index, number in enumerate(numbers) if number), len(numbers) - 1)
    else:
        at = min(1, len(numbers) - 1)
    return ".".join(map(str, [*numbers[:at], numbers[at] + 1]))
