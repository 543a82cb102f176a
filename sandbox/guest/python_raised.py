"""What an exception tells, and what it came from or holds; beside the reporters for Python, standard library only.

Python 3.7 and later.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

MESSAGE = 4000
FRAMES = 16
CHAIN = 5
RELATED = 10
SAID = 160
LONG = 1000
LABEL = re.compile(r"\s*(?:[-+] |[A-Za-z][A-Za-z ]{0,14}: ?)?")
SCANNED = 200_000
ROOT = str(Path.cwd())


def message(error: BaseException, words: str = "") -> str:
    """Its words or those given, its notes, then a line for each exception that it came from or that it holds."""
    told = [words or said(error), *_notes(error)]
    links, held = list(_chain(error))[1:], list(_held(error))
    related = [how + _summary(link) for how, link in links] + ["sub-exception " + _summary(one) for one in held]
    end = "".join("\n" + line for line in related[:RELATED])
    return capped("\n".join(told), MESSAGE - len(end)) + end


def said(error: BaseException) -> str:
    """What `str` makes of it."""
    try:
        return str(error)
    except BaseException as broken:  # noqa: BLE001 (any code of the repository may run here)
        return "(no message: its __str__ raised " + type(broken).__name__[:SAID] + ")"


def frames(error: BaseException) -> list[list[Any]]:
    """Path, line, function and frame of each place in the repository, the innermost last; the outermost stays.

    A place that comes again, as in a recursion, stands where it came last. What a group holds comes after the group.
    """
    links = [link for _, link in _chain(error)][::-1] + list(_held(error))[:1]
    found: dict[tuple[Any, ...], list[Any]] = {}
    for link in links:
        for place in _traced(link):
            found.pop(tuple(place[:3]), None)
            found[tuple(place[:3])] = place
    places = list(found.values())
    return places if len(places) <= FRAMES else places[:1] + places[1 - FRAMES :]


def relative(path: str) -> str:
    """The path below the repository; empty for code elsewhere, and for code that has no file."""
    if not path or path.startswith("<"):
        return ""
    path = os.path.abspath(path)  # noqa: PTH100 (a link inside the repository stays what its frame calls it)
    return path[len(ROOT) + 1 :] if path.startswith(ROOT + os.sep) else ""


def capped(text: str, limit: int = MESSAGE) -> str:
    """A text that fits: first its long lines give way, then its middle."""
    if len(text) <= limit:
        return text
    text = "\n".join(_narrowed(text.split("\n")))
    return text if len(text) <= limit else text[: limit // 2] + "\n[...]\n" + text[-limit // 2 :]


def _narrowed(lines: list[str]) -> list[str]:
    """Long lines around the place where they differ from the long line next to them, as two values compared do."""
    long = [at for at, line in enumerate(lines) if len(line) > LONG and not line.lstrip().startswith("?")]
    shown = [line if len(line) <= LONG else line[: LONG // 2] + "..." + line[-LONG // 2 :] for line in lines]
    for at, other in zip(long, long[1:] + long[-2:-1]):  # noqa: B905 (not before Python 3.10)
        label = LABEL.match(lines[at])[0]  # type: ignore[index]  # it matches nothing too
        one, two = lines[at][len(label) : SCANNED], LABEL.sub("", lines[other], 1)[:SCANNED]
        start = len(os.path.commonprefix([one, two])) - LONG // 4  # noqa: RUF071 (of texts, letter by letter)
        if start > LONG // 4:
            shown[at] = label + "..." + one[start : start + LONG // 2] + "..."
    return shown


def _chain(error: BaseException) -> Iterator[tuple[str, BaseException]]:
    how, link, left = "", error, CHAIN
    while link is not None and left:
        yield how, link
        how = "caused by " if link.__cause__ is not None else "while handling "
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)  # type: ignore[assignment]
        left -= 1


def _held(error: BaseException, depth: int = CHAIN) -> Iterator[BaseException]:
    """The exceptions in a group that are no groups themselves."""
    if not hasattr(type(error), "derive"):
        return
    parts = getattr(error, "exceptions", ())
    for part in parts if isinstance(parts, tuple) else ():
        if isinstance(part, BaseException) and depth:
            inner = list(_held(part, depth - 1))
            yield from inner or [part]


def _notes(error: BaseException) -> list[str]:
    try:
        notes = getattr(error, "__notes__", ())
    except BaseException:  # noqa: BLE001 (as above)
        return []
    return [note for note in notes if isinstance(note, str)] if isinstance(notes, (list, tuple)) else []


def _summary(error: BaseException) -> str:
    words = said(error).strip().partition("\n")[0]
    return (type(error).__name__ + (": " + words if words else ""))[:SAID]


def _traced(error: BaseException) -> Iterator[list[Any]]:
    trace = error.__traceback__
    while trace is not None:
        path = relative(trace.tb_frame.f_code.co_filename)
        if path:
            yield [path, trace.tb_lineno, trace.tb_frame.f_code.co_name, trace.tb_frame]
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename and relative(error.filename):
        yield [relative(error.filename), error.lineno or 1, "", None]
