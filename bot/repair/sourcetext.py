"""Bytes ↔ lines, such that every line that nobody touched comes back byte for byte."""

import codecs
import re
import tokenize
from collections import Counter
from dataclasses import dataclass

from bot.errors import EditError

_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text file: `lines` without their endings, `endings` of the same length; only the last may be empty."""

    lines: tuple[str, ...]
    endings: tuple[str, ...]
    encoding: str = "utf-8"
    bom: bool = False

    @property
    def text(self) -> str:
        """The lines joined by line feeds, whatever the file's own endings are."""
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def newline(self) -> str:
        """The most frequent line ending; a line feed where there is none."""
        counts = Counter(ending for ending in self.endings if ending)
        return counts.most_common(1)[0][0] if counts else "\n"

    def splice(self, start: int, stop: int, new: tuple[str, ...]) -> "SourceText":
        """Replace the lines [start, stop); a missing final newline stays missing, mixed endings stay as they are."""
        shared = min(stop - start, len(new))
        head = next((at for at in range(shared) if self.lines[start + at] != new[at]), shared)
        tail = next((at for at in range(shared - head) if self.lines[stop - 1 - at] != new[-1 - at]), shared - head)
        start, stop, new = start + head, stop - tail, new[head : len(new) - tail]
        newline = self.endings[start] if start < stop and self.endings[start] else self.newline
        lines = self.lines[:start] + new + self.lines[stop:]
        endings = self.endings[:start] + (newline,) * len(new) + self.endings[stop:]
        if endings and stop == len(self.lines) and self.endings and not self.endings[-1]:
            endings = (*endings[:-1], "")
        return SourceText(lines, endings, self.encoding, self.bom)

    def encode(self) -> bytes:
        """The file as bytes. Raises `EditError` when a character does not exist in the file's encoding."""
        text = "".join(line + ending for line, ending in zip(self.lines, self.endings, strict=True))
        try:
            body = text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise EditError(
                f"The new text holds {error.object[error.start]!r}, which does not exist in {self.encoding}",
                "Use only characters of the file's own encoding, or escapes.",
            ) from error
        return codecs.BOM_UTF8 + body if self.bom else body


def split(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Lines and endings of a text; only LF, CRLF and CR end a line, as in Python's own reader."""
    pairs = [(match[1], match[2]) for match in _LINE.finditer(text) if match[0]]
    return tuple(line for line, _ in pairs), tuple(ending for _, ending in pairs)


def decode(path: str, data: bytes) -> SourceText:
    """Read a file's bytes; Python files by their cookie, others as UTF-8 and else Latin-1, which keeps every byte.

    Raises `EditError` for a binary file and for a Python file whose encoding is unknown or wrong.
    """
    if b"\0" in data:
        raise EditError(f"{path} is a binary file", "Edit only text files.")
    bom = data.startswith(codecs.BOM_UTF8)
    body = data.removeprefix(codecs.BOM_UTF8)
    try:
        encoding = python_encoding(data) if path.endswith((".py", ".pyi")) else _plain_encoding(body)
        text = body.decode(encoding)
    except (SyntaxError, LookupError, UnicodeDecodeError) as error:
        raise EditError(f"{path} cannot be decoded: {error}", "Edit another file.") from error
    return SourceText(*split(text), encoding, bom)


def python_encoding(data: bytes) -> str:
    """The encoding that a Python file declares (PEP 263), without the BOM. Raises `SyntaxError` for an unknown one."""
    encoding, _ = tokenize.detect_encoding(iter(data.splitlines(keepends=True)).__next__)
    return "utf-8" if encoding == "utf-8-sig" else encoding


def _plain_encoding(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"
