"""`make edits`: every case through the ladder, the failing ones named, and one line of JSON at the end."""

import json
import re
import sys
from collections.abc import Iterator

from corpus.edits import answers, creations, elisions, encodings, formats, places, refusals, scripts
from corpus.edits.case import Case

from bot.errors import EditError
from bot.repair.editing.edits import apply
from bot.repair.protection import Protection

MODULES = (encodings, places, formats, elisions, answers, scripts, creations, refusals)
LANDED, MISPLACED, REFUSED = "landed", "misplaced", "refused"
NEEDED = 0.99


def cases() -> Iterator[tuple[str, Case]]:
    """Every case under a name of its own."""
    for module in MODULES:
        for case in module.CASES:
            yield f"{module.__name__.rpartition('.')[2]}: {case.name}", case


def outcome(case: Case) -> tuple[str, str]:
    """What became of a case, and what is wrong with that; the latter is empty when it is as it has to be."""
    try:
        applied = apply(
            case.reply,
            case.finish_reason,
            case.files,
            default_path=case.default_path,
            known=(*case.files, *case.unread),
            creatable=Protection(links=frozenset(case.links)).is_source,
        )
    except EditError as error:
        if case.lands:
            return REFUSED, f"refused: {error}"
        fits = re.search(case.refused, str(error), re.DOTALL)
        named = re.match(r"[A-Z].{10,}", error.remedy, re.DOTALL)
        return REFUSED, "" if fits and named else f"another reason than /{case.refused}/: {error}"
    written = {change.path: change.content for change in applied.patch.changes}
    if written == dict(case.lands):
        return LANDED, ""
    return MISPLACED, f"landed as {written!r}"


def main() -> int:
    """Print the failing cases and the counts; 0 when the target is met."""
    found = [(name, case, *outcome(case)) for name, case in cases()]
    wrong = [(name, problem) for name, _, _, problem in found if problem]
    for name, problem in wrong:
        print(f"{name}\n    {problem[:600]}")
    counts = {kind: sum(result == kind for _, _, result, _ in found) for kind in (LANDED, MISPLACED, REFUSED)}
    landable = sum(bool(case.lands) for _, case, _, _ in found)
    reasons = not any(problem and not case.lands for _, case, _, problem in found)
    met = counts[LANDED] >= NEEDED * landable and counts[MISPLACED] == 0 and reasons
    print(json.dumps({"cases": len(found), **counts, "met": met}))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
