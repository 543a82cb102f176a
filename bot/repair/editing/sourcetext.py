"""Bytes ↔ lines, such that every line that nobody touched comes back byte for byte."""

import codecs
import re
import tokenize
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass

from bot.errors import EditError

_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
_WIDE = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
PYTHON = (".py", ".pyi")


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text file: `lines` without their endings, `endings` of the same length; only the last may be empty.

    `mark` are the bytes before the text that tell its encoding, if there are any.
    """

    lines: tuple[str, ...]
    endings: tuple[str, ...]
    encoding: str = "utf-8"
    mark: bytes = b""

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
        old = [ending for ending in self.endings[start:stop] if ending]
        rest = len(new) - len(old)
        fresh = (*old[: len(new)], *((old[-1] if old else self.newline),) * rest)
        lines = self.lines[:start] + new + self.lines[stop:]
        endings = [*self.endings[:start], *fresh, *self.endings[stop:]]
        if self.endings and not self.endings[-1] and endings:
            # What stands last now has no ending either, and what stood last before has one if it does no longer.
            endings = [ending or self.newline for ending in endings[:-1]] + [""]
        return SourceText(lines, tuple(endings), self.encoding, self.mark)

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
        return self.mark + body


def split(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Lines and endings of a text; only LF, CRLF and CR end a line, as in Python's own reader."""
    pairs = [(match[1], match[2]) for match in _LINE.finditer(text) if match[0]]
    return tuple(line for line, _ in pairs), tuple(ending for _, ending in pairs)


def decode(path: str, data: bytes) -> SourceText:
    """Read a file's bytes; Python files by their cookie, others as UTF-8 and else Latin-1, which keeps every byte.

    Raises `EditError` for a binary file and for a Python file whose encoding is unknown or wrong.
    """
    mark, wide = _wide(data) if not path.endswith(PYTHON) else (b"", "")
    if b"\0" in data and not wide:
        raise EditError(f"{path} is a binary file", "Edit only text files.")
    mark = mark or (codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b"")
    body = data.removeprefix(mark)
    try:
        encoding = wide or (python_encoding(data) if path.endswith(PYTHON) else _plain_encoding(body))
        return SourceText(*split(body.decode(encoding)), encoding, mark)
    except (SyntaxError, LookupError, UnicodeDecodeError) as error:
        raise EditError(f"{path} cannot be decoded: {error}", "Edit another file.") from error


def is_wide(*files: bytes) -> bool:
    """Whether files are texts in UTF-16, and say so."""
    return all(_wide(data)[1] for data in files)


def _wide(data: bytes) -> tuple[bytes, str]:
    """The mark and the encoding of a file in UTF-16; empty for any other."""
    for mark, encoding in _WIDE:
        if data.startswith(mark):
            with suppress(UnicodeDecodeError):
                return (b"", "") if "\0" in data[len(mark) :].decode(encoding) else (mark, encoding)
    return b"", ""


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
