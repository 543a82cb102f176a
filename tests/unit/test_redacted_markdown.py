"""A secret is masked before a text is escaped or cut: afterwards it would not look like one any more."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from secret_shapes import BESIDE, SHAPES
from test_report import BASELINE, SPENT, attempt

from bot.jobs import FixIssue
from bot.pipeline.followups import replies
from bot.pipeline.followups.threads import Thread
from bot.pipeline.reports import report, status, titles
from bot.pipeline.reports.markdown import block, code, inline, plain, title
from bot.redaction import MASK, Redactor
from bot.repair.types import RepairResult, StopReason, Usage, Verdict

WAYS: dict[str, Callable[[str], str]] = {
    "plain": lambda text: plain(text, 2_000),
    "title": lambda text: title(text, 2_000),
    "inline": inline,
    "code": code,
    "block": block,
}
ALL = {name: ("", secret, "") for name, secret in SHAPES.items()} | BESIDE


def letters(text: str) -> str:
    """What is left of a text whatever was escaped in it."""
    return re.sub(r"[^A-Za-z0-9]", "", text)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ALL)
def test_no_kind_of_secret_gets_through(way: str, kind: str) -> None:
    before, secret, behind = ALL[kind]
    said = WAYS[way](f"left {before}{secret}{behind} right")
    assert letters(said).removesuffix("text") == letters(f"left {before}{MASK}{behind} right")


@pytest.mark.parametrize("way", WAYS)
def test_characters_that_nobody_sees_hide_no_secret(way: str) -> None:
    apart = "\u200b".join(SHAPES["GitHub"])
    assert letters(WAYS[way](f"a {apart} b")).removesuffix("text") == "aredactedb"


@pytest.mark.parametrize("cut", [title, inline, code, lambda text, limit: block(text, limit=limit)])
def test_a_secret_that_would_be_cut_in_two_is_masked_whole(cut: Callable[[str, int], str]) -> None:
    assert "a1B2" not in cut(f"{'word ' * 10}{SHAPES['GitHub']}", 62)


@given(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.+/=~|!*-]{14,40}[A-Za-z0-9]", fullmatch=True))
def test_a_secret_of_this_installation_is_concealed_in_prose_and_code(own: str) -> None:
    redact = Redactor([SecretStr(own)])
    for way in (inline, code, block):
        assert letters(own) not in letters(redact.conceal(way(f"left {own} right")))


def test_a_short_one_is_concealed_in_prose_too() -> None:
    assert Redactor([SecretStr("hunt-42_x")])(inline("is hunt-42_x?")) == f"is {MASK}?"


def texts(said: str) -> dict[str, str]:
    """Every text of a run about an issue, with `said` wherever somebody else has words in it."""
    job = FixIssue("d1", 5, "o/r", "main", 7, said, said, "mona")
    solved = attempt(1, Verdict.SOLVED, text=said)
    result = RepairResult(StopReason.SOLVED, said, (solved,), BASELINE, Usage(1, 1), 1.0, solution=solved)
    made = replies.Made("a" * 40, ("src/a.py",), f"CAUSE: {said}", 1, 3, unshown=False)
    outcome, told = status.failed(RuntimeError(), f"{said}\n{said}", said)
    return {
        "title": titles.pull_request_title(job, solved),
        "body": report.pull_request_body(job, result, SPENT, {1: said}, report.Beside(unmet=(said,))),
        "no fix": report.unsolved_comment(result, SPENT, {1: said}, report.Beside(unmet=(said,))),
        "thread": replies.done(Thread(1, "src/a.py", 3, "", ()), made),
        "not done": replies.not_done(said),
        "left out": replies.left_out(Thread(1, "src/a.py", 3, "", (), said)),
        "failed": told,
        "headline": outcome.headline,
    }


@pytest.mark.parametrize("kind", ALL)
def test_no_text_of_a_run_holds_a_secret(kind: str) -> None:
    secret = letters(ALL[kind][1])
    for name, text in texts("cannot use " + "".join(ALL[kind])).items():
        assert secret not in letters(Redactor()(text)), name
        assert "redacted" in Redactor()(text), name
