"""What a pull request and a comment say of flags on a fix, and of tests that look wrong. Pure text from values."""

from bot.pipeline.reports.markdown import inline
from bot.pipeline.texts import Heading, Report
from bot.policy import Language
from bot.repair.integrity.remarks import Remarks

MAX_LINES = 10
MAX_TEXT = 400


def remarked(remarks: Remarks, language: Language = "en") -> str:
    """A section for each kind of remark; empty where there are none."""
    parts = (Heading.FLAGGED, Report.FLAGGED, remarks.flags), (Heading.IN_DOUBT, Report.DOUBTED, remarks.doubts)
    return "".join(
        _section(heading.say(language), text.say(language), lines, language) for heading, text, lines in parts
    )


def _section(heading: str, text: str, lines: tuple[str, ...], language: Language) -> str:
    if not lines:
        return ""
    shown = [f"- {inline(line, MAX_TEXT)}" for line in lines[:MAX_LINES]]
    more = [f"- {Report.MORE.say(language, count=len(lines) - MAX_LINES)}"] if len(lines) > MAX_LINES else []
    return "\n".join([f"{heading}\n", f"{text}\n", *shown, *more, "", ""])
