"""The catalogue of short texts."""

from string import Formatter
from typing import get_args

import pytest

from bot.pipeline.texts import Heading, Lead, Text, Why, headed
from bot.policy import Language

LANGUAGES: tuple[Language, ...] = get_args(Language)


def blanks(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("one", [*Text, *Heading, *Lead, *Why])
def test_every_language_has_every_text_with_the_same_blanks(one: Text | Heading | Lead | Why) -> None:
    assert tuple(one.by_language) == LANGUAGES
    each = [(said,) if isinstance(said, str) else said for said in one.by_language.values()]
    assert all(all(texts) for texts in each)
    assert all([blanks(text) for text in texts] == [blanks(text) for text in each[0]] for texts in each)


def test_no_two_texts_are_the_same_in_any_language() -> None:
    for kind in (Text, Heading, Lead, Why):
        for language in LANGUAGES:
            assert len({one.by_language[language] for one in kind}) == len(kind.__members__)


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
