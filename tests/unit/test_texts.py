"""The catalogues of texts: complete in each language, and all that there is."""

import re
from string import Formatter
from typing import get_args

import pytest

from bot.pipeline import texts
from bot.pipeline.reports.buttons import fix_this, stop_this
from bot.pipeline.texts import (
    Answered,
    Heading,
    Help,
    Judged,
    Lead,
    Press,
    Red,
    Report,
    Said,
    Shown,
    Stop,
    Text,
    Why,
    headed,
    number,
)
from bot.policy import Language
from bot.repair.types import StopReason, Verdict

LANGUAGES: tuple[Language, ...] = get_args(Language)


def blanks(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


CATALOGUES: tuple[type[Said], ...] = (Answered, Heading, Help, Judged, Lead, Press, Red, Report, Shown, Stop, Text)
UNCHANGED: frozenset[Said] = frozenset()
"""Texts that are the same in every language, each for a reason beside it."""


def test_every_catalogue_is_looked_at() -> None:
    assert {*CATALOGUES, Why} == {one for one in vars(texts).values() if isinstance(one, type) and one is not Said}


@pytest.mark.parametrize("one", [one for kind in (*CATALOGUES, Why) for one in kind], ids=str)
def test_every_language_has_every_text_with_the_same_blanks(one: Said | Why) -> None:
    assert tuple(one.by_language) == LANGUAGES
    each = [(said,) if isinstance(said, str) else said for said in one.by_language.values()]
    assert all(all(texts) for texts in each)
    assert all([blanks(text) for text in texts] == [blanks(text) for text in each[0]] for texts in each)


@pytest.mark.parametrize("one", [one for kind in CATALOGUES for one in kind], ids=str)
def test_a_text_is_translated_and_keeps_its_emphasis_its_code_and_its_end(one: Said) -> None:
    english, german = one.by_language.values()
    assert (english == german) is (one in UNCHANGED) or not re.search("[a-z]", re.sub(r"\{\w+\}|`[^`]*`", "", english))
    assert sorted(re.findall(r"`[^`]*`", english)) == sorted(re.findall(r"`[^`]*`", german))
    assert english.startswith("**") == german.startswith("**")
    assert english.startswith("#") == german.startswith("#")
    assert ending(english) == ending(german)


def ending(text: str) -> str:
    return text[-1] if text[-1] in ".:" else ""


def test_no_two_texts_are_the_same_in_any_language() -> None:
    for kind in (*CATALOGUES, Why):
        for language in LANGUAGES:
            assert len({one.by_language[language] for one in kind}) == len(kind.__members__)


def test_each_stop_and_each_verdict_has_its_words() -> None:
    assert list(Stop.__members__) == list(StopReason.__members__)
    assert Judged.__members__.keys() == Verdict.__members__.keys()


def test_buttons_are_as_short_as_github_takes_them() -> None:
    for language in LANGUAGES:
        for button in (fix_this(language), stop_this(language)):
            assert (len(button.label) <= 20, len(button.description) <= 40) == (True, True)


def test_numbers_are_written_as_each_language_writes_them() -> None:
    assert [number(1234567.891, language, 1) for language in LANGUAGES] == ["1,234,567.9", "1.234.567,9"]


def test_headings_are_replaced_in_a_report_but_not_in_what_it_quotes() -> None:
    report = "### What it took\n\n````text\n### What it took\n```\n### What it took\n````\n### What it took\nFixed:\n"
    said = headed(report, "de").split("\n")
    assert [line for line in said if line.startswith("#")] == [
        "### Aufwand",
        "### What it took",
        "### What it took",
        "### Aufwand",
    ]
    assert said[-2] == "Behoben:"
    assert headed(report, "en") == report


def test_an_end_begins_with_its_state_in_the_language() -> None:
    said = headed("**Could not reproduce**: the tests pass.\n\n```\n**Done**\n```\n\nAs **Done** before.", "de")
    assert said == "**Nicht nachzustellen**: the tests pass.\n\n```\n**Done**\n```\n\nAs **Done** before."
