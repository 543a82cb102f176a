"""What is said in a thread and of a whole follow-up: what was done, and what nobody has shown. Pure text."""

import re
from dataclasses import dataclass

from bot.pipeline.followups.threads import Thread
from bot.pipeline.reports.markdown import code, inline

SHORT = 12
MAX_SAID = 1_500
_CAUSE = re.compile(r"^\W*CAUSE\W*:(.+?)(?=^\W*PREDICTION\b|\Z)", re.IGNORECASE | re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Made:
    """A commit that was pushed: what it changes, what tests show of it, and whether a search came upon it.

    `test` is the path of the test that was written for it, if one was.
    """

    sha: str
    paths: tuple[str, ...]
    explanation: str
    fixed: int
    passing: int
    unshown: bool
    low_trust: bool = False
    test: str = ""


def done(thread: Thread, made: Made) -> str:
    """The answer in a thread once something was pushed. It never claims what nobody has measured."""
    commit = made.sha[:SHORT]
    if thread.path in made.paths:
        head = f"Changed in {commit}: {inline(_why(made.explanation) or 'no explanation was given', MAX_SAID)}"
    else:
        head = (
            f"{commit} was made for this review, but it changes nothing in {code(thread.path)}: see whether it answers "
            "this."
        )
    return f"{head}\n\n{shown(made)}"


def shown(made: Made) -> str:
    """What tests show of a commit, and what they do not."""
    guard = f"all {made.passing} tests that passed before still pass"
    if made.unshown:
        return f"No test shows this change; {guard}. Read it."
    trust = " It comes from a search that tried small edits, not from an understanding of the code." * made.low_trust
    return f"{tests(made)}; {guard}. What is asked for beyond that is shown by no test.{trust}"


def tests(made: Made) -> str:
    """Which tests a commit turned green."""
    if made.test:
        return f"A new test in {code(made.test)}, which nobody has reviewed, failed before and passes now"
    return "1 failing test is green" if made.fixed == 1 else f"{made.fixed} failing tests are green"


def not_done(reason: str) -> str:
    """The answer in a thread that nothing was pushed for."""
    return f"Not done: {_sentence(reason)}"


def left_out(thread: Thread) -> str:
    """The answer in a thread that was not worked on."""
    return f"Not worked on: {_sentence(thread.left_out)}"


def unshown_note(passing: int, *, tried: bool = False) -> str:
    """The report's part on a change that no test shows, though one may have been `tried` to be written."""
    why = "Nothing was red, and no test could be written that shows it" if tried else "Nothing was red"
    return (
        f"> [!NOTE]\n> {why}, so this was made from words alone: no test shows that it does what was asked for. All "
        f"{passing} tests that passed before pass with it. Read the change.\n"
    )


def partly_shown_note() -> str:
    """The report's part on words that came with red tests."""
    return "> [!NOTE]\n> Tests show what they turn green. What was asked for beyond that is shown by none.\n"


def _why(explanation: str) -> str:
    """The part of a proposer's words that says what was changed and why; all of them where they have no parts."""
    found = _CAUSE.search(explanation)
    return (found[1] if found else explanation).strip()


def _sentence(text: str) -> str:
    line = inline(text, MAX_SAID)
    return line if line.endswith((".", "!", "?", "…")) else f"{line}."
