"""Awkward files: what nobody edited comes back byte for byte."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import EditError
from bot.repair.editing.edits import apply
from bot.repair.editing.sourcetext import decode

BODY = '''def f(x):
    """Größe."""
    if x:
        return 1
    return 2


class A:
    def g(self):
        return 3
'''
AWKWARD = {
    "plain": BODY.encode(),
    "crlf": BODY.replace("\n", "\r\n").encode(),
    "cr": BODY.replace("\n", "\r").encode(),
    "tabs": BODY.replace("    ", "\t").encode(),
    "two blanks": BODY.replace("    ", "  ").encode(),
    "bom": codecs.BOM_UTF8 + BODY.encode(),
    "bom and crlf": codecs.BOM_UTF8 + BODY.replace("\n", "\r\n").encode(),
    "latin-1": b"# -*- coding: latin-1 -*-\n" + BODY.encode("latin-1"),
    "no final newline": BODY.removesuffix("\n").encode(),
    "mixed endings": BODY.replace("\n", "\r\n", 3).encode(),
    "form feed": BODY.replace("\n\n\n", "\n\x0c\n\n").encode(),
    "unicode names": BODY.replace("f(x)", "größe(x)").encode(),
    "line separator": BODY.replace("Größe", "a\u2028b\x85c").encode(),
}
EDITS = {
    "exact or relaxed": ("        return 1\n    return 2", "        return 7\n    return 2"),
    "by another depth": ("    return 1\nreturn 2", "    return 7\nreturn 2"),
    "with an added line": ("    if x:\n        return 1", "    if x:\n        x = 5\n        return 7"),
}


def edit(how: str) -> str:
    search, new = EDITS[how]
    return f"a.py\n<<<<<<< SEARCH\n{search}\n=======\n{new}\n>>>>>>> REPLACE\n"


@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("how", EDITS)
def test_only_the_edited_lines_change(name: str, how: str) -> None:
    before = AWKWARD[name]
    after = apply(edit(how), "stop", {"a.py": before}).patch.changes[0].content or b""
    expected = before.replace(b"return 1", b"return 7")
    if how == "with an added line":
        line = next(line for line in expected.splitlines(keepends=True) if b"return 7" in line)
        expected = expected.replace(line, line.replace(b"return 7", b"x = 5") + line)
    assert after == expected


@pytest.mark.parametrize("name", AWKWARD)
def test_a_method_given_whole_takes_the_files_own_shape(name: str) -> None:
    before = AWKWARD[name]
    reply = "a.py\n```python\nclass A:\n    def g(self):\n        return 9\n```"
    assert apply(reply, "stop", {"a.py": before}).patch.changes[0].content == before.replace(b"return 3", b"return 9")


@pytest.mark.parametrize("name", ["crlf", "bom", "no final newline", "bom and crlf"])
def test_a_whole_file_keeps_endings_bom_and_a_missing_final_newline(name: str) -> None:
    before = AWKWARD[name]
    reply = f"a.py\n```python\n{BODY.replace('return 3', 'return 9')}```"
    expected = before.replace(b"return 3", b"return 9")
    content = apply(f"a.py\n```python\nimport re\n{reply.partition('python')[2][1:]}", "stop", {"a.py": before})
    newline = b"\r\n" if b"\r\n" in before else b"\n"
    assert (content.patch.changes[0].content or b"").replace(b"import re" + newline, b"") == expected


def test_a_character_that_the_files_encoding_lacks_is_refused() -> None:
    with pytest.raises(EditError, match="does not exist in iso-8859-1"):
        apply(edit("exact or relaxed").replace("return 7", "return '€'"), "", {"a.py": AWKWARD["latin-1"]})


def test_a_lost_coding_line_is_refused() -> None:
    reply = f"a.py\n```python\n{BODY.replace('return 3', 'return 9')}X = 1\n```"
    with pytest.raises(EditError, match="encoding"):
        apply(reply, "stop", {"a.py": AWKWARD["latin-1"]})


def test_lines_inside_of_a_long_string_keep_their_blanks() -> None:
    before = b'class A:\n    def g(self):\n        text = """\nfirst\n  second\n"""\n        return text\n'
    reply = 'a.py :: A.g\n```python\ndef g(self):\n    text = """\nfirst\n  second\n"""\n    return text + "!"\n```'
    after = apply(reply, "stop", {"a.py": before}).patch.changes[0].content
    assert after == before.replace(b"return text", b'return text + "!"')


def test_code_written_with_blanks_lands_as_tabs_whatever_its_own_unit() -> None:
    before = b"class A:\n\tdef g(self):\n\t\tif self:\n\t\t\treturn 3\n"
    for unit in (2, 4, 8):
        blank = " " * unit
        block = f"def g(self):\n{blank}if not self:\n{blank * 2}return 9\n{blank}return 1\n"
        after = apply(f"a.py :: A.g\n```python\n{block}```", "stop", {"a.py": before}).patch.changes[0].content
        assert after == b"class A:\n\tdef g(self):\n\t\tif not self:\n\t\t\treturn 9\n\t\treturn 1\n"


@given(st.text())
def test_decoding_and_encoding_is_the_identity(text: str) -> None:
    data = text.replace("\0", "").encode("utf-8", "surrogatepass")
    assert decode("a.txt", data).encode() == data


@given(st.binary())
def test_any_bytes_without_a_nul_come_back_from_a_file_that_is_no_python(data: bytes) -> None:
    data = data.replace(b"\0", b"")
    assert decode("a.txt", data).encode() == data


@given(st.text(max_size=400))
def test_any_reply_is_applied_or_refused_and_never_crashes(reply: str) -> None:
    try:
        applied = apply(reply, "stop", {"a.py": BODY.encode()}, default_path="a.py")
    except EditError:
        return
    assert applied.patch.changes
