"""A Makefile's targets as the commands that they would run; only simple variables are known."""

import re

from sandbox.detect.rules import Program, Rule, Rules

PATHS = ("GNUmakefile", "makefile", "Makefile")
_SETTING = re.compile(r"(\w+) *[:?]?= *(.*)")
_REFERENCE = re.compile(r"\$[({](\w+)[)}]")


def _parsed(content: str, made: Rules) -> None:
    current: Rule | None = None
    for number, line in enumerate(content.splitlines(), 1):
        if line.startswith("\t"):
            if current is not None:
                current.lines.append((number, line.strip()))
        elif match := _SETTING.fullmatch(line.rstrip()):
            made.values[match[1]] = match[2]
        elif ":" in line and not line.startswith((" ", "#")):
            head, _, rest = line.partition(":")
            current = Rule(rest.partition("#")[0].lstrip(":").split())
            for name in dict.fromkeys(head.split()):
                made.rules.setdefault(name, []).append(current)


MAKE = Program("make", PATHS, _REFERENCE, _parsed)
"""Conditions count as met."""
