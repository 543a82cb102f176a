"""A test that was written for an issue, as people see it: shown for their word, approved, in the pull request. Pure."""

from collections.abc import Sequence

from bot.pipeline.admission import Refusal
from bot.pipeline.aim import Aim
from bot.pipeline.reports.markdown import block, code, inline
from bot.pipeline.texts import Text
from bot.policy import Language
from bot.repair import describe
from bot.repair.reproduction.reproduce import Reproduction
from bot.repair.reproduction.written import MAX_CHARACTERS, WrittenTest

MAX_SHOWN = 3
MAX_LINES = 5
MAX_PREDICTION = 600
_LANGUAGES = {"py": "python", "go": "go", "ts": "ts", "tsx": "tsx", "js": "js", "mjs": "js", "cjs": "js", "jsx": "jsx"}


def resolve(approves: str, kept: Sequence[WrittenTest]) -> WrittenTest | Refusal:
    """The test that a person approved by the first digits of its digest, or, without any, the only one ever shown."""
    found = [test for test in kept if test.digest.startswith(approves)]
    if len(found) == 1:
        return found[0]
    if not kept:
        return Refusal("no test was shown here that could be approved", "Put the label on, so that one is written.")
    if not found:
        return Refusal(f"no test that was shown here begins with {approves}", "Copy the line below the test.")
    return Refusal(f"{len(found)} tests were shown here", "Name the one you approve, with the line below it.")


def shown(test: WrittenTest) -> str:
    """The whole test, exactly, with how it fails and the line that approves it."""
    return (
        f"{code(test.path)}, written by {inline(test.author)}, fails with {code(test.prediction, MAX_PREDICTION)}:\n\n"
        f"{_content(test)}\n\nTo approve it, by a new comment:\n\n```\n/regreen approve {test.short}\n```"
    )


def waiting(kept: Sequence[WrittenTest]) -> str:
    """The tests that may still be approved, latest first, below a line; empty for none."""
    parts = [shown(test) for test in reversed(kept[-MAX_SHOWN:])]
    return "\n\n---\n\nShown for approval:\n\n" + "\n\n".join(parts) if parts else ""


def for_review(found: Reproduction, test: WrittenTest) -> str:
    """The final comment of a run that ends with a test for a person to judge."""
    return (
        f"**A test to approve**: it shows this issue, {_counted(found)}. Nothing is fixed before somebody who may "
        f"write to this repository approves it.\n\n{_cause(test)}{shown(test)}\n\n"
        "Not what is meant? Say in the issue what is expected, or add a failing test of your own to the branch; then "
        "put the label on again."
    )


def about(
    found: Reproduction, test: WrittenTest, approved_by: str, *, published: bool, source: str = "the issue"
) -> str:
    """The report's part on the test that was written: who wrote it, how it failed, who approved it.

    The pull request brings the file along; a comment without one shows it. `source` is where it was read off.
    """
    written = (
        f"{code(test.path)} was written by {inline(test.author)}, before any fix, from {source} alone; "
        f"{_counted(found)}, with {code(test.prediction, MAX_PREDICTION)}. "
        f"{f'Approved by {code(approved_by)}.' if approved_by else 'Nobody has reviewed it yet.'}"
    )
    if published:
        end = " It is part of this change. Read it first: the fix is only as right as what it expects.\n"
    else:
        end = f" It is in no branch:\n\n{_content(test)}\n"
    return f"### The test that shows it\n\n{written}{end}"


def unnamed(found: Reproduction | None, red: int) -> str:
    """The pull request's part on targets that are a guess: the issue names none of the red tests."""
    if found is None:
        return (
            f"> [!NOTE]\n> The issue names no failing test, so all {red} that fail here were taken. Check that they "
            "are what it is about.\n"
        )
    return (
        "> [!NOTE]\n> The issue names no failing test, and no new one could be written for it. These red tests bear on "
        "it by their names or by where they fail: check that they are what it is about.\n"
    )


def not_shown(found: Reproduction, red: int, *, approved: bool) -> str:
    """The final comment of a run that found no test for its issue; `red` tests fail here that it did not chase."""
    if approved:
        head = "**Could not reproduce**: the approved test does not fail any more as it did when it was shown"
        lines = found.tried
    else:
        head = "**Could not reproduce**: no test could be written that shows this issue"
        lines = found.tried[-MAX_LINES:]
    if found.stopped is not None:
        lines = (*lines, f"the tester could not go on: {found.stopped.cause}")
    tried = "\n".join(f"- {inline(line, 500)}" for line in lines)
    others = f"\n\n{red} test{'s fail' if red != 1 else ' fails'} here already; the issue names none of them, and none "
    others += "bears on it, so none was worked on. Name the one that is meant."
    return (
        f"{head}. What was tried:\n\n{tried or '- nothing: the budget allows no call'}{others if red else ''}\n\n"
        "What would help: the exact call, what it gives and what it should give; or a failing test of your own on the "
        "branch. Then put the label on again."
    )


def working(aim: Aim, passing: int, language: Language = "en") -> str:
    """What the status says while the run goes on."""
    if not aim.targets:
        return Text.LOOKING.say(language)
    kind = "new test" if aim.found is not None and aim.found.test is not None else "failing test"
    targets = describe.count(len(aim.targets), kind) if language == "en" else f"{len(aim.targets)} Tests"
    return Text.TRYING.say(language, targets=targets, passing=passing)


def _counted(found: Reproduction) -> str:
    count = len(found.shown.failing)
    failed = "it failed" if count == 1 else f"its {count} red tests failed"
    return f"{failed} on the base commit in each of {found.shown.runs} runs, as was predicted"


def _cause(test: WrittenTest) -> str:
    return f"{inline(test.cause, 600)}\n\n" if test.cause else ""


def _content(test: WrittenTest) -> str:
    language = _LANGUAGES.get(test.path.rpartition(".")[2], "text")
    # All of it: what is approved has been seen whole.
    return block(test.content.decode("utf-8", "replace"), language, MAX_CHARACTERS + 1)
