"""What is said in a thread and of a whole follow-up: what was done, and what nobody has shown. Pure text."""

import re
from dataclasses import dataclass

from bot.pipeline.followups.threads import Thread
from bot.pipeline.reports.markdown import code, inline
from bot.pipeline.reports.report import note
from bot.pipeline.texts import Answered, counted
from bot.policy import Language

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


def done(thread: Thread, made: Made, language: Language = "en") -> str:
    """The answer in a thread once something was pushed. It never claims what nobody has measured."""
    commit = made.sha[:SHORT]
    if thread.path in made.paths:
        why = inline(_why(made.explanation) or Answered.UNEXPLAINED.say(language), MAX_SAID)
        head = Answered.CHANGED.say(language, commit=commit, why=why)
    else:
        head = Answered.ELSEWHERE.say(language, commit=commit, path=code(thread.path))
    return f"{head}\n\n{shown(made, language)}"


def shown(made: Made, language: Language = "en") -> str:
    """What tests show of a commit, and what they do not."""
    guard = Answered.GUARD.say(language, passing=made.passing)
    if made.unshown:
        return Answered.UNSHOWN.say(language, guard=guard)
    said = Answered.SHOWN.say(language, tests=tests(made, language), guard=guard)
    return f"{said} {Answered.SEARCHED.say(language)}" if made.low_trust else said


def tests(made: Made, language: Language) -> str:
    """Which tests a commit turned green."""
    if made.test:
        return Answered.NEW_TEST.say(language, path=code(made.test))
    return counted(made.fixed, Answered.GREEN_ONE, Answered.GREEN, language)


def not_done(reason: str, language: Language = "en") -> str:
    """The answer in a thread that nothing was pushed for."""
    return Answered.NOT_DONE.say(language, reason=_sentence(reason))


def left_out(thread: Thread, language: Language = "en") -> str:
    """The answer in a thread that was not worked on."""
    return Answered.LEFT_OUT.say(language, reason=_sentence(thread.left_out))


def unshown_note(passing: int, language: Language = "en", *, tried: bool = False) -> str:
    """The report's part on a change that no test shows, though one may have been `tried` to be written."""
    return note((Answered.FROM_WORDS_TRIED if tried else Answered.FROM_WORDS).say(language, passing=passing))


def partly_shown_note(language: Language = "en") -> str:
    """The report's part on words that came with red tests."""
    return note(Answered.PARTLY_SHOWN.say(language))


def _why(explanation: str) -> str:
    """The part of a proposer's words that says what was changed and why; all of them where they have no parts."""
    found = _CAUSE.search(explanation)
    return (found[1] if found else explanation).strip()


def _sentence(text: str) -> str:
    line = inline(text, MAX_SAID)
    return line if line.endswith((".", "!", "?", "…")) else f"{line}."
