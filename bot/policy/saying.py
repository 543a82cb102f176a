"""What is wrong with a value, and what to write instead: in the words of who writes the file, not of who checks it."""

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from bot.policy.model import BudgetPolicy, RepoPolicy

OWN = frozenset({"address", "local", "outside", "port", "quotes", "shell", "too_many_stars"})
"""The errors whose words are this package's own."""

_LOGIN = "write a login exactly as GitHub does: letters, digits and hyphens, such as `mona`"
_ALLOWED = {
    "allowed_hosts": "write a host's name alone, without `https://` and without a path, such as "
    "`downloads.example.org` or `downloads.example.org:8443`",
    "bots": f"{_LOGIN} or `renovate[bot]`",
    "ignored_authors": f"{_LOGIN} or `renovate[bot]`",
    "models": "a model's name is one line without control characters",
    "reviewers": f"{_LOGIN}, or a team as `organisation/team`",
    "setup": "a word of a command cannot hold the character NUL",
    "test_command": "a word of a command cannot hold the character NUL",
}
_COMMAND = "write a command in one line, such as `{}`, or a list of its words"
_EXAMPLES = {
    "allowed_hosts": "downloads.example.org",
    "bots": "renovate[bot]",
    "branches": "release/*",
    "ignored_authors": "mona",
    "protected": "migrations/**",
    "reviewers": "mona",
    "roles": "coder",
    "setup": "pip install -r requirements.txt",
}
_BELOW = {"budget": "dollars: 0.5", "models": "coder: NAME"}
_LONGEST = 80
_NO_VALUE = "nothing is written after it: write a value, or leave the key out"
_KEYS = {"": tuple(RepoPolicy.model_fields), "budget": tuple(BudgetPolicy.model_fields)}


def said(kind: str, path: Sequence[str], message: str, value: object, context: Mapping[str, Any]) -> str:
    """One error of the model in plain words. `path` is the key's, `message` the checker's, `value` what was written."""
    if kind in OWN:
        return message
    if kind == "extra_forbidden":
        return unknown(path)
    if value is None and kind.endswith("_type"):
        return _NO_VALUE
    if kind == "literal_error":
        return _choice(context, value)
    explain = _KINDS.get(kind)
    return explain(path, context) if explain else "this value cannot be used here"


def unknown(path: Sequence[str]) -> str:
    """That there is no such key, and which one may be meant: of the same level, else of any."""
    names = _KEYS.get(".".join(path[:-1]), ())
    wrong = path[-1][:_LONGEST]
    near = get_close_matches(wrong, names, 1)
    if not near:
        spelled = {key: f"{level}.{key}" if level else key for level, keys in _KEYS.items() for key in keys}
        near = [spelled[key] for key in get_close_matches(wrong, spelled, 1)]
    return f"there is no such key; did you mean `{near[0]}`?" if near else "there is no such key"


def _list(path: Sequence[str], _: Mapping[str, Any]) -> str:
    if path[0] == "test_command":
        return _COMMAND.format("python -m pytest -q tests")
    if len(path) > 1:
        return _COMMAND.format(_EXAMPLES["setup"])
    return f"write a list, each on a line of its own with `- ` before it, such as `- {_EXAMPLES[path[0]]}`"


def _choice(context: Mapping[str, Any], value: object) -> str:
    names = re.findall(r"'([^']*)'", str(context["expected"]))
    listed = ", ".join(f"`{name}`" for name in names)
    near = get_close_matches(value[:_LONGEST], names, 1) if isinstance(value, str) else []
    return f"write one of {listed}" + (f"; did you mean `{near[0]}`?" if near else "")


def _bound(words: str, name: str) -> Callable[[Sequence[str], Mapping[str, Any]], str]:
    return lambda _, context: words.format(f"{context[name]:,.15g}")


def _always(words: str) -> Callable[[Sequence[str], Mapping[str, Any]], str]:
    return lambda _path, _context: words


_KINDS: Mapping[str, Callable[[Sequence[str], Mapping[str, Any]], str]] = {
    "bool_type": _always("write `true` or `false`, without quotes"),
    "dict_type": lambda path, _: f"write keys and values below it, indented, such as `{_BELOW[path[0]]}`",
    "finite_number": _always("write a number that is not infinite, such as `0.5`"),
    "float_type": _always("write a number such as `0.5`, without quotes"),
    "greater_than": _bound("write a number above {}", "gt"),
    "greater_than_equal": _bound("write a number not below {}", "ge"),
    "int_type": _always("write a whole number such as `3`, without quotes"),
    "invalid_key": _always("a key has to be one of the words that the guide lists"),
    "less_than_equal": _bound("write a number not above {}", "le"),
    "model_type": lambda path, _: f"write keys and values below it, indented, such as `{_BELOW[path[0]]}`",
    "string_pattern_mismatch": lambda path, _: _ALLOWED[path[0]],
    "string_too_long": lambda _, context: f"write at most {context['max_length']} characters",
    "string_too_short": _always("write at least one character"),
    "string_type": _always("write one piece of text; what is a number or a date goes into quotes"),
    "string_unicode": _always("this holds half a character, which is no text"),
    "too_long": lambda _, context: f"write at most {context['max_length']}; there are {context['actual_length']}",
    "tuple_type": _list,
}
