"""Twins of tests in Go and JavaScript: found by their heads, and made to fail at their start."""

import re
from collections.abc import Mapping

from bot.repair.integrity.twin import Twin

_TITLE = "(?:test|it)\\s*\\(\\s*(?P<quote>['\"`]){title}(?P=quote)\\s*,\\s*(?:async\\s*)?"
_BODY = r"(?:function\s*\w*\s*\([^()]*\)|(?:\([^()]*\)|\w+)\s*=>)\s*\{"
_CALLABLE = re.compile(r"(?:^|[^\w.$])(test|it)\s*\(", re.MULTILINE)


def of_go(source: bytes, tests: Mapping[str, int], token: str) -> Twin | None:
    """See `bot.repair.integrity.twins`."""
    text = source.decode("utf-8", "surrogateescape")
    altered: set[str] = set()
    changed, fresh, name = text, "", ""
    for test in tests:
        head = re.escape(test.partition("/")[0])
        found = re.search(rf"^func {head}\((?P<t>\w+) (?P<type>\*\w+\.T)\) \{{", changed, re.MULTILINE)
        if found is None:
            continue
        failing = f'{found["t"]}.Fatal("{token}")'
        if not fresh:
            name = f"{test.partition('/')[0]}_{token}"
            fresh = f"\nfunc {name}({found['t']} {found['type']}) {{\n\t{failing}\n}}\n"
        changed = f"{changed[: found.end()]}\n\t{failing.replace('Fatal', 'Error')}\n{changed[found.end() :]}"
        altered.add(test)
    if not fresh:
        return None
    # A subtest may never come to run behind another's failure, so only whole tests are counted.
    whole = frozenset(test for test in altered if "/" not in test)
    ends = (text + fresh, changed + fresh)
    plain, forced = (part.encode("utf-8", "surrogateescape") for part in ends)
    return Twin(plain, forced, name, whole)


def of_javascript(source: bytes, tests: Mapping[str, int], token: str) -> Twin | None:
    """See `bot.repair.integrity.twins`."""
    text = source.decode("utf-8", "surrogateescape")
    known = _CALLABLE.search(text)
    if known is None:
        return None
    changed, altered = text, set()
    for test in tests:
        title = re.escape(test.rpartition(" > ")[2])
        found = re.search(_TITLE.format(title=title) + _BODY, changed)
        if found is not None:
            changed = f'{changed[: found.end()]} throw new Error("{token}");{changed[found.end() :]}'
            altered.add(test)
    fresh = f'\n;{known[1]}("{token}", () => {{ throw new Error("{token}"); }});\n'
    plain, forced = (part.encode("utf-8", "surrogateescape") for part in (text + fresh, changed + fresh))
    return Twin(plain, forced, token, frozenset(altered))
