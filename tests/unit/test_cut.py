import re

import pytest
from fakes_fix import Stage

from bot.jobs import JobOutcome, State
from bot.pipeline.admission import Admission
from bot.pipeline.publish import publish
from bot.pipeline.red.outlets import Fix
from bot.pipeline.reports.cut import MAX_BODY, fitted
from bot.pipeline.reports.markdown import block, fold, marker
from bot.pipeline.reports.status import StatusBoard
from bot.pipeline.texts import Report
from bot.repair.types import Attempt, Comparison, FileChange, Origin, Patch, Proposal, Usage, Verdict

MARK = marker("status", "issue-7")
NOTE = f"\n\n{Report.CUT.say('en')}\n"


def whole(text: str) -> bool:
    """Whether no fence and no folded section is left open."""
    fence, folds = "", 0
    for line in text.split("\n"):
        if fence:
            fence = "" if not line.strip("`") and len(line) >= len(fence) else fence
        elif opened := re.match(r"(`{3,})[^`]*$", line):
            fence = opened[1]
        else:
            folds += line.count("<details>") - line.count("</details>")
    return not fence and not folds


def test_a_text_that_fits_stays_as_it_is() -> None:
    text = "x" * MAX_BODY
    assert fitted(text) == text
    assert fitted("") == ""


def test_where_the_whole_run_is_shown_the_note_leads_there_and_fits() -> None:
    page = "https://regreen.test/runs/o%2Fr%3Aissue-7%3Ad1"
    cut = fitted("x" * 100_000, page=page)
    assert len(cut) <= MAX_BODY
    assert cut.endswith(f"[The whole run]({page}).\n")
    stage = Stage()
    board = StatusBoard(stage.issue, stage.github, page=page)
    board.final(JobOutcome(State.FAILED, "x"), "y " * 50_000)
    assert page in stage.comment
    assert len(stage.comment) <= MAX_BODY


def test_a_text_is_cut_between_its_sections() -> None:
    sections = [f"### {number}\n\n{'words ' * 20}" for number in range(20)]
    text = f"{MARK}\n" + "\n\n".join(sections)
    cut = fitted(text, 1000)
    assert len(cut) <= 1000
    assert cut.endswith(NOTE)
    kept = cut.removesuffix(NOTE)
    assert text.startswith(f"{kept}\n\n")
    assert len(kept) > 500


@pytest.mark.parametrize("limit", range(300, 1500, 37))
@pytest.mark.parametrize("inside", ["a line\n" * 400, "x\n\n" * 700, "````\n" * 300, "x" * 3000])
def test_what_is_open_where_a_text_is_cut_is_closed(limit: int, inside: str) -> None:
    log = fold("log", "\n\n".join((block("first"), block(inside, "diff"), "end")))
    text = f"{MARK}\nbefore\n\n{log}\n\nafter"
    cut = fitted(text, limit)
    assert len(cut) <= limit
    assert whole(text)
    assert whole(cut)
    assert cut.partition("\n")[0] == MARK
    assert cut.endswith(NOTE)


def test_one_endless_line_is_cut_in_the_middle() -> None:
    assert fitted("x" * 1000, 300) == "x" * (300 - len(NOTE)) + NOTE


def test_a_line_that_only_begins_as_a_fence_opens_none() -> None:
    text = "``` ``odd``.py ``` was written\n\n" + "words\n\n" * 200
    assert "```" not in fitted(text, 300).removeprefix("``` ``odd``.py ```")


def test_a_cut_text_is_not_cut_again() -> None:
    cut = fitted("words\n\n" * 20_000)
    assert fitted(cut) == cut


def test_comments_and_checks_fit() -> None:
    stage = Stage()
    text = "\n\n".join(block("`" * 9_000) for _ in range(20))
    StatusBoard(stage.issue, stage.github).final(JobOutcome(State.FAILED, "x"), text)
    assert len(stage.comment) <= MAX_BODY
    assert stage.comment.endswith(NOTE)
    StatusBoard(stage.check(), stage.github).final(JobOutcome(State.FAILED, "x"), text)
    assert [len(check.summary) <= MAX_BODY for check in stage.github.checks] == [True]


def test_the_body_of_a_pull_request_fits_and_keeps_its_marker() -> None:
    stage = Stage()
    proposal = Proposal(Patch((FileChange("m.py", b"x\n"),)), Origin.MODEL, "why", "m")
    solution = Attempt(
        number=1,
        verdict=Verdict.SOLVED,
        proposal=proposal,
        comparison=Comparison(fixed=("t.py::test_a",)),
        reason="",
        failure="",
        reflection=None,
        usage=Usage(),
        seconds=1.0,
    )
    mark = marker("subject", "issue-7")
    body = f"{mark}\n\n" + "words\n\n" * 20_000
    publish(
        stage.issue,
        stage.github,
        Admission("main", stage.head, "regreen/issue-7"),
        Fix(solution, body, ""),
        draft=False,
    )
    (pull,) = stage.github.pulls
    assert len(pull.new.body) <= MAX_BODY
    assert pull.new.body.startswith(f"{mark}\n")
    assert pull.new.body.endswith(NOTE)
