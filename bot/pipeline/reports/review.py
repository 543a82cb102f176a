"""A test that was written for an issue, as people see it: shown for their word, approved, in the pull request. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.pipeline.admission import Refusal
from bot.pipeline.aim import Aim
from bot.pipeline.reports.markdown import block, code, inline
from bot.pipeline.reports.report import note
from bot.pipeline.texts import Heading, Shown, Text, Why, counted
from bot.policy import Language
from bot.repair.reproduction.reproduce import Reproduction
from bot.repair.reproduction.written import MAX_CHARACTERS, WrittenTest

MAX_SHOWN = 3
MAX_LINES = 5
MAX_PREDICTION = 600
_LANGUAGES = {"py": "python", "go": "go", "ts": "ts", "tsx": "tsx", "js": "js", "mjs": "js", "cjs": "js", "jsx": "jsx"}


def resolve(approves: str, kept: Sequence[WrittenTest], language: Language = "en") -> WrittenTest | Refusal:
    """The test that a person approved by the first digits of its digest, or, without any, the only one ever shown."""
    found = [test for test in kept if test.digest.startswith(approves)]
    if len(found) == 1:
        return found[0]
    if not kept:
        return Refusal(*Why.NO_TEST.say(language))
    if not found:
        return Refusal(*Why.OTHER_TEST.say(language, digits=approves))
    return Refusal(*Why.SEVERAL_TESTS.say(language, count=len(found)))


def shown(test: WrittenTest, language: Language = "en") -> str:
    """The whole test, exactly, with how it fails and the line that approves it."""
    how = code(test.prediction, MAX_PREDICTION)
    head = Shown.TEST.say(language, path=code(test.path), author=inline(test.author), how=how)
    return f"{head}\n\n{_content(test)}\n\n{Shown.APPROVE.say(language)}\n\n```\n/regreen approve {test.short}\n```"


def waiting(kept: Sequence[WrittenTest], language: Language = "en") -> str:
    """The tests that may still be approved, latest first, below a line; empty for none."""
    parts = [shown(test, language) for test in reversed(kept[-MAX_SHOWN:])]
    return f"\n\n---\n\n{Shown.WAITING.say(language)}\n\n" + "\n\n".join(parts) if parts else ""


def for_review(found: Reproduction, test: WrittenTest, language: Language = "en") -> str:
    """The final comment of a run that ends with a test for a person to judge."""
    head = Shown.TO_APPROVE.say(language, counted=_counted(found, language))
    return f"{head}\n\n{_cause(test)}{shown(test, language)}\n\n{Shown.NOT_MEANT.say(language)}"


@dataclass(frozen=True, slots=True)
class Told:
    """How a written test is told of: where it was read off, who approved it, if so, and in which language."""

    language: Language = "en"
    approved_by: str = ""
    source: Shown = Shown.ABOUT_ISSUE


IN_ENGLISH = Told()


def about(found: Reproduction, test: WrittenTest, told: Told = IN_ENGLISH, *, published: bool) -> str:
    """The report's part on the test that was written: who wrote it, how it failed, who approved it.

    The pull request brings the file along; a comment without one shows it.
    """
    language = told.language
    approved = Shown.APPROVED.say(language, person=code(told.approved_by)) if told.approved_by else ""
    written = told.source.say(
        language,
        path=code(test.path),
        author=inline(test.author),
        counted=_counted(found, language),
        how=code(test.prediction, MAX_PREDICTION),
        approval=approved or Shown.UNREVIEWED.say(language),
    )
    end = f"{Shown.PART.say(language)}\n" if published else f"{Shown.NOWHERE.say(language)}\n\n{_content(test)}\n"
    return f"{Heading.WRITTEN.say(language)}\n\n{written} {end}"


def unnamed(found: Reproduction | None, red: int, language: Language = "en") -> str:
    """The pull request's part on targets that are a guess: the issue names none of the red tests."""
    return note((Shown.UNNAMED if found is None else Shown.BEARING).say(language, red=red))


def not_shown(found: Reproduction, red: int, language: Language = "en", *, approved: bool) -> str:
    """The final comment of a run that found no test for its issue; `red` tests fail here that it did not chase."""
    head = (Shown.APPROVED_CHANGED if approved else Shown.NOT_WRITTEN).say(language)
    lines = found.tried if approved else found.tried[-MAX_LINES:]
    if found.stopped is not None:
        lines = (*lines, Shown.TESTER_STOPPED.say(language, cause=found.stopped.cause))
    tried = "\n".join(f"- {inline(line, 500)}" for line in lines) or f"- {Shown.NO_CALL.say(language)}"
    others = [counted(red, Shown.OTHERS_ONE, Shown.OTHERS, language)] if red else []
    return "\n\n".join((f"{head} {Shown.TRIED.say(language)}", tried, *others, Shown.EXACT.say(language)))


def working(aim: Aim, passing: int, language: Language = "en") -> str:
    """What the status says while the run goes on."""
    if not aim.targets:
        return Text.LOOKING.say(language)
    written = aim.found is not None and aim.found.test is not None
    one, many = (Text.NEW_ONE, Text.NEW) if written else (Text.RED_ONE, Text.RED)
    return Text.TRYING.say(language, targets=counted(len(aim.targets), one, many, language), passing=passing)


def _counted(found: Reproduction, language: Language) -> str:
    count = len(found.shown.failing)
    return counted(count, Shown.COUNTED_ONE, Shown.COUNTED, language, runs=found.shown.runs)


def _cause(test: WrittenTest) -> str:
    return f"{inline(test.cause, 600)}\n\n" if test.cause else ""


def _content(test: WrittenTest) -> str:
    highlighted = _LANGUAGES.get(test.path.rpartition(".")[2], "text")
    # All of it: what is approved has been seen whole.
    return block(test.content.decode("utf-8", "replace"), highlighted, MAX_CHARACTERS + 1)
