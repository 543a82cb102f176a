"""Text as a reader of GitHub's page sees it. Pure; what a person cannot see must not tell a model anything."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt

_LINE = re.compile(r"\r\n?")
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001d159\U000e0000-\U000e0fff]"
)
"""What fonts draw as nothing although Unicode calls it a letter, a mark or a symbol.

Source: https://www.unicode.org/Public/UCD/latest/ucd/DerivedCoreProperties.txt, Default_Ignorable_Code_Point
"""

_MAY_HIDE = re.compile(r"<[A-Za-z/!?]|\]:|!\[|```|~~~")
_NOTHING = r"<!--(?:-?>|.*?(?:-->|\Z))|<\?.*?(?:\?>|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<![A-Za-z][^>]*(?:>|\Z)"
_GAP = r"(?:\s|(?<=\n)>|(?<=\n[ >])>)++"
"""Between attributes, a new line of a quote included."""
_ATTRIBUTE = rf"""{_GAP}[A-Za-z_:][\w.:-]*+(?:\s*+=\s*+(?:[^\s"'=<>`]++|'[^']*+'|"[^"]*+"))?"""
_PICTURE = r"!\[(?:[^\[\]\\]|\\.|\[[^\[\]]*+\])*+\]\((?:[^()\n\\]|\\.|\([^()\n]*+\))*+\)"
_IN_PROSE = re.compile(
    rf"\\.|(?P<ticks>`+)|(?P<picture>{_PICTURE})|{_NOTHING}"
    rf"|<(?P<end>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*+)(?P<rest>(?:{_ATTRIBUTE})*+(?:{_GAP})?/?)>",
    re.DOTALL,
)
_IN_HTML = re.compile(
    rf"{_NOTHING}|<(?P<end>/?)(?P<name>[A-Za-z][^\s/>]*+)"
    r"""(?P<rest>(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^"'>])*+)(?:>|\Z)""",
    re.DOTALL,
)
_TICKS = re.compile(r"\\.|`+", re.DOTALL)
_QUOTED = re.compile(r"""=\s*(?:"[^"]*"?|'[^']*'?)""")
_HIDDEN = re.compile(r"(?<!\S)hidden(?![^\s=/])", re.IGNORECASE)
_OPENING = re.compile(r"((?:`{3,}|~{3,})[ \t]*\S*).*")
_UNSHOWN = {"script", "style", "template"}
_VOID = {"br", "hr", "img", "input", "source", "wbr"}
_TAGS = _VOID | {
    "a", "b", "blockquote", "code", "dd", "del", "details", "div", "dl", "dt", "em", "h1", "h2", "h3", "h4", "h5", "h6",
    "i", "ins", "kbd", "li", "ol", "p", "pre", "q", "s", "samp", "span", "strike", "strong", "sub", "summary", "sup",
    "table", "tbody", "td", "tfoot", "th", "thead", "tr", "tt", "u", "ul", "var",
}  # fmt: skip
"""Elements that a page may show; their names stay, without attributes. Of others only the text between is shown."""

_BLOCKS = MarkdownIt("commonmark")
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])


def without_hidden(text: str) -> str:
    """Markdown without what its page does not show; code stays as it is, other blanks become spaces.

    Left out are HTML comments, instructions (`<?…?>`) and attributes, elements that are hidden, definitions of links,
    pictures with their descriptions, words behind a code block's language, and what `without_invisible` leaves out.
    """
    text = _LINE.sub("\n", text)
    if _MAY_HIDE.search(text):
        page = _Page()
        text = "\n".join(shown for part in _parts(text) if (shown := page.shown(part)) is not None)
    return without_invisible(text)


def without_invisible(text: str) -> str:
    """No invisible, bidirectional or control characters; what Markdown hides is kept."""
    seen = _BLANK.sub("", text)
    return "".join(map(_shown, seen)) if not seen.isascii() or not seen.isprintable() else seen


def _shown(letter: str) -> str:
    if letter.isprintable() or letter in "\n\t":
        return letter
    return " " if unicodedata.category(letter) == "Zs" else ""


@dataclass(frozen=True, slots=True)
class _Part:
    """Some lines; `kind` is a token's type in markdown-it's words, or `definition`."""

    kind: str
    text: str


def _parts(text: str) -> Iterator[_Part]:
    """The blocks of a text with every line of it, in order."""
    lines = text.split("\n")
    found: dict[str, Any] = {}
    known = [(one.map, one.type) for one in _BLOCKS.parse(text.replace("\0", "\ufffd"), found) if one.map]
    spans = [
        (span[0], span[1], kind) for span, kind in known if kind in {"inline", "html_block", "fence", "code_block"}
    ]
    defined = [*found.get("references", {}).values(), *found.get("duplicate_refs", [])]
    spans += [(one["map"][0], one["map"][1], "definition") for one in defined]
    at = 0
    for first, last, kind in sorted(spans):
        if first > at:
            yield _Part("inline", "\n".join(lines[at:first]))
        if last > max(first, at):
            yield _Part(kind, "\n".join(lines[max(first, at) : last]))
        at = max(at, last)
    if at < len(lines):
        yield _Part("inline", "\n".join(lines[at:]))


class _Page:
    """Shows part after part; an element that is hidden may end in a later one."""

    def __init__(self) -> None:
        self._hidden, self._depth = "", 0

    def shown(self, part: _Part) -> str | None:
        """What a page shows of it, `None` where that is not even a line."""
        match part.kind:
            case "definition":
                return None
            case "code_block":
                return None if self._hidden else part.text
            case "fence":
                return None if self._hidden else _OPENING.sub(r"\1", part.text, count=1)
            case _:
                pattern = _IN_HTML if part.kind == "html_block" else _IN_PROSE
                return "".join(self._pieces(part.text, pattern))

    def _pieces(self, text: str, pattern: re.Pattern[str]) -> Iterator[str]:
        ticks = _Ticks(text)
        at = 0
        while found := pattern.search(text, at):
            if not self._hidden:
                yield text[at : found.start()]
            at = found.end()
            groups = found.groupdict()
            if groups.get("ticks"):
                at = ticks.end(found)
            was_hidden = bool(self._hidden)
            if groups["name"]:
                self._tag(groups["name"].lower(), groups["rest"], ends=bool(groups["end"]))
            if not was_hidden and not self._hidden:
                yield _kept(found, text[found.start() : at])
        if not self._hidden:
            yield text[at:]

    def _tag(self, name: str, rest: str, *, ends: bool) -> None:
        """Go into a hidden element, or towards the end of the one that hides."""
        if name in _VOID:
            return
        if self._hidden:
            self._depth += (-1 if ends else 1) * (name == self._hidden)
            self._hidden = self._hidden if self._depth else ""
        elif not ends and (name in _UNSHOWN or _HIDDEN.search(_QUOTED.sub("=", rest))):
            self._hidden, self._depth = name, 1


def _kept(found: re.Match[str], text: str) -> str:
    groups = found.groupdict()
    if text.startswith(("\\", "`")):
        return text
    name = groups["name"] or ""
    if name.lower() not in _TAGS:
        return ""
    return f"<{groups['end']}{name}>" if groups["rest"].strip(" \t\n/>") else text


def without_code(text: str, mark: str) -> str:
    """A paragraph with a mark in place of each code span of it, however many lines that has."""
    ticks, kept, at = _Ticks(text), [], 0
    while found := _TICKS.search(text, at):
        end = ticks.end(found) if found[0].startswith("`") else found.end()
        kept += [text[at : found.start()], found[0] if end == found.end() else mark]
        at = end
    return "".join([*kept, text[at:]])


class _Ticks:
    """Where code that begins with some backticks ends."""

    def __init__(self, text: str) -> None:
        self._starts: dict[int, list[int]] = {}
        for run in re.finditer(r"`+", text):
            self._starts.setdefault(len(run[0]), []).append(run.start())

    def end(self, found: re.Match[str]) -> int:
        """Behind the next run of as many; where there is none, these are backticks and no code."""
        size = found.end() - found.start()
        starts = self._starts.get(size, [])
        at = bisect_right(starts, found.start())
        return starts[at] + size if at < len(starts) else found.end()
