"""What a pull request and a comment say of flags on a fix, and of tests that look wrong. Pure text from values."""

from bot.pipeline.reports.markdown import inline
from bot.repair.integrity.remarks import Remarks

MAX_LINES = 10
MAX_TEXT = 400
_FLAGGED = "Look at these lines first: a patch that only pleases its tests would hold them, too. So this is a draft."
_DOUBTED = "A test is never edited here, but these may themselves be wrong:"


def remarked(remarks: Remarks) -> str:
    """A section for each kind of remark; empty where there are none."""
    return _section("### Flagged\n", _FLAGGED, remarks.flags) + _section(
        "### Tests in doubt\n", _DOUBTED, remarks.doubts
    )


def _section(heading: str, text: str, lines: tuple[str, ...]) -> str:
    if not lines:
        return ""
    shown = [f"- {inline(line, MAX_TEXT)}" for line in lines[:MAX_LINES]]
    more = [f"- and {len(lines) - MAX_LINES} more"] if len(lines) > MAX_LINES else []
    return "\n".join([heading, f"{text}\n", *shown, *more, "", ""])
