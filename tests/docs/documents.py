"""The documentation as values: pages with their links, headings and fenced blocks."""

import itertools
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
SHELL = frozenset({"sh", "bash", "shell", "console"})


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, what is said of it after that, its text, and where it begins."""

    page: str
    line: int
    language: str
    said: str
    text: str

    def __str__(self) -> str:
        """For the names of tests."""
        return f"{self.page}:{self.line}"

    @property
    def commands(self) -> tuple[str, ...]:
        """Its lines without comments, those that end in a backslash joined with the next."""
        joined = self.text.replace("\\\n", " ")
        bare = (re.sub(r"(^|\s)#.*$", "", line).strip() for line in joined.splitlines())
        return tuple(line for line in bare if line)

    @property
    def kind(self) -> str:
        """What is done with its commands: `run`, `starts`, `settings`, `by-hand`; empty for what has no mark."""
        return (self.said.partition(":")[0].split() or [""])[0]

    @property
    def words(self) -> frozenset[str]:
        """What else is said: where it is run, and whether that takes a container engine."""
        return frozenset(self.said.split()[1:]) if self.kind != "by-hand" else frozenset()


@dataclass(frozen=True, slots=True)
class Page:
    """One Markdown file; `name` is its path from the root of the repository."""

    name: str
    blocks: tuple[Block, ...]
    links: tuple[str, ...]
    code: tuple[str, ...]
    """What stands between backticks."""
    anchors: frozenset[str]


@cache
def pages() -> tuple[Page, ...]:
    """Every page that a reader is led to, in the order of their names."""
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return tuple(_page(path) for path in sorted(found))


def blocks() -> tuple[Block, ...]:
    """Every fenced block of every page."""
    return tuple(block for page in pages() for block in page.blocks)


def output_of(block: Block) -> Block | None:
    """What the page shows of a block's output: the next block, where it is marked `output`."""
    (page,) = [page for page in pages() if page.name == block.page]
    after = page.blocks[page.blocks.index(block) + 1 :]
    return after[0] if after and after[0].kind == "output" else None


def _page(path: Path) -> Page:
    name = str(path.relative_to(ROOT))
    tokens = MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8"))
    inline = [child for token in tokens for child in token.children or ()]
    links = [str(token.attrs["href"]) for token in inline if token.type == "link_open"]
    links += [str(token.attrs["src"]) for token in inline if token.type == "image"]
    code = tuple(token.content for token in inline if token.type == "code_inline")
    fences = tuple(_block(name, token) for token in tokens if token.type == "fence")
    return Page(name, fences, tuple(links), code, _anchors(tokens))


def _block(page: str, token: Token) -> Block:
    language, _, said = token.info.strip().partition(" ")
    return Block(page, token.map[0] + 1 if token.map else 0, language, said.strip(), token.content)


def _anchors(tokens: list[Token]) -> frozenset[str]:
    """As GitHub makes them of headings."""
    headings = [after.content for token, after in itertools.pairwise(tokens) if token.type == "heading_open"]
    return frozenset(re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings)
