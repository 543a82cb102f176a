"""Whole runs where the policy says `language: de`: what people read of them on GitHub has no English sentence."""

import re

import pytest
from fakes import ScriptedModel
from fakes_fix import FIFTY, FILES, Stage, failed, passed
from fakes_followup import PullStage, reply
from test_policy_manners import ruled
from test_red_pulls import Red

from bot.jobs import State
from bot.policy import PATH
from sandbox.spec import File, Outcome

ENGLISH = re.compile(
    r"\b(?:the|is|are|were|and|of|with|which|that|this|not|from|by|been|has|nothing|before|failing|fixed|changed|done)\b",
    re.IGNORECASE,
)
WHY = "Limits are to be reached"
QUOTED = re.compile(
    # blocks, markers and code ...
    r"(`{3,})[^\n]*\n.*?\n\1|<!--.*?-->|`[^`]*`|"
    # ... what a proposer says, what the loop and the search have to say of it, and the evidence of the runs before
    rf"(?:CAUSE: )?{WHY}(?: PREDICTION: the same)?|(?<=### Ursache und Lösung\n\n).*?(?=\n### )|"
    r"(?<=### Aufgefallen\n\n).*?(?=\n### )|(?<=noch einmal vorgeschlagen\.)[^\n]*|^rank of [^\n]*|"
    r"(?<=Vorgeschlagen: )[^\n]*|(?<=Grund: )[^\n]*|(?<=zusammengestellt: )[^\n]*|(?<=ganzen Suite)[^\n]*",
    re.DOTALL | re.MULTILINE,
)
DOCUMENTED = reply("def grade(score):", 'def grade(score):\n    """Fifty and more pass."""', WHY)
BROKEN = reply("        return 'pass'", "        return 'passed'", WHY)


def english(*texts: str) -> list[str]:
    """The lines that hold a word which no German sentence has."""
    return [line for line in QUOTED.sub("", "\n".join(texts)).split("\n") if ENGLISH.search(line)]


def written(stage: Stage) -> list[str]:
    """All that a run wrote."""
    github = stage.github
    comments = [one.body for below in github.comments.values() for one in below]
    checks = [f"{one.title}\n{one.summary}" for one in github.checks]
    notes = [note.message for one in github.checks for note in one.annotations]
    return [*comments, *checks, *notes, *(pull.new.body for pull in github.pulls)]


@pytest.mark.parametrize(
    ("stage", "state"),
    [
        (Stage(), State.PUBLISHED),
        (Stage(suite=lambda _files: {FIFTY: failed()}), State.UNSOLVED),
        (Stage(suite=lambda _files: {FIFTY: passed()}), State.GREEN),
    ],
)
def test_a_fix_of_an_issue_is_told_in_german_alone(stage: Stage, state: State) -> None:
    outcome = ruled("language: de\n", stage).run()
    assert outcome.state is state
    told = written(stage)
    assert len("".join(told)) > 100
    assert english(outcome.headline, *told) == []


@pytest.mark.parametrize(
    ("policy", "about", "began"),
    [
        ("ci_pull_requests: stack\n", "", Outcome.PASSED),
        ("ci_pull_requests: suggest\n", "", Outcome.PASSED),
        ("", "issue-7", Outcome.PASSED),
        ("", "issue-7", Outcome.FAILED),
    ],
)
def test_a_red_check_is_told_in_german_alone(policy: str, about: str, began: Outcome) -> None:
    red = Red(f"{policy}language: de\n", about=about, began=began)
    red.run()
    told = written(red.stage)
    assert len("".join(told)) > 100
    assert english(red.outcome.headline, *told) == []


@pytest.mark.parametrize(
    ("replies", "behind", "said"),
    [
        ([DOCUMENTED], 0, "bitte dokumentieren"),
        ([BROKEN] * 20, 0, "bitte dokumentieren"),
        ([DOCUMENTED], 3, "bitte dokumentieren"),
        ([DOCUMENTED], 3, "rebase"),
    ],
)
def test_a_follow_up_is_told_in_german_alone(replies: list[str], behind: int, said: str) -> None:
    stage = PullStage(model=ScriptedModel(replies))
    stage.github.add_commit(
        "main", "policy", {**{path: File(data) for path, data in FILES.items()}, PATH: File(b"language: de\n")}
    )
    stage.look(behind)
    outcome = stage.run(stage.review(said, {("grades.py", 1): said, ("tests/test_grades.py", 4): said}))
    assert stage.replies
    assert english(outcome.headline, stage.status, *stage.replies) == []
