"""The last bound on a text for GitHub: what is too long ends at the end of a section, with a note. Pure text."""

import re
from dataclasses import dataclass

from bot.pipeline.texts import Report
from bot.policy import Language

MAX_BODY = 65_535
"""Characters; of a check's summary GitHub takes this many, of a comment and a pull request's body one more."""
_FENCE = re.compile(r"(`{3,})[^`]*$")
_OPENS, _CLOSES = "<details>", "</details>"


@dataclass(frozen=True, slots=True)
class _Open:
    """What is open after a line: a fence (empty: none), and how many folded sections."""

    fence: str = ""
    folds: int = 0

    def after(self, line: str) -> "_Open":
        if self.fence:
            ends = not line.strip("`") and len(line) >= len(self.fence)
            return _Open("" if ends else self.fence, self.folds)
        if found := _FENCE.match(line):
            return _Open(found[1], self.folds)
        folds = self.folds + line.startswith(_OPENS) - line.startswith(_CLOSES)
        return _Open("", max(folds, 0))

    @property
    def closing(self) -> str:
        return (f"\n{self.fence}" if self.fence else "") + f"\n\n{_CLOSES}" * self.folds


def fitted(text: str, limit: int = MAX_BODY, page: str = "", language: Language = "en") -> str:
    """The text, cut to `limit` characters with a note; fences and folded sections that are open there are closed.

    `page` is the address where all of it stands, if there is one; the note leads there.

    It ends before an empty line outside of a fence, unless that left out more than half of what fits: then after some
    line. Its first line, which holds the marker, stays whole where that fits.
    """
    if len(text) <= limit:
        return text
    note = _note(page, language)
    room = limit - len(note)
    state, end, after_line, after_section = _Open(), 0, (0, ""), (0, "")
    for line in text.split("\n"):
        if end > room:
            break
        if not line and not state.fence:
            after_section = after_line
        state = state.after(line)
        end += len(line) + 1
        if end - 1 + len(state.closing) <= room:
            after_line = (end - 1, state.closing)
    stop, closing = after_section if 2 * after_section[0] >= after_line[0] else after_line
    return text[: stop or room] + closing + note


def _note(page: str, language: Language) -> str:
    there = f" {Report.WHOLE_RUN.say(language, page=page)}." if page else ""
    return f"\n\n{Report.CUT.say(language)}{there}\n"
