"""`/regreen WORD` in a comment: what a person asks for. Pure, and linear in the comment.

A command is the first word of a line that GitHub renders as prose. What is quoted, in a code block or hidden is no
command; in doubt a line is none, since a command spends money and a comment can be written again.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from bot.visible import without_code, without_hidden

MAX_ARGUMENT = 200

_COMMAND = re.compile(r" {0,3}/regreen(?:[ \t]+(\S.*))?[ \t]*", re.IGNORECASE)
_DIGEST = re.compile(r"[0-9a-f]{8,64}")
_LINES = re.compile(r"\r\n|\r|\n")
_FENCE = re.compile(r"((?:[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t])*)(`{3,}|~{3,})(.*)")
_CLOSED = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*")
_HIDING = re.compile(r"<!--|<\?|<(pre|script|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
_ENDS = {"--": re.compile(r"-->"), "?": re.compile(r"\?>")} | {
    tag: re.compile(rf"</{tag}>", re.IGNORECASE) for tag in ("pre", "script", "style", "textarea")
}
_MARK = "\ufffc"


class Word(StrEnum):
    """What can be asked for. `HELP` is anything else behind `/regreen`: whoever wrote it expects an answer."""

    FIX = "fix"
    RETRY = "retry"
    STOP = "stop"
    STATUS = "status"
    EXPLAIN = "explain"
    APPROVE = "approve"
    PAUSE = "pause"
    RESUME = "resume"
    HELP = "help"


@dataclass(frozen=True, slots=True)
class Request:
    """One command. `argument` is the rest of its line; for `APPROVE` a digest's first digits, or nothing."""

    word: Word
    argument: str = ""


def parse(comment: str) -> Request | None:
    """The first command of a comment, `None` where there is none."""
    shown = {_asked(one) for one in _requests(without_hidden(comment))}
    return next((one for one in _requests(comment) if _asked(one) in shown), None)


def _asked(request: Request) -> Request | Word:
    """What has to be the same once all that is hidden is left out: of other words that may change."""
    return request if request.word is Word.APPROVE else request.word


def _requests(comment: str) -> Iterator[Request]:
    for is_blank, lines in groupby(_prose(comment), key=lambda line: not line.strip()):
        for line in () if is_blank else without_code("\n".join(lines), _MARK).split("\n"):
            if match := _COMMAND.fullmatch(line):
                yield _request((match[1] or "").strip())


def _request(said: str) -> Request:
    name, _, rest = said.replace("\t", " ").partition(" ")
    argument = rest.strip()[:MAX_ARGUMENT]
    try:
        word = Word(name.lower())
    except ValueError:
        return Request(Word.HELP, said[:MAX_ARGUMENT])
    if word is Word.APPROVE:
        digits = argument.lower()
        # other words on the line may take the approval back: "approve this later"
        return Request(word, digits) if not digits or _DIGEST.fullmatch(digits) else Request(Word.HELP, said)
    return Request(word, argument)


def _prose(comment: str) -> Iterator[str]:
    """The lines that are neither quoted nor code nor hidden; see https://github.github.com/gfm/."""
    fence, closing, quoted, reach = "", "", False, 0
    for line in _LINES.split(comment):
        if fence:
            end = _CLOSED.fullmatch(line)
            if end and end[2][0] == fence[0] and len(end[2]) >= len(fence) and _width(end[1]) <= reach:
                fence = ""
            continue
        opened = None if closing else _FENCE.fullmatch(line)
        if opened and not (opened[2][0] == "`" and "`" in opened[3]):
            fence, reach, quoted = opened[2], _width(opened[1]) + 3, False
            yield ""
            continue
        # A line right below a quote still belongs to it.
        quoted = line.lstrip().startswith(">") or (quoted and bool(line.strip()))
        shown, closing = _opened(line, closing)
        yield "" if quoted else shown


def _width(blanks: str) -> int:
    return len(blanks.expandtabs(4))


def _opened(line: str, closing: str = "") -> tuple[str, str]:
    """What a line shows beside what is hidden or preformatted, and what ends that where the line does not.

    `closing` is what an earlier line left open. A mark stands where something was left out, so that what follows it
    does not become the first word of the line.
    """
    shown, at = [], 0
    while True:
        if closing:
            end = _ENDS[closing].search(line, at)
            shown.append(_MARK)
            if end is None:
                return "".join(shown), closing
            closing, at = "", end.end()
        begun = _HIDING.search(line, at)
        if begun is None:
            return "".join([*shown, line[at:]]), ""
        shown.append(line[at : begun.start()])
        # An empty comment, `<!-->`, ends with the dashes that it begins with.
        closing = (begun[1] or "").lower() or ("?" if begun[0] == "<?" else "--")
        at = begun.start() + (2 if begun[1] is None else 1)
