"""A justfile's recipes as the commands that they would run; only variables of plain text are known.

Source: just.systems, "The Just Programmer's Manual".
"""

import re
from collections.abc import Iterator

from sandbox.detect.rules import Program, Rule, Rules

PATHS = ("justfile", "Justfile", ".justfile")
_REFERENCE = re.compile(r"\{\{\s*(\w*)(?:[^{}]|\{[^{}]*\})*\}\}")
_SETTING = re.compile(r"(?:export\s+)?(\w+)\s*:=\s*(.*)")
_ALIAS = re.compile(r"alias\s+([\w-]+)\s*:=\s*([\w-]+)\s*")
_RECIPE = re.compile(r"@?([A-Za-z_][\w-]*)((?:\s+[^:\s]\S*)*?)\s*:(?!=)(.*)")
_PARAMETER = re.compile(r"([*+$]*)(\w+)(?:=(?:'([^']*)'|\"([^\"]*)\"))?(?=\s|$)")
_TEXT = re.compile(r"'([^']*)'|\"([^\"]*)\"")


def _parsed(content: str, made: Rules) -> None:
    current: Rule | None = None
    for number, line in enumerate(content.splitlines(), 1):
        if line.startswith((" ", "\t")):
            if current is not None:
                current.lines.append((number, line.strip()))
        elif match := _ALIAS.fullmatch(line):
            made.rules[match[1]] = [Rule([match[2]])]
        elif match := _SETTING.fullmatch(line.rstrip()):
            made.values |= _plain(match[1], match[2])
        elif match := _RECIPE.fullmatch(line.rstrip()):
            current = Rule(_needs(match[3]), dict(_defaults(match[2])))
            made.rules[match[1]] = [current]


def _plain(name: str, value: str) -> dict[str, str]:
    said = _TEXT.fullmatch(value.strip())
    return {name: said[1] or said[2] or ""} if said else {}


def _defaults(parameters: str) -> Iterator[tuple[str, str]]:
    """The parameters whose value is known: those with a default of plain text, and those that take any number."""
    for match in _PARAMETER.finditer(parameters):
        said = match[3] or match[4] or ""
        if said or "*" in match[1]:
            yield match[2], said


def _needs(said: str) -> list[str]:
    """The names of what is run before, with or without arguments, and behind `&&` what is run after."""
    return [word.strip("()") for word in said.partition("#")[0].split() if word != "&&"]


JUST = Program("just", PATHS, _REFERENCE, _parsed)
"""Parameters have their defaults."""
