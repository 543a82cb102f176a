"""Lines of shell as plain commands: read to learn what they say, never run.

Understood are words, quotes, `&&`, `;`, variables that are known, `cd`, `export` and assignments before a command. What
is conditional (`if`, `for`, `case`, what follows `||`), piped into something, or substituted is left out; the place of
a value that is not known holds `UNKNOWN`.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from posixpath import join, normpath

from sandbox.detect import work

UNKNOWN = "\ue000"
ROOT = "/repo"
MAX_TEXT = 16 * 1024
MAX_LINE = 2000
MAX_COMMANDS = 100

_SUBSTITUTED = re.compile(r"\$\([^()]*\)|`[^`]*`")
_VARIABLE = re.compile(r"\$(?:(\w++)|\{(\w++)(?:(:?[-=])([^{}$]*+))?[^{}]*+\})")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)")
_OPENING = frozenset({"if", "for", "while", "until", "case", "function", "select"})
_CLOSING = frozenset({"fi", "done", "esac"})
_ENDS = frozenset({"&&", ";", "&", ";;"})


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its words, the variables it is given, its directory below the root, and where it stands.

    `redirects` are the words that send its streams elsewhere; `partial` says that something else has a part in it: what
    it is piped into, or what is run where it fails.
    """

    words: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    directory: str = ""
    source: str = ""
    redirects: tuple[str, ...] = ()
    partial: bool = False


@dataclass(slots=True)
class Place:
    """Where a piece of shell stands: `path`, the `line` of its first line, the variables and directory it starts in."""

    path: str
    line: int = 1
    environment: Mapping[str, str] = field(default_factory=dict)
    directory: str = ""


def commands(script: str, place: Place) -> tuple[Command, ...]:
    """The commands of a script, at most `MAX_COMMANDS`; what cannot be read is left out."""
    found: list[Command] = []
    state = _State(place)
    work.spend(min(len(script), MAX_TEXT) + 20)
    for offset, line in _lines(script[:MAX_TEXT]):
        if len(line) <= MAX_LINE:
            found += state.read(line, f"{place.path}:{place.line + offset}")
        if len(found) >= MAX_COMMANDS:
            break
    return tuple(found[:MAX_COMMANDS])


def below(directory: str, path: str) -> str:
    """A path relative to the root, which may be called /repo; `UNKNOWN` where it leaves it."""
    whole = normpath(join(directory, path))
    whole = normpath(whole.removeprefix(ROOT).lstrip("/")) if whole == ROOT or whole.startswith(f"{ROOT}/") else whole
    return UNKNOWN if whole.startswith(("..", "/")) else whole


def expand(word: str, values: Mapping[str, str]) -> str:
    """A word with its variables replaced, by `UNKNOWN` where they are not known; one that grows too long is not."""

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        return values.get(name, match[4] if match[3] else UNKNOWN)

    grown = work.replaced(_VARIABLE, value, word)
    if grown is not None:
        return grown
    # The variable that is given such a value is not known either.
    assigned = _ASSIGNMENT.fullmatch(word)
    return f"{assigned[1]}={UNKNOWN}" if assigned else UNKNOWN


def _lines(script: str) -> Iterator[tuple[int, str]]:
    """Logical lines with their offset, here-documents left out."""
    start, parts = 0, list[str]()
    ending = ""
    for offset, line in enumerate(script.splitlines()):
        if ending:
            ending = "" if line.strip() == ending else ending
            continue
        start = start if parts else offset
        if line.rstrip().endswith("\\"):
            parts.append(line.rstrip()[:-1])
            continue
        whole, parts = " ".join([*parts, line]), []
        if found := _HEREDOC.search(whole):
            ending = found[1]
        elif whole.strip():
            yield start, whole
    if parts:
        yield start, " ".join(parts)


class _State:
    """What earlier lines of a script decided."""

    def __init__(self, place: Place) -> None:
        self.values = dict(place.environment)
        self.exported = dict(place.environment)
        self.directory = place.directory
        self.depth = 0

    def read(self, line: str, source: str) -> Iterator[Command]:
        try:
            # Each substitution ends at the next parenthesis, so that this stays linear.
            lexer = shlex.shlex(_SUBSTITUTED.sub(UNKNOWN, line), posix=True, punctuation_chars=True)
            lexer.whitespace_split = True
            words = list(lexer)
        except ValueError:
            return
        for piece in _pieces(words):
            yield from self._read(piece, source)

    def _read(self, piece: "_Piece", source: str) -> Iterator[Command]:
        first = piece.words[0] if piece.words else ""
        if first in _CLOSING:
            self.depth = max(0, self.depth - 1)
        elif first in _OPENING:
            self.depth += 1
        elif first and not self.depth and first not in {"then", "else", "elif", "do", "{", "}"}:
            piece.redirects = [_redirect(word, self.values) for word in piece.redirects]
            yield from self._command([expand(word, self.values) for word in piece.words], piece, source)

    def _command(self, words: list[str], piece: "_Piece", source: str) -> Iterator[Command]:
        own: dict[str, str] = {}
        while words and (match := _ASSIGNMENT.fullmatch(words[0])):
            own[match[1]] = match[2]
            words = words[1:]
        if not words:
            self.values |= own
        elif words[0] in {"export", "set"}:
            pairs = (match for word in words[1:] if (match := _ASSIGNMENT.fullmatch(word)))
            work.spend(len(self.exported))
            self.exported |= {match[1]: match[2] for match in pairs}
            self.values |= self.exported
        elif words[0] == "cd":
            self.directory = below(self.directory, words[1]) if len(words) > 1 else UNKNOWN
        elif UNKNOWN not in self.directory:
            work.spend(len(self.exported) + len(own))
            environment = tuple({**self.exported, **own}.items())
            yield Command(
                tuple(words), environment, self.directory, source, tuple(piece.redirects), partial=piece.partial
            )


@dataclass(slots=True)
class _Piece:
    words: list[str] = field(default_factory=list)
    redirects: list[str] = field(default_factory=list)
    partial: bool = False


def _redirect(word: str, values: Mapping[str, str]) -> str:
    """An operator with its target, which is quoted."""
    operator, mark, target = word.partition(" ")
    return operator + shlex.quote(expand(target, values)) if mark else operator


def _pieces(words: Iterable[str]) -> Iterator[_Piece]:
    """The commands of one line; what is piped into, redirected to, or only done when something failed is left out."""
    piece = _Piece()
    skipped = redirected = False
    for word in words:
        if word in _ENDS:
            yield piece
            piece, skipped, redirected = _Piece(), False, False
        elif set(word) <= set("|()"):
            piece.partial, skipped, redirected = True, skipped or "|" in word, False
        elif set(word) <= set("<>&"):
            stream = piece.words.pop() if word[0] != "&" and piece.words[-1:] in (["1"], ["2"]) else ""
            piece.redirects += [stream + word] if not skipped else []
            redirected = True
        elif redirected:
            piece.redirects[-1:] = [f"{one} {word}" for one in piece.redirects[-1:]] if not skipped else []
            redirected = False
        elif not skipped:
            piece.words.append(word)
    yield piece
