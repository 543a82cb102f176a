"""Where `/regreen WORD` is a command, and where it is only written about."""

import pytest
from growth import linear
from hypothesis import given
from hypothesis import strategies as st

from bot.requests import MAX_ARGUMENT, Request, Word, parse

WORDS = [word.value for word in Word if word is not Word.APPROVE]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize(
    "around", ["/regreen {}", "   /Regreen {}  ", "Thanks!\n/regreen {}\nbye", "x\r\n/REGREEN\t{}"]
)
def test_the_first_word_of_a_line_is_a_command(word: str, around: str) -> None:
    found = parse(around.format(word.upper()))
    assert found is not None
    assert found.word is Word(word)


@pytest.mark.parametrize(
    "comment",
    [
        "",
        "please /regreen fix",
        "`/regreen fix`",
        "/regreenfix",
        "//regreen fix",
        "- /regreen fix",
        "> /regreen fix",
        ">/regreen fix",
        "> what is\n/regreen fix",
        "    /regreen fix",
        "\t/regreen fix",
        "```\n/regreen fix\n```",
        "```sh\n/regreen fix",
        "~~~\n```\n/regreen fix\n~~~",
        "````\n```\n/regreen fix\n````",
        "- ```\n  /regreen fix\n  ```",
        "1. ~~~\n   /regreen fix\n   ~~~",
        "```\n     ```\n/regreen fix\n```",
        "<!-- /regreen fix -->",
        "<!--\n/regreen fix\n-->",
        "<!-- a --> <!--\n\n/regreen fix",
        "<!-- a -->/regreen fix",
        "<!--\n-->/regreen fix",
        "<pre>\n/regreen fix\n</pre>",
        "<PRE lang='x'>\n/regreen fix",
        "`a\n/regreen fix\nb`",
        "a ``b `c`\n/regreen fix\n``",
        "\\` `a\n/regreen fix\nb`",
        "<?\n/regreen fix\n?>",
        "<?\n\n/regreen fix",
        "[a]: /u '\n/regreen fix\n'",
        "<div hidden>\n\n/regreen fix\n\n</div>",
        "/re\u200bgreen fix",
        "/regreen fix"[::-1],
    ],
)
def test_what_is_quoted_coded_hidden_or_only_mentioned_is_no_command(comment: str) -> None:
    assert parse(comment) is None


@pytest.mark.parametrize(
    ("comment", "word"),
    [
        ("> /regreen stop\n\n/regreen fix", Word.FIX),
        ("```\n/regreen stop\n```\n/regreen fix", Word.FIX),
        ("```\n<!--\n```\n/regreen fix", Word.FIX),
        ("<!-- /regreen stop -->\n/regreen fix", Word.FIX),
        ("<!-->\n/regreen fix", Word.FIX),
        ("<!--\n```\n-->\n/regreen fix", Word.FIX),
        ("<pre>/regreen stop</pre>\n/regreen fix", Word.FIX),
        ("<prefix>\n/regreen fix", Word.FIX),
        ("``` /regreen stop ```\n/regreen fix", Word.FIX),
        ("/regreen status\n/regreen stop", Word.STATUS),
        ("`a\n/regreen stop\nb`\n/regreen fix", Word.FIX),
        ("a ` b\n/regreen fix\n\n`c", Word.FIX),
        ("`a\n```\nb\n```\n/regreen fix\n`", Word.FIX),
        ("<? ?>\n/regreen fix", Word.FIX),
        ("<div hidden>\n/regreen stop\n</div>\n\n/regreen fix", Word.FIX),
    ],
)
def test_what_follows_quotes_code_and_comments_is_read_and_the_first_command_counts(comment: str, word: Word) -> None:
    found = parse(comment)
    assert found is not None
    assert found.word is word


@pytest.mark.parametrize(
    ("comment", "request_"),
    [
        ("/regreen approve", Request(Word.APPROVE)),
        ("/regreen approve 0123456789ABcdef", Request(Word.APPROVE, "0123456789abcdef")),
        ("/regreen approve 0123", Request(Word.HELP, "approve 0123")),
        ("/regreen approve 0123456789ab please", Request(Word.HELP, "approve 0123456789ab please")),
        ("/regreen approve this later", Request(Word.HELP, "approve this later")),
        ("/regreen approved", Request(Word.HELP, "approved")),
        ("/regreen", Request(Word.HELP)),
        ("/regreen make tea", Request(Word.HELP, "make tea")),
        ("/regreen retry with zero", Request(Word.RETRY, "with zero")),
        ("/regreen retry with Vec<u8>", Request(Word.RETRY, "with Vec<u8>")),
        ("<div hidden>\n/regreen approve\n</div>\n\n/regreen approve 0123abcd", Request(Word.APPROVE, "0123abcd")),
    ],
)
def test_an_approval_is_exact_and_what_is_unknown_asks_for_help(comment: str, request_: Request) -> None:
    assert parse(comment) == request_


@given(st.text())
def test_any_text_is_read_and_what_it_holds_is_bounded(comment: str) -> None:
    found = parse(comment)
    assert found is None or len(found.argument) <= MAX_ARGUMENT


@given(
    st.lists(
        st.sampled_from(["```", "~~~~", "> a", "    ", "<!--", "-->", "<pre>", "</pre>", "- ", "x", ""]), max_size=9
    )
)
def test_a_command_is_read_from_the_prose_alone(lines: list[str]) -> None:
    quoted = "\n".join(f"> {line}" for line in ["/regreen fix", *lines])
    assert parse(quoted) is None
    closed = "\n".join(["<!--", *(line for line in lines if "-->" not in line), "/regreen fix", "-->"])
    assert parse(closed) is None


@pytest.mark.parametrize(
    "unit", ["<!---->", "<pre>", "<!--", "```\n", "- ", "1. ", "> \n", "/regreen ", " ", "-->", "<?", "` ``\n"]
)
def test_reading_takes_time_that_grows_with_the_comment(unit: str) -> None:
    assert linear(lambda size: parse(unit * size), 4_000)
