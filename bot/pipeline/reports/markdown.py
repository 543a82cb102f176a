"""Untrusted text on its way to GitHub: nothing in it may format, mention, link, close, skip or hide."""

import re
import unicodedata

from bot.redaction import ESCAPED, without_shapes

_CONTROLS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_ORDERED = re.compile(r"^(\d{1,9})\.")
_INVISIBLE = {"Cf", "Cc", "Cs", "Co", "Cn"}
_GROWTH = 6

JOINER = "\u2060"
"""Shown as nothing, and no part of a link, a name or an emoji: what it stands in is none of these any more."""
_LINKED = re.compile(r"(@|#(?=\d)|\bGH-(?=\d)|\bwww(?=\.)|:(?=//)|:(?=[\w+-]+:))", re.IGNORECASE)
_MARKER = re.compile(r"<!-(?=-\s*regreen:)", re.IGNORECASE)

_SKIPPED = re.compile(r"\[\s?((?:skip|no)[\s-][\w-]+|\w+[\s-]skip)\s?\]", re.IGNORECASE)
_NO_CI = re.compile(r"\*\*\*(no_ci)\*\*\*", re.IGNORECASE)
_TRAILER = re.compile(r"((?:skip|request)-checks)\s?:", re.IGNORECASE)
_REFERENCE = re.compile(r"(#(?=\d)|\bGH(?=-\d)|(?<![A-Za-z0-9])@(?=\w)|:(?=//))", re.IGNORECASE)


def plain(text: str, limit: int) -> str:
    """Text without terminal sequences, control, bidirectional and other invisible characters; at most `limit` long.

    What looks like a secret is masked here, since escaped or cut it would not look like one any more.
    """
    text = _CONTROLS.sub("", text)
    kept = "".join(char for char in text if char in "\n\t" or unicodedata.category(char) not in _INVISIBLE)
    kept = without_shapes(kept)
    return kept if len(kept) <= limit else kept[: limit - 1].rstrip() + "…"


def line(text: str, limit: int = 300) -> str:
    """Somebody's text as one line for a terminal, which nothing in it breaks or steers."""
    return plain(" ".join(text.split()), limit)


def title(text: str, limit: int) -> str:
    """Untrusted text as the first line of a commit message and as a pull request's title.

    One line of visible characters. What GitHub or a CI service would act on is written so that a person still reads it
    and no machine does: `[skip ci]` as `(skip ci)`, `#7` as `# 7`, `@name` as `@ name`, `https://` as `https: //`.
    Source: https://docs.github.com/en/actions/how-tos/manage-workflow-runs/skip-workflow-runs
    """
    line = " ".join(plain(text, 4 * limit).split())
    line = _TRAILER.sub(r"\1", _NO_CI.sub(r"\1", _SKIPPED.sub(r"(\1)", line)))
    return plain(_REFERENCE.sub(r"\1 ", line), limit)


def inline(text: str, limit: int = 300) -> str:
    """Untrusted text as one line of prose that shows exactly its characters.

    It links, mentions and formats nothing, with one exception: a commit id of the repository becomes a link to that
    commit, as it does everywhere on GitHub. At most 6 · `limit` characters; what escaping makes longer is cut earlier.
    """
    line = " ".join(plain(text, limit).split())
    line = line.replace("&", "&amp;").replace("<", "&lt;")
    line = _ORDERED.sub(r"\1\\.", ESCAPED.sub(r"\\\1", _LINKED.sub(rf"\1{JOINER}", line)))
    # GitHub's own way to write a dollar sign that begins no formula
    line = line.replace("$", "<span>$</span>")
    return line if len(line) <= _GROWTH * max(limit, _GROWTH) else inline(text, limit // 2)


def code(text: str, limit: int = 300) -> str:
    """Untrusted text as inline code. Not for table cells, where a | would end the cell."""
    line = _quoted(" ".join(plain(text, limit).split()))
    fence = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") or not line else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def block(text: str, language: str = "", limit: int = 6000) -> str:
    """Untrusted text as a fenced block whose fence is longer than any run of backticks in it."""
    body = _quoted(plain(text, limit))
    fence = "`" * max(3, _longest_run(body) + 1)
    return f"{fence}{language}\n{body.rstrip()}\n{fence}"


def fold(summary: str, body: str) -> str:
    """A folded section; `summary` is ours and may hold code spans rendered as HTML."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def marker(kind: str, subject: str) -> str:
    """The hidden marker by which a retry finds what an earlier try already made: the first line of its text."""
    safe = re.sub(r"[^A-Za-z0-9._/-]", "_", subject).replace("--", "_")
    return f"<!-- regreen:{kind}={safe} -->"


def is_marked(body: str | None, mark: str) -> bool:
    """Whether a text of ours carries this marker. Only its first line counts: further down it may quote anybody."""
    return (body or "").partition("\n")[0].strip() == mark


def _quoted(text: str) -> str:
    return _MARKER.sub(f"<!-{JOINER}", text)


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
