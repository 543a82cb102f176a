"""The Markdown of a pull request or comment → what a terminal has room for: its table, its attempts, plain text."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

ATTEMPT = "Attempt "
LEARNED = ("Facts, put together", "Reflection:")


@dataclass(frozen=True, slots=True)
class Digest:
    """The first paragraph, the rows of the first table, and a line or two for each attempt: how it went, its lesson."""

    opening: str
    table: tuple[tuple[str, ...], ...]
    log: tuple[str, ...]


def digest(markdown: str) -> Digest:
    """Read a body that Regreen wrote. Characters stand as a page shows them; markers, code and diffs are left out."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).disable("linkify").parse(markdown)
    paragraphs = tuple(_paragraphs(tokens))
    log = tuple(one for one in paragraphs if one.startswith((ATTEMPT, *LEARNED)))
    return Digest(paragraphs[0] if paragraphs else "", tuple(_rows(tokens)), log)


def _paragraphs(tokens: list[Token]) -> Iterator[str]:
    for opening, content in pairwise(tokens):
        if opening.type == "paragraph_open":
            yield _plain(content)


def _rows(tokens: list[Token]) -> Iterator[tuple[str, ...]]:
    row: list[str] = []
    for at, token in enumerate(tokens):
        if token.type in {"th_open", "td_open"}:
            row.append(_plain(tokens[at + 1]))
        elif token.type == "tr_close":
            yield tuple(row)
            row = []
        elif token.type == "table_close":
            return


def _plain(inline: Token) -> str:
    shown = (" " if one.type.endswith("break") else one.content for one in inline.children or ())
    return "".join(shown).replace("\N{WORD JOINER}", "").strip()
