"""Which texts GitHub reads as closing an issue."""

import pytest

from bot.pipeline.closing import closes


@pytest.mark.parametrize(
    "text",
    [
        "Fixes #7",
        "fix: #7.",
        "CLOSED o/r#7",
        "resolves O/R#7",
        "resolve GH-7",
        "Fixes https://github.test/o/r/issues/7",
    ],
)
def test_a_keyword_and_the_issue_close_it(text: str) -> None:
    assert closes(f"Some words.\n\n{text}\n", "o/r", 7)


@pytest.mark.parametrize(
    "text",
    [
        "<!-- Fixes #7 -->",
        "<!-- Fixes #7",
        "`fixes #7`",
        "``a` fixes #7``",
        "```\nfixes #7\n```",
        "~~~\nfixes #7",
        "#7",
        "prefixes #7",
        "fixes #71",
        "fixes #8",
        "fixes x/y#7",
        "fixes https://github.test/x/y/issues/7",
        "fix",
    ],
)
def test_anything_else_does_not(text: str) -> None:
    assert not closes(text, "o/r", 7)


def test_reads_long_texts_in_time_that_grows_with_their_length() -> None:
    assert not closes("".join(f"{'`' * (1 + number % 300)} " for number in range(3_000)), "o/r", 7)
    assert not closes("fix " * 100_000 + "fix" + " " * 100_000, "o/r", 7)
