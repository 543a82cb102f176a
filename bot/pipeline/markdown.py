"""Untrusted text on its way into GitHub markdown: nothing in it may format, mention, link or hide."""

import re
import unicodedata

_CONTROLS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_ACTIVE = re.compile(r"([\\`*_{}\[\]()#+!|~>-])")
_INVISIBLE = {"Cf", "Cc", "Cs", "Co", "Cn"}


def plain(text: str, limit: int) -> str:
    """Text without terminal sequences, control, bidirectional and other invisible characters; at most `limit` long."""
    text = _CONTROLS.sub("", text)
    kept = "".join(char for char in text if char in "\n\t" or unicodedata.category(char) not in _INVISIBLE)
    return kept if len(kept) <= limit else kept[: limit - 1].rstrip() + "…"


def inline(text: str, limit: int = 300) -> str:
    """Untrusted text as one line of prose that shows exactly its characters."""
    line = " ".join(plain(text, limit).split())
    line = line.replace("&", "&amp;").replace("<", "&lt;")
    return _ACTIVE.sub(r"\\\1", line).replace("@", "@\u2060")


def code(text: str, limit: int = 300) -> str:
    """Untrusted text as inline code."""
    line = " ".join(plain(text, limit).split()).replace("|", "\\|")
    fence = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") or not line else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def block(text: str, language: str = "", limit: int = 6000) -> str:
    """Untrusted text as a fenced block whose fence is longer than any run of backticks in it."""
    body = plain(text, limit)
    fence = "`" * max(3, _longest_run(body) + 1)
    return f"{fence}{language}\n{body.rstrip()}\n{fence}"


def fold(summary: str, body: str) -> str:
    """A folded section; `summary` is ours and may hold code spans rendered as HTML."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def marker(kind: str, subject: str) -> str:
    """The hidden marker by which a retry finds what an earlier try already made."""
    safe = re.sub(r"[^A-Za-z0-9._/-]", "_", subject).replace("--", "_")
    return f"<!-- regreen:{kind}={safe} -->"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
