"""What expressions of constants come to, and what is left alone since it could cost anything."""

import ast

import pytest

from bot.repair.integrity.added import added
from bot.repair.integrity.folding import folded, scalars
from bot.repair.types import FileChange


def value(text: str) -> object:
    new = added(FileChange("a.py", f"import base64\nimport codecs\nimport json\n{text}\n".encode()), None)
    assert new is not None
    return folded(ast.parse(text, mode="eval").body, new.dotted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("'a|b'.split('|')", ["a", "b"]),
        ("' '.join(['a', 'b'])", "a b"),
        ("'cba'[::-1]", "abc"),
        ("'{0}-{1}'.format('a', 2)", "a-2"),
        ("'%s-%d' % ('a', 2)", "a-2"),
        ("base64.b64decode('YWJj').decode()", "abc"),
        ("codecs.decode('nop', 'rot13')", "abc"),
        ("bytes.fromhex('616263').decode()", "abc"),
        ("int('0x10', 16)", 16),
        ("json.loads('[1, 2]')", [1, 2]),
        ("{'a': 1}", [["a", 1]]),
    ],
)
def test_constants_are_read_in_any_guise(text: str, wanted: object) -> None:
    assert value(text) == wanted


@pytest.mark.parametrize(
    "text",
    ["name", "'a'.split(name)", "'{:>999999999}'.format(1)", "'%999999999d' % 1", "'{0.real}'.format(1)",
     "codecs.decode('a', 'zip')", "'a'.join(['b' * 9])", f"'{'a' * 3000}'.split('|')[::-1]", "open('a').read()"],
)  # fmt: skip
def test_what_is_no_constant_or_may_be_of_any_size_is_left_alone(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        value(text)


def test_of_a_number_no_bytes_are_made() -> None:
    assert value("bytes(1000000000)") == b""


def test_codes_of_characters_are_a_text_too() -> None:
    assert list(scalars([97, 98, 99, 100])) == ["abcd", 97, 98, 99, 100]
